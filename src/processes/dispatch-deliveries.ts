import { setTimeout as pause } from 'node:timers/promises';
import { type ClaimedDelivery, claimDeliveries, listWaitingBatches, type WaitingBatch } from '../db/webhook-batches.ts';
import { deliveryAttributes } from '../messages/search-attributes.ts';
import type { WorkflowSide } from '../operations/sides/workflow-sides.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { pass } from '../services/crash-points.ts';
import type { EntryDispatch } from './dispatch-entries.ts';

/** How many workflows are started at once. */
const startsAtOnce = 50;

/** How long to wait at most for the end of a batch. Then its start is tried again, and refused if it runs. */
const longestWaitMs = 60_000;

/** The lane of the deliveries. */
export interface DeliveryLane {
  /** Dispatches what is there. Returns whether there may be more. */
  run(): Promise<boolean>;
  /** Whether a batch runs, as far as this process knows. When it has ended, what is left for it is dispatched. */
  isUnderWay(batchId: string): boolean;
  close(): void;
}

/**
 * Dispatches the deliveries of a side. Those with workflows of their own are claimed, as all entries are. Those that a
 * batch takes are left to it: this only sees that one runs for each biller and mode as long as there are any. `onFree`
 * is called when a batch has ended, and the next one may be needed.
 */
export function openDeliveryLane(
  sql: Pool,
  side: WorkflowSide,
  { dispatch, claimMs, onFree }: { dispatch: EntryDispatch; claimMs: number; onFree: () => void },
): DeliveryLane {
  /** The workflow ids of the batches that run, as far as this process knows, or whose start has just failed. */
  const underWay = new Set<string>();
  const closing = new AbortController();
  /** The endpoints up to this key have had their turn in the present round. */
  let after = '';
  /** Whether an earlier claim of this round may have left something behind. */
  let isLeft = false;

  async function run(): Promise<boolean> {
    const { livemode } = side;
    const [batches, claim] = await Promise.all([
      listWaitingBatches(sql, { livemode, underWay: [...underWay] }),
      claimDeliveries(sql, claimMs, { livemode, after }),
    ]);
    for (const batch of batches) void carryOut(batch);
    const { entries, lastKey } = claim;
    if (entries.length > 0) pass('outbox claimed');
    for (let from = 0; from < entries.length; from += startsAtOnce) {
      const some = entries.slice(from, from + startsAtOnce);
      const isStarted = await Promise.all(some.map(start));
      await dispatch.remove(some.filter((_, index) => isStarted[index]));
    }
    const isRoundOver = lastKey === null;
    const isMore = !isRoundOver || isLeft;
    isLeft = !isRoundOver && (isLeft || entries.length > 0);
    after = lastKey ?? '';
    return isMore;
  }

  function start(entry: ClaimedDelivery): Promise<boolean> {
    return dispatch.one(entry, entry.start && entry.about !== null ? deliveryAttributes(entry.about) : []);
  }

  /** Starts a batch, unless it runs, and waits for its end. If the start fails, waits before the next try. */
  async function carryOut(batch: WaitingBatch): Promise<void> {
    const { workflow_id: workflowId } = batch;
    underWay.add(workflowId);
    const failedFor = await dispatch.batch(batch);
    const waitMs = failedFor ?? longestWaitMs;
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(waitMs)]);
    const { temporal } = side;
    await (failedFor === null
      ? temporal.withAbortSignal(signal, () => temporal.workflow.getHandle(workflowId).result())
      : pause(waitMs, undefined, { signal })
    ).catch(() => {});
    underWay.delete(workflowId);
    onFree();
  }

  return { run, isUnderWay: (batchId) => underWay.has(batchId), close: () => closing.abort() };
}
