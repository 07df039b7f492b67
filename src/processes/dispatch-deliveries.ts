import { type ClaimedDelivery, claimDeliveries, endpointKeyOf } from '../db/webhook-batches.ts';
import { commonOf, deliveryAttributes } from '../messages/search-attributes.ts';
import { batchIdOf } from '../messages/workflow-types.ts';
import type { WorkflowSide } from '../operations/sides/workflow-sides.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { pass } from '../services/crash-points.ts';
import type { EntryDispatch } from './dispatch-entries.ts';

/** How many workflows are started at once. */
const startsAtOnce = 50;

/**
 * How long the next deliveries to an endpoint wait at most for those under way. A receiver that responds promptly takes
 * less. If no worker runs, deliveries still go to Temporal.
 */
const longestWaitMs = 5_000;

/** The same after a batch to several endpoints: one that begins to hang is known to do so after a second. */
const longestSharedWaitMs = 1_500;

/** Deliveries that start one workflow. */
type Group = readonly [ClaimedDelivery, ...ClaimedDelivery[]];

/** The lane of the deliveries. */
export interface DeliveryLane {
  /** Dispatches what is there. Returns whether there may be more. */
  run(): Promise<boolean>;
  close(): void;
}

/**
 * Dispatches the deliveries of a side. Those of one biller that are due together start one batch, if their endpoints
 * respond promptly. Then the next ones wait for it to end, here in this process: so a batch grows with the work, and a
 * single delivery waits for nothing. `onFree` is called when endpoints may get the next ones.
 */
export function openDeliveryLane(
  sql: Pool,
  side: WorkflowSide,
  { dispatch, claimMs, onFree }: { dispatch: EntryDispatch; claimMs: number; onFree: () => void },
): DeliveryLane {
  /** The keys of the endpoints that deliveries are under way to. */
  const busy = new Set<string>();
  const closing = new AbortController();
  /** The endpoints up to this key have had their turn in the present round. */
  let after = '';
  /** Whether an earlier claim of this round may have left something behind. */
  let isLeft = false;

  async function run(): Promise<boolean> {
    const claim = await claimDeliveries(sql, claimMs, { livemode: side.livemode, busy: [...busy], after });
    if (claim.entries.length > 0) pass('outbox claimed');
    const groups = groupsOf(claim.entries);
    for (let from = 0; from < groups.length; from += startsAtOnce) {
      const some = groups.slice(from, from + startsAtOnce);
      const isStarted = await Promise.all(some.map(start));
      await dispatch.remove(some.filter((_, index) => isStarted[index]).flat());
    }
    const isRoundOver = claim.lastKey === null;
    const isMore = !isRoundOver || isLeft;
    isLeft = !isRoundOver && (isLeft || groups.length > 0);
    after = claim.lastKey ?? '';
    return isMore;
  }

  async function start(group: Group): Promise<boolean> {
    const [first] = group;
    const abouts = group.flatMap(({ about }) => about ?? []);
    const [about, ...others] = abouts;
    const attributes = about === undefined ? [] : deliveryAttributes(commonOf([about, ...others]));
    const keys = first.may_travel ? new Set(group.map((entry) => endpointKeyOf(entry.subject_id))) : [];
    for (const key of keys) busy.add(key);
    const isStarted = await (group.length === 1
      ? dispatch.one(first, first.start ? attributes : [])
      : dispatch.together(group, attributes));
    const workflowId = group.length === 1 ? first.workflow_id : batchIdOf(first.subject_id);
    if (first.may_travel) void untilEnded(workflowId, [...keys]);
    return isStarted;
  }

  async function untilEnded(workflowId: string, keys: readonly string[]): Promise<void> {
    const longestMs = keys.length === 1 ? longestWaitMs : longestSharedWaitMs;
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(longestMs)]);
    const { temporal } = side;
    await temporal.withAbortSignal(signal, () => temporal.workflow.getHandle(workflowId).result()).catch(() => {});
    for (const key of keys) busy.delete(key);
    onFree();
  }

  return { run, close: () => closing.abort() };
}

/** Puts the deliveries that may travel together into one group for each biller, and every other one into its own. */
function groupsOf(entries: readonly ClaimedDelivery[]): Group[] {
  const alone: Group[] = [];
  const together = new Map<string, [ClaimedDelivery, ...ClaimedDelivery[]]>();
  for (const entry of entries) {
    const owner = entry.may_travel && entry.about ? `${entry.about.billerId}/${entry.about.livemode}` : undefined;
    const others = owner === undefined ? undefined : together.get(owner);
    if (owner === undefined) alone.push([entry]);
    else if (others === undefined) together.set(owner, [entry]);
    else others.push(entry);
  }
  return [...together.values(), ...alone];
}
