import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../src/platform/postgres/connection.ts';
import { type Bench, inParallel, range } from './bench.ts';
import { type Client, stringIn } from './client.ts';

export const day = 86_400_000;

/** How long to wait between two looks at a clock: what a client may add to an advance, at most. */
const pollMs = 5;
const settleTimeoutMs = 30_000;

/** Payers and plans on one test clock. */
export interface Scene {
  customers: number;
  plansEach: number;
  frequency: 'weekly' | 'monthly';
  /** Days after the clock's time; at 0 the first payment is made by the activation, before anything is measured. */
  startsAfterDays?: number;
  /** The outcomes of each payment's attempts, in order (`_sandbox_outcome`); all succeed if not given. */
  outcomes?: string;
}

export interface PlayedScene {
  clockId: string;
  /** The clock's time, moved by `advance`. */
  time: Date;
}

/** Midnight in January of a year to come: a start_date of the clock's own day is due at its own instant. */
const frozenTime = new Date('2031-01-06T00:00:00.000Z');

/** Makes a clock with its customers, methods and active plans, and waits until nothing of it is under way any more. */
export async function setUp({ client, sql }: Bench, scene: Scene): Promise<PlayedScene> {
  const clock = await client.post('/test_helpers/test_clocks', { frozen_time: frozenTime.toISOString() });
  const clockId = stringIn(clock, 'id');
  const startDate = dateOf(frozenTime.getTime() + (scene.startsAfterDays ?? 0) * day);
  await inParallel(range(scene.customers), 3, async () => {
    const customerId = await makePayer(client, { test_clock: clockId });
    await inParallel(range(scene.plansEach), 4, async () => {
      const metadata = scene.outcomes === undefined ? {} : { metadata: { _sandbox_outcome: scene.outcomes } };
      await makeActivePlan(client, customerId, { frequency_type: scene.frequency, start_date: startDate, ...metadata });
    });
  });
  await untilSettled(sql, clockId);
  return { clockId, time: frozenTime };
}

/** A customer with a card that succeeds; answers the id. */
export async function makePayer(client: Client, extra: object = {}): Promise<string> {
  const customerId = stringIn(await client.post('/customers', { name: 'Ada Example', ...extra }), 'id');
  await client.post('/payment_methods', {
    type: 'card',
    customer_reference: customerId,
    payment_method_data: {
      expiry_month: 12,
      expiry_year: 2040,
      token_metadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
    },
  });
  return customerId;
}

/** An open-ended plan, activated; answers the id. */
export async function makeActivePlan(
  client: Client,
  customerId: string,
  terms: { frequency_type: 'weekly' | 'monthly'; start_date: string; name?: string; metadata?: object },
): Promise<string> {
  const plan = await client.post('/payment_plans', {
    customer_id: customerId,
    name: 'Membership',
    recurring_amount_cents: 1500,
    until_further_notice: true,
    currency: 'AUD',
    ...terms,
  });
  const id = stringIn(plan, 'id');
  await client.post(`/payment_plans/${id}/activate`);
  return id;
}

/** Advances the clock by so many days and answers the seconds from the POST to `ready`, as a client sees them. */
export async function advance({ client }: Bench, scene: PlayedScene, days: number): Promise<number> {
  scene.time = new Date(scene.time.getTime() + days * day);
  const begun = performance.now();
  await client.post(`/test_helpers/test_clocks/${scene.clockId}/advance`, { frozen_time: scene.time.toISOString() });
  for (;;) {
    const clock = await client.get(`/test_helpers/test_clocks/${scene.clockId}`);
    if (clock.status === 'ready') return (performance.now() - begun) / 1000;
    if (clock.status !== 'advancing')
      throw new Error(`clock ${scene.clockId} is ${clock.status}: ${clock.failure_reason}`);
    await pause(pollMs);
  }
}

/** The attempts that were made on a clock's plans, by their outcome. Unless there are so many, the measurement is void. */
export async function expectAttempts(
  sql: Pool,
  { clockId }: PlayedScene,
  expected: { succeeded: number; failed: number },
): Promise<void> {
  const [found] = await sql<{ succeeded: number; failed: number; others: number }[]>`
    select count(*) filter (where a.outcome = 'succeeded')::integer as succeeded,
      count(*) filter (where a.outcome = 'failed')::integer as failed,
      count(*) filter (where a.outcome not in ('succeeded', 'failed'))::integer as others
    from customers c
    join payment_intents i on i.customer_id = c.id
    join payment_attempts a on a.payment_intent_id = i.id
    where c.test_clock_id = ${clockId}`;
  const matches = found?.succeeded === expected.succeeded && found.failed === expected.failed && found.others === 0;
  if (matches) return;
  throw new Error(`clock ${clockId}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

/** Deletes the clock and all that is on it, and lets its workflows end before something else is measured. */
export async function tearDown({ client, sql }: Bench, { clockId }: PlayedScene): Promise<void> {
  await client.delete(`/test_helpers/test_clocks/${clockId}`);
  await untilSettled(sql, clockId);
}

/** The date of an instant, in UTC. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Temporal has been told everything, and what is due on the clock is done. A moment more, for workflows to come to rest. */
async function untilSettled(sql: Pool, clockId: string): Promise<void> {
  const giveUpAt = performance.now() + settleTimeoutMs;
  for (;;) {
    const [left] = await sql<{ count: number }[]>`
      select (select count(*) from workflow_intents)::integer + (
        select count(*) from payment_plans p join test_clocks k on k.id = p.test_clock_id
        where k.id = ${clockId} and p.wake_at <= k.frozen_time
      )::integer as count`;
    if (left?.count === 0) break;
    if (performance.now() > giveUpAt) throw new Error(`clock ${clockId} has not come to rest`);
    await pause(20);
  }
  await pause(100);
}
