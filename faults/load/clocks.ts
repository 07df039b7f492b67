import { Checks, checkPlan, type Tracked } from '../../demo/checks.ts';
import { unlessRefused } from '../../lab/client.ts';
import { eventually } from '../../lab/eventually.ts';
import { day } from '../../lab/model/calendar.ts';
import * as rules from '../../lab/model/plans.ts';
import { makePlan, saveCard, tokens } from '../../lab/payer.ts';
import type { Chance } from '../../lab/random.ts';
import { type Account, type Actor, type Claim, keepDoing, type World } from './world.ts';

/** A test clock with the plans of its customers, each with what the rules say about it. */
interface Life {
  clockId: string;
  now: number;
  plans: PlanOnClock[];
}

interface PlanOnClock extends Tracked {
  /** The amount of its payments, and that of a last one that is cut to what remains. */
  amounts: { whole: number; rest: number | null };
}

/** Also read by the judge of events, after the clocks are deleted. */
export interface ClockHistory {
  account: Account;
  plans: PlanOnClock[];
}

const lives = { fewest: 6, most: 14 };
const restMs = 50;
const forEver = { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 80 };

/**
 * Lives on a test clock: customers with plans of all kinds, moved by one advance after the other. At each `ready` all
 * that was due has to be there, as an independent calculation of the calendar has it; some clocks are deleted at the
 * end.
 */
export function clockKeeper(account: (world: World) => Account, number: number, histories: ClockHistory[]): Actor {
  return async (world) => {
    const owner = account(world);
    const name = `clock ${number} of ${owner.name}`;
    const chance = world.chance.fork(name);
    const checks = new Checks((difference) => world.surprises.push({ promise: 'P8', what: `${name}: ${difference}` }));
    await keepDoing(world, name, restMs, async () => {
      const life = await begin(world, owner, chance);
      histories.push({ account: owner, plans: life.plans });
      for (let steps = chance.between(lives.fewest, lives.most); steps > 0 && !world.isStopping; steps -= 1) {
        await step(owner, life, checks, chance);
      }
      if (!world.isStopping) await end(world, owner, life);
    });
  };
}

async function begin(world: World, { client }: Account, chance: Chance): Promise<Life> {
  const start = Date.UTC(2027, chance.below(24), chance.between(1, 28), 9);
  const clock = await client.testClocks.create({ frozen_time: new Date(start).toISOString() });
  const life: Life = { clockId: clock.id, now: start, plans: [] };
  world.claims.push(() => life.plans.flatMap((plan) => claimsOf(plan, world.deleted.has(life.clockId))));
  for (let customers = chance.between(1, 3); customers > 0; customers -= 1) {
    life.plans.push(await enrol(world, client, life, chance));
  }
  for (const plan of life.plans) {
    await client.paymentPlans.activate(plan.planId);
    rules.activate(plan.course);
    await untilCollected(client, plan);
  }
  return life;
}

async function enrol(world: World, client: Account['client'], life: Life, chance: Chance): Promise<PlanOnClock> {
  const { id: customerId } = await client.customers.create({ name: 'Mary Example', test_clock: life.clockId });
  const card: rules.Card = chance.happens(0.25) ? 'declining' : 'good';
  const cards = { good: null, declining: null, [card]: await saveCard(client, customerId, tokens[card]) };
  const whole = world.nextAmount('plan');
  const rest = chance.happens(0.4) ? world.nextAmount('payment') : null;
  const terms: rules.Terms = {
    every: chance.pick(['week', 'month']),
    period: chance.between(1, 2),
    start: new Date(life.now + chance.between(0, 9) * day).toISOString().slice(0, 10),
    amount: whole,
    total: rest === null ? null : whole * chance.between(1, 6) + rest,
  };
  const { id: planId } = await makePlan(client, {
    customer_id: customerId,
    frequency_type: terms.every === 'week' ? 'weekly' : 'monthly',
    frequency_period: terms.period,
    recurring_amount_cents: whole,
    ...(terms.total === null ? {} : { total_amount_cents: terms.total }),
    start_date: terms.start,
    failure_behaviour: 'retry',
  });
  const course = rules.newCourse(terms, card, life.now);
  return { label: planId, customerId, planId, cards, course, amounts: { whole, rest } };
}

