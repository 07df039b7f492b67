import { signals } from '../messages/signals.ts';
import { endsOnClock, type KindWhere } from '../messages/subject-kinds.ts';
import { type WorkflowType, workflowIdOf, workflowTypes } from '../messages/workflow-types.ts';
import type { Tx } from '../platform/postgres/connection.ts';
import { enqueue, type OutboxEntry } from '../platform/postgres/outbox.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** The object that a workflow is for. */
export interface WorkflowSubject {
  id: string;
  livemode: boolean;
}

/** What a workflow of this type is for. If an advance ends the subject, its clock says whether it has a workflow. */
type SubjectOf<Type> =
  Type extends KindWhere<'ends'> ? WorkflowSubject & { test_clock_id: string | null } : WorkflowSubject;

/** For each type, a function that adds an outbox entry. */
type Enqueuing = {
  [Type in WorkflowType]: (
    tx: Tx,
    subject: SubjectOf<Type>,
    now: RealInstant,
    options?: { start: boolean },
  ) => Promise<void>;
};

/** Returns the outbox entry that starts the workflow of a subject. It has no effect if the workflow runs already. */
export function startEntry(workflowType: WorkflowType, { id, livemode }: WorkflowSubject): OutboxEntry {
  return { workflowType, workflowId: workflowIdOf(workflowType, id), subjectId: id, livemode, start: true };
}

/**
 * Returns the outbox entry that makes the workflow of a subject read the database again. If no workflow runs, `start`
 * starts one; without it the entry has no effect.
 */
export function wakeEntry(workflowType: WorkflowType, subject: WorkflowSubject, { start = false } = {}): OutboxEntry {
  // A delivery reads the database again by making its next attempt.
  const signal = workflowType === 'webhookDelivery' ? signals.retryNow : signals.poke;
  return { ...startEntry(workflowType, subject), start, signal: signal.name };
}

/** Starts the workflow of a new subject once the transaction has committed. */
export const start = enqueuing(startEntry);

/** Makes the workflow of a subject read the database again once the transaction has committed. See `wakeEntry`. */
export const wake = enqueuing(wakeEntry);

function enqueuing(entryOf: typeof wakeEntry): Enqueuing {
  const enqueuers = workflowTypes.map((type) => {
    const add: Enqueuing['paymentLink'] = async (tx, subject, now, options) => {
      const hasWorkflow = !endsOnClock(type) || subject.test_clock_id === null;
      if (hasWorkflow) await enqueue(tx, [entryOf(type, subject, options)], now);
    };
    return [type, add];
  });
  return Object.fromEntries(enqueuers);
}
