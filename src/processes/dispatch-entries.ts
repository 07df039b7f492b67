import { WorkflowNotFoundError } from '@temporalio/client';
import { type SearchAttributePair, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { noteStart, type WaitingBatch } from '../db/webhook-batches.ts';
import { idFields } from '../domain/id-fields.ts';
import type { WorkflowType } from '../messages/workflow-types.ts';
import type { WorkflowSide } from '../operations/sides/workflow-sides.ts';
import { describeCallFailure } from '../platform/grpc-status.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { type ClaimedEntry, deleteDispatched, postpone } from '../platform/postgres/outbox.ts';
import { traced } from '../platform/tracing.ts';
import { pass } from '../services/crash-points.ts';
import { emit } from '../services/telemetry.ts';
import { batchOptionsOf, startOptionsOf } from './temporal/start-options.ts';

const longestBackoffMs = 10_000;

const notDispatched = 'outbox: an entry could not be dispatched';

/** Sends claimed outbox entries to a Temporal. */
export interface EntryDispatch {
  /** Starts or signals an entry's workflow. Returns whether it was dispatched. If not, it waits for its next try. */
  one(entry: ClaimedEntry, attributes?: SearchAttributePair[]): Promise<boolean>;
  /** Starts a batch, unless it runs. Returns null, or if it cannot be started, for how many milliseconds to wait. */
  batch(batch: WaitingBatch): Promise<number | null>;
  /** Deletes the entries that were dispatched. */
  remove(dispatched: readonly ClaimedEntry[]): Promise<void>;
}

/** Returns the dispatch of claimed entries to this side. */
export function openEntryDispatch(sql: Pool, side: WorkflowSide, logger: Logger): EntryDispatch {
  // Success lines hold ids only, so they skip the redaction of secrets.
  const log = logger.child({}, { redact: [] });

  async function one(entry: ClaimedEntry, attributes: SearchAttributePair[] = []): Promise<boolean> {
    const { id, workflow_id, workflow_type: workflowType, subject_id, traceparent, created_at: madeAt } = entry;
    const ids = { workflow_id, ...idFields(subject_id) };
    try {
      await traced('dispatch outbox entry', { parent: traceparent, attributes: ids }, () =>
        send(side, entry, attributes),
      );
      emit({ kind: 'outbox entry dispatched', workflowType, madeAt, isDispatched: true });
      return true;
    } catch (error) {
      emit({ kind: 'outbox entry dispatched', workflowType, madeAt, isDispatched: false });
      logger.warn({ ...ids, attempts: entry.attempts, err: error }, notDispatched);
      await postpone(sql, id, backoffAfter(entry.attempts), describeCallFailure('Temporal', error)).catch(() => {});
      return false;
    }
  }

  async function batch(waiting: WaitingBatch): Promise<number | null> {
    const { workflow_id, attempts, created_at: madeAt } = waiting;
    const note = (error: string | null) => noteStart(sql, waiting, error).catch(() => {});
    try {
      await side.temporal.workflow.start('webhookBatch', batchOptionsOf(side, waiting)).catch(unlessItRuns);
      pass('batch started');
      log.info({ workflow_ids: [workflow_id] }, 'outbox: dispatched to Temporal');
      if (attempts > 0) await note(null);
      return null;
    } catch (error) {
      emit({ kind: 'outbox entry dispatched', workflowType: 'webhookBatch', madeAt, isDispatched: false });
      logger.warn({ workflow_id, attempts, err: error }, notDispatched);
      await note(describeCallFailure('Temporal', error));
      return backoffAfter(attempts);
    }
  }

  return {
    one,
    batch,
    async remove(dispatched) {
      if (dispatched.length === 0) return;
      pass('outbox dispatched');
      // One line for all of them: a line takes part of a millisecond, and every payment adds entries.
      log.info({ workflow_ids: dispatched.map(({ workflow_id }) => workflow_id) }, 'outbox: dispatched to Temporal');
      await deleteDispatched(
        sql,
        dispatched.map(({ id }) => id),
      );
    },
  };
}

async function send(side: WorkflowSide, entry: ClaimedEntry, attributes: SearchAttributePair[]): Promise<void> {
  const { workflow } = side.temporal;
  const options = startOptionsOf(side, entry.workflow_type as WorkflowType, entry.subject_id, attributes);
  try {
    if (entry.start && entry.signal !== null) {
      await workflow.signalWithStart(entry.workflow_type, { ...options, signal: entry.signal });
    } else if (entry.start) {
      await workflow.start(entry.workflow_type, options);
    } else if (entry.signal !== null) {
      await workflow.getHandle(entry.workflow_id).signal(entry.signal);
    }
  } catch (error) {
    // The workflow does not exist and need not.
    if (error instanceof WorkflowNotFoundError && !entry.start) return;
    throw error;
  }
}

function unlessItRuns(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}

/** In milliseconds. */
function backoffAfter(attempts: number): number {
  return Math.min(longestBackoffMs, 100 * 2 ** Math.min(attempts, 10));
}