/** One advance, the comparison with the rules at its `ready`, and a new card for each suspended plan. */
async function step(account: Account, life: Life, checks: Checks, chance: Chance): Promise<void> {
  const { client, impatient } = account;
  const { clockId } = life;
  const courses = life.plans.map(({ course }) => course);
  const bound = rules.advanceBound(life.now, courses);
  const to = chance.happens(0.6) ? bound : life.now + chance.between(1, (bound - life.now) / day) * day;
  const target = new Date(to).toISOString();
  await (chance.happens(0.1) ? impatient : client).testClocks.advance(clockId, { frozen_time: target });
  for (const plan of life.plans) inMotion.add(plan);
  const manifest = rules.advance(courses, to);
  const clock = await eventually(`${clockId} has stopped`, () => notAdvancing(client, clockId), forEver);
  for (const plan of life.plans) inMotion.delete(plan);
  life.now = to;
  checks.members(`${clockId} to ${target}`, clock, { status: 'ready', frozen_time: target });
  checks.equal(`manifest of ${clockId} at ${target}`, clock.last_advance?.effects_manifest ?? null, manifest);
  await Promise.all(life.plans.map((plan) => checkPlan(checks, client, plan)));
  for (const plan of life.plans.filter(({ course }) => course.state === 'suspended')) await rescue(client, plan);
}

/** A card that works, and the plan goes on. */
async function rescue(client: Account['client'], plan: PlanOnClock): Promise<void> {
  plan.cards.good = await saveCard(client, plan.customerId);
  plan.course.card = 'good';
  await client.paymentPlans.update(plan.planId, { payment_instrument_id: plan.cards.good });
  inMotion.add(plan);
  await client.paymentPlans.resume(plan.planId);
  rules.resume(plan.course);
  await untilCollected(client, plan);
  inMotion.delete(plan);
}

async function end(world: World, { client }: Account, { clockId, plans }: Life): Promise<void> {
  // A repetition after a lost response finds it deleted: that is as good.
  await client.testClocks.delete(clockId).catch(unlessRefused('resource_missing'));
  world.deleted.add(clockId);
  for (const { customerId, planId, cards } of plans) {
    for (const id of [customerId, planId, cards.good, cards.declining]) if (id !== null) world.deleted.add(id);
  }
}

/** What an activation or a resume makes due is collected at the clock's present time, a moment after the response. */
async function untilCollected(client: Account['client'], { planId, course }: PlanOnClock): Promise<void> {
  const nextAttemptAt = rules.nextAttemptAt(course);
  const isCollected = async () => {
    const plan = await client.paymentPlans.get(planId);
    return (
      plan.state === course.state &&
      plan.collected_amount_cents === course.collected &&
      plan.next_payment_date === rules.nextPaymentDate(course) &&
      plan.next_attempt_at === (nextAttemptAt === null ? null : new Date(nextAttemptAt).toISOString())
    );
  };
  await eventually(`${planId} is collected`, isCollected, forEver);
}

async function notAdvancing({ testClocks }: Account['client'], clockId: string) {
  const clock = await testClocks.get(clockId, { waitSeconds: 2 });
  return clock.status !== 'advancing' && clock;
}

/** Plans whose calculation is ahead of what has been seen of them: the ledger may have anything up to it. */
const inMotion = new WeakSet<PlanOnClock>();

function claimsOf(plan: PlanOnClock, isDeleted: boolean): Claim[] {
  return [plan.amounts.whole, plan.amounts.rest].flatMap((amount) => {
    if (amount === null) return [];
    const payments = plan.course.payments.filter((payment) => payment.amount === amount);
    const succeeded = payments.filter(({ status }) => status === 'paid').length;
    const attempts = payments.reduce((sum, payment) => sum + payment.attempts.length, 0);
    const certain = inMotion.has(plan) ? 0 : 1;
    return {
      amount,
      what: `plan ${plan.planId} on a clock`,
      succeeded: [succeeded * certain, succeeded],
      attempts: [attempts * certain, attempts],
      isDeleted,
    } satisfies Claim;
  });
}
