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
    const intents = await claimBatch(sql, batchSize, claimMs);
    if (intents.length > 0) pass('intents claimed');
    const results = await Promise.all(intents.map((intent) => dispatch(intent)));
    const done = intents.filter((_, index) => results[index]).map(({ id }) => id);
    if (done.length === 0) return intents.length;
    pass('intents told');
    // One line for the whole batch: a line takes part of a millisecond, and every payment adds entries.
    log.info(
      { workflow_ids: intents.flatMap((intent, index) => (results[index] ? intent.workflow_id : [])) },
      'told Temporal',
    );
    await deleteDispatched(sql, done);
    return intents.length;
  }

  /** Returns whether the entry was dispatched. If not, it waits for its next try. */
  async function dispatch(intent: ClaimedEntry): Promise<boolean> {
    const told = { kind: 'intent told', workflowType: intent.workflow_type, madeAt: intent.created_at } as const;
    try {
      const attributes = { workflow_id: intent.workflow_id, ...idFields(intent.subject_id) };
      const carryOut = () => tell(temporal, taskQueue, intent);
      await traced('carry out workflow intent', { parent: intent.traceparent, attributes }, carryOut);
      emit({ ...told, isDispatched: true });
      return true;
    } catch (error) {
      emit({ ...told, isDispatched: false });
      const message = error instanceof Error ? error.message : String(error);
      const backoff = Math.min(longestBackoffMs, 100 * 2 ** Math.min(intent.attempts, 10));
      logger.warn(
        { workflow_id: intent.workflow_id, ...idFields(intent.subject_id), attempts: intent.attempts, err: error },
        'Temporal could not be told',
      );
      await postpone(sql, intent.id, backoff, message).catch(() => {});
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

async function tell(temporal: Client, taskQueue: string, intent: ClaimedEntry): Promise<void> {
  const options = {
    taskQueue: intent.workflow_type === 'webhookDelivery' ? webhookTaskQueue(taskQueue) : taskQueue,
    workflowId: intent.workflow_id,
    args: [intent.subject_id],
    staticSummary: summaryOf(intent.workflow_type, intent.subject_id),
    workflowTaskTimeout,
    // A workflow that has ended may be needed again: its object was reopened, or restored from a back-up. A workflow
    // without work finds that in the database, and ends.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
  };
  try {
    if (intent.start && intent.signal !== null) {
      await temporal.workflow.signalWithStart(intent.workflow_type, { ...options, signal: intent.signal });
    } else if (intent.start) {
      await temporal.workflow.start(intent.workflow_type, options);
    } else if (intent.signal !== null) {
      await temporal.workflow.getHandle(intent.workflow_id).signal(intent.signal);
    }
  } catch (error) {
    // The workflow does not exist and need not.
    if (error instanceof WorkflowNotFoundError && !intent.start) return;
    throw error;
  }
}
