import { setTimeout as pause } from 'node:timers/promises';
import { findMismatches } from '../src/operations/reconciler/reconciler.ts';
import { realNow } from '../src/platform/real-time.ts';
import type { World } from './load/world.ts';
import type { FaultReceiver } from './receiver.ts';

const lookAgainMs = 500;
/** A replay wakes every pending delivery, so it is asked for only if that helps, and seldom. */
const firstReplayMs = 6_000;
const replayEveryMs = 30_000;
const logEveryMs = 15_000;

/** What the run did, as a biller, to get the last deliveries through. */
export interface Replays {
  requests: number;
  enqueued: number;
}

/**
 * Waits until nothing is under way. Deliveries that a receiver has refused would wait for minutes: their
 * biller replays them. Returns what is left when the time is over: nothing, if all is well.
 */
export async function settle(
  world: World,
  receiver: FaultReceiver,
  giveUpAt: number,
  log: (line: string) => void,
): Promise<{ stuck: string[]; replays: Replays }> {
  const replays: Replays = { requests: 0, enqueued: 0 };
  receiver.calmDown();
  receiver.open();
  let stuck: string[] = [];
  let agreed = 0;
  let loggedAt = performance.now();
  let replayedAt = performance.now() - replayEveryMs + firstReplayMs;
  for (;;) {
    if (performance.now() - replayedAt > replayEveryMs && (await waitsForLong(world))) {
      await replayRefused(world, replays);
      replayedAt = performance.now();
    }
    stuck = await underWay(world);
    if (performance.now() - loggedAt > logEveryMs && stuck.length > 0) {
      log(`still under way: ${stuck.slice(0, 5).join('; ')}`);
      loggedAt = performance.now();
    }
    // What Temporal lists runs a little behind: two looks have to find nothing.
    agreed = stuck.length === 0 ? agreed + 1 : 0;
    if (agreed === 2 || performance.now() > giveUpAt) return { stuck, replays };
    await pause(lookAgainMs);
  }
}

/** Whether a delivery was refused, and has its next attempt minutes ahead. */
async function waitsForLong({ cluster }: World): Promise<boolean> {
  const [row] = await cluster.sql<{ waits: boolean }[]>`
    select exists (
      select from webhook_deliveries
      where status = 'failed' or (status = 'pending' and next_attempt_at > now() + interval '20 seconds')
    ) as waits`;
  return row?.waits ?? false;
}

async function replayRefused({ accounts }: World, replays: Replays): Promise<void> {
  for (const { client, endpoints } of Object.values(accounts)) {
    for (const { id } of endpoints) {
      // Events that a process with a clock ahead recorded are included.
      const until = new Date(realNow().getTime() + 2 * 3_600_000).toISOString();
      const { enqueued } = await client.webhookEndpoints.replayDeliveries(id, { since: '2020-01-01T00:00:00Z', until });
      replays.requests += 1;
      replays.enqueued += enqueued;
    }
  }
}

/** Everything that is still under way, in words. */
async function underWay(world: World): Promise<string[]> {
  const { cluster, deleted } = world;
  const { sql } = cluster;
  /** A debit on a clock waits for the next advance, of which there may be none. */
  const isNotAtABank = (intentId: string) => sql`
    not exists (select from bank_debits where payment_intent_id = ${sql(intentId)} and next_at is not null)`;
  const [counts] = await sql<Record<string, number>[]>`
    select
      (select count(*)::integer from workflow_intents) as "outbox entries that are not dispatched",
      (select count(*)::integer from payment_attempts where outcome = 'processing') as "attempts without an outcome",
      (select count(*)::integer from refunds where status = 'processing') as "refunds without an outcome",
      (select count(*)::integer from payment_intents i where status = 'processing' and ${isNotAtABank('i.id')})
        as "payment intents in processing",
      (select count(*)::integer from payment_plan_slots s where status = 'processing' and ${isNotAtABank('s.payment_intent_id')})
        as "slots in processing",
      (select count(*)::integer from payment_plans where test_clock_id is null and wake_at <= now()) as "plans in real time that are due",
      (select count(*)::integer from payment_intents
        where scheduled_at <= now() and status = 'requires_payment_method') as "scheduled payments that are due",
      (select count(*)::integer from checkout_sessions where status = 'processing') as "sessions in processing",
      (select count(*)::integer from payment_links where test_clock_id is null and wake_at <= now()) as "links that are overdue",
      (select count(*)::integer from subscriptions where test_clock_id is null and wake_at <= now()) as "subscriptions that are due",
      (select count(*)::integer from test_clocks where status not in ('created', 'ready')) as "clocks that are not ready",
      (select count(*)::integer from webhook_deliveries where status = 'pending') as "deliveries that are pending",
      (select count(*)::integer from webhook_deliveries where status = 'failed') as "deliveries that have failed"`;
  const left = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  if (left.length > 0) return [...left.map(([what, count]) => `${count} ${what}`), ...(await waitingDeliveries(world))];
  const mismatches = await findMismatches(sql, cluster.side);
  return mismatches
    .filter(({ subjectId }) => !deleted.has(subjectId))
    .map(({ workflowType, subjectId, problem, detail }) => `${workflowType} ${subjectId} is ${problem}: ${detail}`);
}

/** The deliveries that are pending, by endpoint: how often they were attempted, and when the next attempt is due. */
async function waitingDeliveries({ cluster }: World): Promise<string[]> {
  const rows = await cluster.sql<{ what: string }[]>`
    select format('%s to %s, attempted %s times, the next attempts in %s to %s s', count(*), endpoint_id, attempt_count,
      coalesce(min(extract(epoch from next_attempt_at - now())::integer), 0),
      coalesce(max(extract(epoch from next_attempt_at - now())::integer), 0)) as what
    from webhook_deliveries where status = 'pending'
    group by endpoint_id, attempt_count order by count(*) desc`;
  return rows.map(({ what }) => what);
}
