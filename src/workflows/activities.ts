import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { OperatorCommand } from '../messages/operator-command.ts';
import { type SubjectActivities, type SubjectKind, subjectKinds } from '../messages/subject-kinds.ts';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { inWords } from './inbox.ts';

/** Outages are retried without limit. Errors that retries do not fix are thrown as `EffectFailed`. */
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/**
 * For a step that only uses the database, or the sandbox's processor in it. It runs in the worker that has the workflow
 * task.
 */
export const inProcess: LocalActivityOptions = { startToCloseTimeout: '1 minute', retry };

/**
 * For a step that waits for another machine, such as a live charge. A worker that dies is noticed by its missing
 * heartbeat, and another worker continues.
 */
const overTheNetwork: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '8 seconds',
  retry,
};

const local = proxyLocalActivities<SubjectActivities>(inProcess);
const remote = proxyActivities<SubjectActivities>(overTheNetwork);

export type CollectingActivities = ReturnType<typeof collectingBy>;

/**
 * Returns how a subject of this kind is read, its due step taken, and an operator command executed. The way is the same
 * in both modes, but for one thing: a sandbox charge stays in the worker, a live one waits for a processor elsewhere.
 */
export function collectingBy(kind: SubjectKind) {
  const names = subjectKinds[kind].activities;
  return {
    read: (id: string) => local[names.read](id),
    collect: (id: string, at: number, { livemode, next }: SubjectStatus) =>
      livemode
        ? remote[names.collect].executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local[names.collect].executeWithOptions({ ...inProcess, summary: next }, [id, at]),
    execute: (id: string, command: OperatorCommand) =>
      local[names.execute].executeWithOptions({ ...inProcess, summary: inWords(command) }, [id, command]),
  };
}
