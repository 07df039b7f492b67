import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../lab/eventually.ts';
import { inParallel, range } from '../lab/parallel.ts';
import { makeActivePlan, makeDebtor, makePayer } from '../lab/payer.ts';
import type { Pool } from '../src/platform/postgres/connection.ts';
import type { Bench } from './bench.ts';

export const day = 86_400_000;
/** What all plans of the benchmarks have in common. */
export const planTerms = { recurring_amount_cents: 1500 };

/** How long to wait between two looks at a clock: what a client may add to an advance, at most. */
const pollMs = 5;
const restTimeoutMs = 30_000;

/** Payers and plans on one test clock. */
export interface Scene {
  customers: number;
  plansEach: number;
  frequency: 'weekly' | 'monthly';
  /** Days after the clock's time; at 0 the first payment is made by the activation, before anything is measured. */
  startsAfterDays?: number;
  /** The outcomes of each payment's attempts, in order (`_sandbox_outcome`); all succeed if not given. */
  outcomes?: string;
  /** Payers with a bank account under a mandate in the place of a card. */
  byDebit?: true;
}

export interface PlayedScene {
  clockId: string;
  /** The clock's time, moved by `advance`. */
  time: Date;
}

/** Midnight in January of a year to come: a start_date of the clock's own day is due at its own instant. */
const frozenTime = new Date('2031-01-06T00:00:00.000Z');

/** Makes a clock with its customers, methods and active plans, and waits until nothing of it is under way. */
export async function setUp({ client, sql }: Bench, scene: Scene): Promise<PlayedScene> {
  const { id: clockId } = await client.testClocks.create({ frozen_time: frozenTime.toISOString() });
  const metadata = scene.outcomes === undefined ? {} : { metadata: { _sandbox_outcome: scene.outcomes } };
  const start_date = dateOf(frozenTime.getTime() + (scene.startsAfterDays ?? 0) * day);
  const terms = { ...planTerms, frequency_type: scene.frequency, start_date, ...metadata };
  await inParallel(range(scene.customers), 3, async () => {
    const { customerId } = await (scene.byDebit ? makeDebtor : makePayer)(client, { test_clock: clockId });
    await inParallel(range(scene.plansEach), 4, () => makeActivePlan(client, { ...terms, customer_id: customerId }));
  });
  await untilAtRest(sql, clockId);
  return { clockId, time: frozenTime };
}

/** Advances the clock by so many days and returns the seconds from the POST to `ready`, as a client sees them. */
export async function advance({ client }: Bench, scene: PlayedScene, days: number): Promise<number> {
  scene.time = new Date(scene.time.getTime() + days * day);
  const begun = performance.now();
  await client.testClocks.advance(scene.clockId, { frozen_time: scene.time.toISOString() });
  for (;;) {
    const clock = await client.testClocks.get(scene.clockId);
    if (clock.status === 'ready') return (performance.now() - begun) / 1000;
    if (clock.status !== 'advancing')
      throw new Error(`clock ${scene.clockId} is ${clock.status}: ${clock.failure_reason}`);
    await pause(pollMs);
  }
}

/**
 * The attempts that were made on a clock's plans, by their outcome. Unless there are so many, the measurement is void.
 */
export async function expectAttempts(
  sql: Pool,
  { clockId }: PlayedScene,
  { underWay = 0, ...expected }: { succeeded: number; failed: number; underWay?: number },
): Promise<void> {
  const [counts] = await sql<{ succeeded: number; failed: number; others: number }[]>`
    select count(*) filter (where a.outcome = 'succeeded')::integer as succeeded,
      count(*) filter (where a.outcome = 'failed')::integer as failed,
      count(*) filter (where a.outcome not in ('succeeded', 'failed'))::integer as others
    from customers c
    join payment_intents i on i.customer_id = c.id
    join payment_attempts a on a.payment_intent_id = i.id
    where c.test_clock_id = ${clockId}`;
  const matches =
    counts?.succeeded === expected.succeeded && counts.failed === expected.failed && counts.others === underWay;
  if (matches) return;
  throw new Error(`clock ${clockId}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(counts)}`);
}

/** Deletes the clock and all that is on it, and lets its workflows end before something else is measured. */
export async function tearDown({ client, sql }: Bench, { clockId }: PlayedScene): Promise<void> {
  await client.testClocks.delete(clockId);
  await untilAtRest(sql, clockId);
}

/** The date of an instant, in UTC. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** The outbox is empty, and what is due on the clock is done. A moment more, for workflows to come to rest. */
async function untilAtRest(sql: Pool, clockId: string): Promise<void> {
  const isAtRest = async () => {
    const [left] = await sql<{ count: number }[]>`
      select (select count(*) from workflow_intents)::integer + (
        select count(*) from payment_plans p join test_clocks k on k.id = p.test_clock_id
        where k.id = ${clockId} and p.wake_at <= k.frozen_time
      )::integer as count`;
    return left?.count === 0;
  };
  await eventually(`clock ${clockId} has come to rest`, isAtRest, { timeoutMs: restTimeoutMs, everyMs: 20 });
  await pause(100);
}
