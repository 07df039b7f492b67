import { setTimeout as pause } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { idFields } from '../domain/id-fields.ts';
import { webhookTaskQueue } from '../messages/task-queues.ts';
import { summaryOf } from '../messages/workflow-summaries.ts';
import { pass } from '../platform/crash-points.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { type ClaimedEntry, claimBatch, deleteDispatched, postpone } from '../platform/postgres/outbox.ts';
import { onIntentsCommitted } from '../platform/postgres/transaction.ts';
import { emit } from '../platform/telemetry.ts';
import { traced } from '../platform/tracing.ts';

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
/** How long Temporal waits for a worker that died with a workflow task. A live worker asks for more time by itself. */
const workflowTaskTimeout = '5 seconds';

export interface Dispatcher {
  /** Stops claiming and waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Dispatches outbox entries: starts and signals the workflows that committed transactions ask for. Each entry is
 * dispatched at least once. A repetition changes nothing: a workflow's id comes from its object, and it reads its work
 * from the database. Any number of dispatchers may run side by side.
 */
export function startDispatcher(sql: Pool, temporal: Client, taskQueue: string, logger: Logger): Dispatcher {
  // Success lines hold ids only, so they skip the redaction of secrets.
  const log = logger.child({}, { redact: [] });
  const stopping = new AbortController();
  let woken = false;
  let wake = (): void => {};
  const stopListening = onIntentsCommitted(() => {
    woken = true;
    wake();
  });

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false;
      const carriedOut = await dispatchBatch().catch((error: unknown) => {
        logger.warn({ err: error }, 'workflow intents could not be read; trying again');
        return 0;
      });
      if (carriedOut < batchSize && !woken) await nap();
    }
  }

  /** Waits for the next poll, or until something is committed or the dispatcher is closed. */
  async function nap(): Promise<void> {
    const nudge = new AbortController();
    wake = () => nudge.abort();
    await pause(pollMs, undefined, { signal: AbortSignal.any([nudge.signal, stopping.signal]) }).catch(() => {});
    wake = () => {};
  }

  async function dispatchBatch(): Promise<number> {
    const entries = await claimBatch(sql, batchSize, claimMs);
    if (entries.length > 0) pass('intents claimed');
    const results = await Promise.all(entries.map((entry) => dispatch(entry)));
    const done = entries.filter((_, index) => results[index]).map(({ id }) => id);
    if (done.length === 0) return entries.length;
    pass('intents told');
    // One line for the whole batch: a line takes part of a millisecond, and every payment adds entries.
    log.info(
      { workflow_ids: entries.flatMap((entry, index) => (results[index] ? entry.workflow_id : [])) },
      'outbox entries dispatched',
    );
    await deleteDispatched(sql, done);
    return entries.length;
  }

  /** Returns whether the entry was dispatched. If not, it waits for its next try. */
  async function dispatch(entry: ClaimedEntry): Promise<boolean> {
    const event = { kind: 'intent told', workflowType: entry.workflow_type, madeAt: entry.created_at } as const;
    try {
      const attributes = { workflow_id: entry.workflow_id, ...idFields(entry.subject_id) };
      const work = () => dispatchTo(temporal, taskQueue, entry);
      await traced('carry out workflow intent', { parent: entry.traceparent, attributes }, work);
      emit({ ...event, isDispatched: true });
      return true;
    } catch (error) {
      emit({ ...event, isDispatched: false });
      const message = error instanceof Error ? error.message : String(error);
      const backoff = Math.min(longestBackoffMs, 100 * 2 ** Math.min(entry.attempts, 10));
      logger.warn(
        { workflow_id: entry.workflow_id, ...idFields(entry.subject_id), attempts: entry.attempts, err: error },
        'an outbox entry could not be dispatched to Temporal',
      );
      await postpone(sql, entry.id, backoff, message).catch(() => {});
      return false;
    }
  }

  const running = run();
  return {
    async close() {
      stopping.abort();
      stopListening();
      await running;
    },
  };
}

async function dispatchTo(temporal: Client, taskQueue: string, entry: ClaimedEntry): Promise<void> {
  const options = {
    taskQueue: entry.workflow_type === 'webhookDelivery' ? webhookTaskQueue(taskQueue) : taskQueue,
    workflowId: entry.workflow_id,
    args: [entry.subject_id],
    staticSummary: summaryOf(entry.workflow_type, entry.subject_id),
    workflowTaskTimeout,
    // A workflow that has ended may be needed again: its object was reopened, or restored from a back-up. A workflow
    // without work finds that in the database, and ends.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
  };
  try {
    if (entry.start && entry.signal !== null) {
      await temporal.workflow.signalWithStart(entry.workflow_type, { ...options, signal: entry.signal });
    } else if (entry.start) {
      await temporal.workflow.start(entry.workflow_type, options);
    } else if (entry.signal !== null) {
      await temporal.workflow.getHandle(entry.workflow_id).signal(entry.signal);
    }
  } catch (error) {
    // The workflow does not exist and need not.
    if (error instanceof WorkflowNotFoundError && !entry.start) return;
    throw error;
  }
}
