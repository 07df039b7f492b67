import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentsClient } from '@payments-service/client';
import type { Client as Temporal } from '@temporalio/client';
import { fallsDueAt } from '../lab/due-dates.ts';
import { eventually } from '../lab/eventually.ts';
import { inParallel, range } from '../lab/parallel.ts';
import { type Mode, makeActivePlan, makePayer } from '../lab/payer.ts';
import { signals } from '../src/messages/signals.ts';
import { type WorkflowType, workflowIdOf } from '../src/messages/workflow-types.ts';
import type { Pool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import { dateOf, day, planTerms } from './scenery.ts';

/** The least time before the instant at which all timers have to be there. */
const marginMs = 300;
/** How often the server is asked how many have their timer. */
const pollMs = (count: number) => Math.max(100, count / 20);

/** Plans in real time that are alike, of one mode, and how often each of them has fallen due so far. */
export interface LivePlans {
  mode: Mode;
  ids: string[];
  charges: number;
}

/**
 * Makes active weekly plans, each of a customer with a card, whose first payment is a week ahead, and waits until the
 * workflow of each has its timer: their start no longer delays what is measured.
 */
export async function makeLivePlans(
  client: PaymentsClient,
  temporal: Temporal,
  count: number,
  mode: Mode = 'sandbox',
): Promise<LivePlans> {
  const terms = { ...planTerms, start_date: dateOf(realNow().getTime() + 7 * day) };
  const ids = await inParallel(range(count), 12, async () => {
    const { customerId } = await makePayer(client, {}, mode);
    return makeActivePlan(client, { ...terms, customer_id: customerId });
  });
  const ofMode = `WorkflowType = 'paymentPlan' and ExecutionStatus = 'Running' and Livemode = ${mode === 'live'}`;
  const query = `${ofMode} and NextDueAt > '${realNow().toISOString()}'`;
  const areWaiting = async () => (await temporal.workflow.count(query)).count >= count;
  await eventually('all plans wait', areWaiting, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: pollMs(count) });
  return { mode, ids, charges: 0 };
}

/**
 * Makes the plans due at an instant that is so far ahead, and waits until their workflows have a timer for it.
 * `preparedMs` is what that took. If not `areSet`, the instant came first.
 */
export async function setTimers(sql: Pool, temporal: Temporal, ids: readonly string[], leadMs: number) {
  const begun = performance.now();
  // Whole seconds, so that two rounds never share the span by which the server is asked.
  const dueAt = new Date(Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000);
  await sql`update payment_plans set ${fallsDueAt(sql, dueAt)} where id = any(${[...ids]}::text[])`;
  const areSet = await pokeAll(temporal, 'paymentPlan', ids, dueAt);
  return { dueAt, preparedMs: performance.now() - begun, areSet };
}

/** Makes workflows look again. Returns whether, before the instant, the server knows that all of them wait for it. */
export async function pokeAll(
  temporal: Temporal,
  workflowType: WorkflowType,
  ids: readonly string[],
  dueAt: Date,
): Promise<boolean> {
  await inParallel(ids, 40, (id) => temporal.workflow.getHandle(workflowIdOf(workflowType, id)).signal(signals.poke));
  // A span, because SQLite's visibility finds nothing by equality of instants.
  const [from, to] = [-500, 500].map((ms) => new Date(dueAt.getTime() + ms).toISOString());
  const query = `WorkflowType = '${workflowType}' and ExecutionStatus = 'Running' and NextDueAt between '${from}' and '${to}'`;
  while (realNow().getTime() < dueAt.getTime() - marginMs) {
    if ((await temporal.workflow.count(query)).count >= ids.length) return true;
    await pause(pollMs(ids.length));
  }
  return false;
}

/**
 * The number of the biller's last event in this mode: each charge of a plan adds one, so its growth counts them at the
 * cost of one row.
 */
export async function lastEvent(sql: Pool, mode: Mode = 'sandbox'): Promise<number> {
  const [row] = await sql<{ last: number }[]>`
    select coalesce(max(last_sequence), 0) as last from event_sequences where livemode = ${mode === 'live'}`;
  return row?.last ?? 0;
}

/** @throws Error unless each plan has exactly so many payments: paid slots, intents that succeeded, and attempts */
export async function expectPayments(sql: Pool, expected: ReadonlyMap<string, number>): Promise<void> {
  const amount = planTerms.recurring_amount_cents;
  const rows = await sql<Record<string, number> & { id: string }[]>`
    select p.id, p.collected_amount_cents / ${amount}::numeric as collected, count(distinct i.id)::integer as intents,
      count(distinct i.id) filter (where i.status = 'succeeded')::integer as succeeded, count(a.id)::integer as attempts,
      (select count(*)::integer from payment_plan_slots s where s.payment_plan_id = p.id and s.status = 'paid') as paid
    from payment_plans p
    left join payment_intents i on i.payment_plan_id = p.id
    left join payment_attempts a on a.payment_intent_id = i.id
    where p.id = any(${[...expected.keys()]}::text[])
    group by p.id`;
  const wrong = rows.filter(({ id, ...counts }) => Object.values(counts).some((n) => Number(n) !== expected.get(id)));
  if (rows.length === expected.size && wrong.length === 0) return;
  throw new Error(
    `${wrong.length} of ${rows.length} plans were not charged once each time: ${JSON.stringify(wrong[0])}`,
  );
}

/** The intents of the plans. @throws Error unless each plan was charged once for each time that it fell due */
export async function expectChargedOnce(sql: Pool, { ids, charges }: LivePlans): Promise<string[]> {
  await expectPayments(sql, new Map(ids.map((id) => [id, charges])));
  const intents = await sql<{ id: string }[]>`
    select id from payment_intents where payment_plan_id = any(${ids}::text[])`;
  return intents.map(({ id }) => id);
}
