import { WorkflowNotFoundError } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { listDeliveriesAbout } from '../db/webhook-deliveries.ts';
import { idFields } from '../domain/id-fields.ts';
import { deliveryAttributes } from '../messages/search-attributes.ts';
import type { WorkflowType } from '../messages/workflow-types.ts';
import type { WorkflowSide } from '../operations/sides/workflow-sides.ts';
import { describeCallFailure } from '../platform/grpc-status.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import {
  type ClaimedEntry,
  claimBatch,
  deleteDispatched,
  type Lane,
  lanes,
  onEntriesCommitted,
  postpone,
} from '../platform/postgres/outbox.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import { traced } from '../platform/tracing.ts';
import { pass } from '../services/crash-points.ts';
import { emit } from '../services/telemetry.ts';
import { startOptionsOf } from './temporal/start-options.ts';

/** Enough to keep Temporal busy, and few enough that a process that dies delays little. */
const batchSize = 50;
/**
 * How long a claim lasts. After that, any dispatcher may claim the entry again: its process is dead or frozen. No call
 * to Temporal takes as long.
 */
const claimMs = 5_000;
/**
 * How often to look for entries that other processes left behind. Entries that this process commits are dispatched at
 * once.
 */
const pollMs = 500;
const longestBackoffMs = 10_000;

export interface Dispatcher {
  /** Stops claiming and waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Dispatches the outbox entries of a side: starts and signals the workflows that committed transactions ask for. Each
 * entry is dispatched at least once. A repetition changes nothing: a workflow's id comes from its object, and it reads
 * its work from the database. Any number of dispatchers may run side by side. Each side has its own, so a Temporal that
 * is away holds up no entries of another. Each lane is dispatched separately, so thousands of deliveries hold up no
 * payment.
 */
export function startDispatcher(sql: Pool, side: WorkflowSide, logger: Logger): Dispatcher {
  // Success lines hold ids only, so they skip the redaction of secrets.
  const log = logger.child({}, { redact: [] });

  async function dispatchBatch(lane: Lane): Promise<number> {
    const entries = await claimBatch(sql, batchSize, claimMs, { lane, livemode: side.livemode });
    if (entries.length > 0) pass('outbox claimed');
    const attributesOf = await searchAttributes(sql, entries);
    const results = await Promise.all(entries.map((entry) => dispatch(entry, attributesOf(entry))));
    const dispatched = entries.filter((_, index) => results[index]);
    if (dispatched.length > 0) {
      pass('outbox dispatched');
      // One line for the whole batch: a line takes part of a millisecond, and every payment adds entries.
      log.info({ workflow_ids: dispatched.map(({ workflow_id }) => workflow_id) }, 'outbox: dispatched to Temporal');
      await deleteDispatched(
        sql,
        dispatched.map(({ id }) => id),
      );
    }
    return entries.length < batchSize ? pollMs : 0;
  }

  /** Returns whether the entry was dispatched. If not, it waits for its next try. */
  async function dispatch(entry: ClaimedEntry, attributes: SearchAttributePair[]): Promise<boolean> {
    const event = {
      kind: 'outbox entry dispatched',
      workflowType: entry.workflow_type,
      madeAt: entry.created_at,
    } as const;
    const ids = { workflow_id: entry.workflow_id, ...idFields(entry.subject_id) };
    try {
      const parent = entry.traceparent;
      await traced('dispatch outbox entry', { parent, attributes: ids }, () => send(side, entry, attributes));
      emit({ ...event, isDispatched: true });
      return true;
    } catch (error) {
      emit({ ...event, isDispatched: false });
      const message = describeCallFailure('Temporal', error);
      const backoffMs = Math.min(longestBackoffMs, 100 * 2 ** Math.min(entry.attempts, 10));
      logger.warn({ ...ids, attempts: entry.attempts, err: error }, 'outbox: an entry could not be dispatched');
      await postpone(sql, entry.id, backoffMs, message).catch(() => {});
      return false;
    }
  }

  const closings = lanes.map((lane) => {
    const dispatching: Repetition = repeat(() => dispatchBatch(lane), {
      everyMs: pollMs,
      onError: (err) => logger.warn({ err }, 'outbox: entries could not be read; trying again'),
    });
    const stopListening = onEntriesCommitted(lane, dispatching.wake);
    return () => {
      stopListening();
      return dispatching.close();
    };
  });
  return {
    async close() {
      await Promise.all(closings.map((close) => close()));
    },
  };
}

/**
 * Returns the search attributes that each entry's workflow is started with. Deliveries have theirs from the start: an
 * upsert would cost Temporal another event, and another write. The other workflows run for long, and upsert theirs.
 */
async function searchAttributes(sql: Pool, entries: readonly ClaimedEntry[]) {
  const started = entries.filter(({ start, workflow_type }) => start && workflow_type === 'webhookDelivery');
  const ids = started.map(({ subject_id }) => subject_id);
  const about = ids.length === 0 ? null : await listDeliveriesAbout(sql, ids);
  return ({ subject_id }: ClaimedEntry): SearchAttributePair[] => {
    const found = about?.get(subject_id);
    return found === undefined ? [] : deliveryAttributes(found);
  };
}

/** Starts or signals the workflow of an entry. */
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
