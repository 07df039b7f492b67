import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { OperatorCommand } from '../messages/operator-command.ts';
import { type SubjectActivities, type SubjectKind, subjectKinds } from '../messages/subject-kinds.ts';
import type { SubjectStatus } from '../messages/subject-status.ts';
import { inWords } from './command-queue.ts';
import { inProcess, overTheNetwork } from './options.ts';

const local = proxyLocalActivities<SubjectActivities>(inProcess);
const remote = proxyActivities<SubjectActivities>(overTheNetwork);

export type Collection = ReturnType<typeof collectingBy>;

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
