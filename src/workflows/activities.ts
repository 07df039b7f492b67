import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { isCancellation, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import type { OperatorCommand } from '../messages/operator-command.ts';
import { type SubjectActivities, type SubjectKind, subjectKinds } from '../messages/subject-kinds.ts';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { webhookTaskQueue } from '../messages/task-queues.ts';
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

/** How long an attempt or a batch may take, and its summary. After that, the worker counts as dead. */
export type WebhookOptions = Required<Pick<ActivityOptions, 'startToCloseTimeout' | 'summary'>>;

/**
 * Returns the activities of webhooks: in the workflow task, where a failure is not retried, or on the webhooks' own
 * task queue, where it is, for as long as it takes. A failure never comes from the receiver, only from our side. An
 * activity takes Temporal twice the work.
 */
export function webhookActivities(isInTask: boolean, options: WebhookOptions): WebhookActivities {
  if (isInTask) return proxyLocalActivities<WebhookActivities>({ ...options, retry: { maximumAttempts: 1 } });
  return proxyActivities<WebhookActivities>({
    ...options,
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });
}

/** Returns that an activity must make what has failed within the workflow task. @throws any other failure. */
export function orNeedsActivity(isInTask: boolean, error: unknown): 'needs an activity' {
  if (!isInTask || isCancellation(error)) throw error;
  return 'needs an activity';
}
