import { workflowTypes } from '../messages/workflow-types.ts';
import type { WorkflowSide } from '../operations/sides/workflow-sides.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { claimBatch, type Lane, lanes, onEntriesCommitted } from '../platform/postgres/outbox.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import { pass } from '../services/crash-points.ts';
import { openDeliveryLane } from './dispatch-deliveries.ts';
import { openEntryDispatch } from './dispatch-entries.ts';

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

export interface Dispatcher {
  /** Stops claiming and waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Dispatches the outbox entries of a side: starts and signals the workflows that committed transactions ask for. Each
 * entry is dispatched at least once. A repetition changes nothing: a workflow's id comes from its object, and it reads
 * its work from the database. Any number of dispatchers may run side by side. Each side has its own, so a Temporal that
 * is away holds up no entries of another. Each lane is dispatched separately, so thousands of deliveries hold up no
 * payment. An entry of a type that this version does not know is left to one that does.
 */
export function startDispatcher(sql: Pool, side: WorkflowSide, logger: Logger): Dispatcher {
  const dispatch = openEntryDispatch(sql, side, logger);
  let deliveriesAreFree = (): void => {};
  const onFree = () => deliveriesAreFree();
  const deliveryLane = openDeliveryLane(sql, side, { dispatch, claimMs, onFree });

  const runs: Record<Lane, () => Promise<boolean>> = { subjects: dispatchSubjects, deliveries: deliveryLane.run };

  async function dispatchSubjects(): Promise<boolean> {
    const { livemode } = side;
    const entries = await claimBatch(sql, { limit: batchSize, claimMs, livemode, types: workflowTypes });
    if (entries.length > 0) pass('outbox claimed');
    const results = await Promise.all(entries.map((entry) => dispatch.one(entry)));
    await dispatch.remove(entries.filter((_, index) => results[index]));
    return entries.length === batchSize;
  }

  const closings = lanes.map((lane) => {
    const dispatching: Repetition = repeat(async () => ((await runs[lane]()) ? 0 : pollMs), {
      everyMs: pollMs,
      onError: (err) => logger.warn({ err }, 'outbox: entries could not be read; trying again'),
    });
    const stopListening = onEntriesCommitted(lane, (batchId) => {
      if (batchId === null || !deliveryLane.isUnderWay(batchId)) dispatching.wake();
    });
    if (lane === 'deliveries') deliveriesAreFree = dispatching.wake;
    return () => {
      stopListening();
      return dispatching.close();
    };
  });
  return {
    async close() {
      await Promise.all(closings.map((close) => close()));
      deliveryLane.close();
    },
  };
}
