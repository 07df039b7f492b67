import { WorkflowNotFoundError } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
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

type Entries = readonly [ClaimedEntry, ...ClaimedEntry[]];

/** Sends claimed outbox entries to a Temporal. */
export interface EntryDispatch {
  /** Starts or signals an entry's workflow. Returns whether it was dispatched. If not, it waits for its next try. */
  one(entry: ClaimedEntry, attributes?: SearchAttributePair[]): Promise<boolean>;
  /** Starts one batch for the deliveries of these entries, all of one biller and mode. Returns the same. */
  together(entries: Entries, attributes: SearchAttributePair[]): Promise<boolean>;
  /** Deletes the entries that were dispatched. */
  remove(dispatched: readonly ClaimedEntry[]): Promise<void>;
}

/** Returns the dispatch of claimed entries to this side. */
export function openEntryDispatch(sql: Pool, side: WorkflowSide, logger: Logger): EntryDispatch {
  // Success lines hold ids only, so they skip the redaction of secrets.
  const log = logger.child({}, { redact: [] });

  async function sent(entries: Entries, send: () => Promise<void>): Promise<boolean> {
    const [first] = entries;
    const ids = { workflow_id: first.workflow_id, ...idFields(first.subject_id) };
    const report = (isDispatched: boolean) => {
      for (const { workflow_type: workflowType, created_at: madeAt } of entries)
        emit({ kind: 'outbox entry dispatched', workflowType, madeAt, isDispatched });
    };
    try {
      await traced('dispatch outbox entry', { parent: first.traceparent, attributes: ids }, send);
      report(true);
      return true;
    } catch (error) {
      report(false);
      const message = describeCallFailure('Temporal', error);
      const backoffMs = Math.min(longestBackoffMs, 100 * 2 ** Math.min(first.attempts, 10));
      const which = { ...ids, entries: entries.length, attempts: first.attempts, err: error };
      logger.warn(which, 'outbox: an entry could not be dispatched');
      const all = entries.map(({ id }) => id);
      await postpone(sql, all, backoffMs, message).catch(() => {});
      return false;
    }
  }

  return {
    one: (entry, attributes = []) => sent([entry], () => send(side, entry, attributes)),
    together: (entries, attributes) => sent(entries, () => startBatch(side, entries, attributes)),
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

async function startBatch(side: WorkflowSide, entries: Entries, attributes: SearchAttributePair[]): Promise<void> {
  const [first, ...others] = new Set(entries.map(({ subject_id }) => subject_id));
  if (first === undefined) return;
  await side.temporal.workflow.start('webhookBatch', batchOptionsOf(side, [first, ...others], attributes));
  pass('batch started');
}
