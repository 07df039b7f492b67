import type { PaymentsClient, PlanPayment, WebhookEvent } from '@payments-service/client';
import { refusalOf } from '../lab/client.ts';
import { becomesTrue } from '../lab/eventually.ts';
import { day } from '../lab/model/calendar.ts';
import * as rules from '../lab/model/plans.ts';
import type { Receiver } from '../lab/receiver.ts';
import { type Checks, checkPlan, checkPlanEvents, planOf, type Tracked } from './checks.ts';
import { customers, enrol, giveGoodCard, start } from './customers.ts';
import { chapter, count, minute, say, timeline, timelineTitles } from './timeline.ts';

/** One advance of the clock, as it went. */
interface Advance {
  from: number;
  to: number;
  /** From the request until the clock was seen to be ready. */
  wallMs: number;
  manifest: rules.Manifest | null;
}

/** What the demo has made so far. */
export interface Scene {
  payments: PaymentsClient;
  receiver: Receiver;
  /** Ends the waits for webhooks. */
  signal: AbortSignal;
  checks: Checks;
  endpointId: string | null;
  clockId: string | null;
  /** That of the plan by bank debit. */
  debitClockId: string | null;
  /** That of the subscriptions. */
  subscriptionClockId: string | null;
  now: number;
  tracked: Tracked[];
  advances: Advance[];
  /** The clock's own events that should have come, in their order. */
  clockEvents: object[];
  /** Whether webhooks did not come in time: the demo no longer waits for later ones. */
  isLate: boolean;
  /** Milliseconds from the making of the delivery to its arrival, by event id; an event is in it once it was shown. */
  arrivedAfterMs: Map<string, number | null>;
}

const readyTimeoutMs = 60_000;
export const arrivalTimeoutMs = 15_000;
/** More than it takes: the demo ends even if the plans never do. */
const mostAdvances = 10;
/** The rules that the demo compares with know nothing of them: the contract names none, and a service may send them. */
const optionalEvents = /^(payment_plan\.resumed$|payout\.)/;

export function newScene(parts: Pick<Scene, 'payments' | 'receiver' | 'signal' | 'checks'>): Scene {
  const clocks = { clockId: null, debitClockId: null, subscriptionClockId: null };
  const made = { endpointId: null, ...clocks, tracked: [], advances: [], clockEvents: [] };
  return { ...parts, ...made, now: start, isLate: false, arrivedAfterMs: new Map() };
}

/** From the frozen clock to the last advance: each step is shown, and compared with the rules. */
export async function runAll(scene: Scene): Promise<void> {
  await setUp(scene);
  await activatePlans(scene);
  while (!hasAllHappened(scene.tracked) && scene.advances.length < mostAdvances) {
    await advanceToBound(scene);
    for (const plan of scene.tracked) if (rules.hasMissed(plan.course)) await rescue(scene, plan);
  }
}

/** The events of the demo's clock that have arrived, each once, in the order of their sequence. */
export function arrivedEvents({ receiver, clockId }: Scene): WebhookEvent[] {
  const own = receiver.arrivals.filter(
    ({ event }) => event.test_clock === clockId && !optionalEvents.test(event.event_type),
  );
  const byId = new Map(own.map(({ event }) => [event.id, event]));
  return [...byId.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Waits for the webhooks that are due, compares everything with the rules, and shows what is new. */
async function checkAll(scene: Scene): Promise<void> {
  await awaitWebhooks(scene);
  const slots: PlanPayment[] = [];
  for (const plan of scene.tracked) slots.push(...(await checkPlan(scene.checks, scene.payments, plan)));
  await showNews(scene, slots);
}

/** Waits for the webhooks, and compares them with what should have happened. */
export async function awaitWebhooks(scene: Scene): Promise<void> {
  const { checks, signal, tracked, clockEvents } = scene;
  const due = clockEvents.length + tracked.reduce((sum, { course }) => sum + course.happenings.length, 0);
  const waiting = { timeoutMs: scene.isLate ? 0 : arrivalTimeoutMs, everyMs: 5, signal };
  scene.isLate = !(await becomesTrue(() => arrivedEvents(scene).length >= due, waiting));
  const events = arrivedEvents(scene);
  for (const plan of tracked) checkPlanEvents(checks, plan, events);
  const own = events.filter(({ event_type: type }) => type.startsWith('test_clock.'));
  const shown = own.map(({ event_type, created_at, data }) => ({ ...data, event_type, created_at }));
  checks.list('clock, events', shown, clockEvents, (event) => JSON.stringify(Object.values(event)[0]));
}

/** Shows the events that have arrived since the last time. */
export async function showNews(scene: Scene, slots: PlanPayment[] = []): Promise<void> {
  const { tracked, arrivedAfterMs } = scene;
  const news = arrivedEvents(scene).filter(({ id }) => !arrivedAfterMs.has(id));
  const times = await arrivalTimes(scene);
  const attempts = new Map(slots.map((payment) => [payment.payment_intent_id, payment.attempts.length]));
  const rows = news.map((event) => {
    const ms = times.get(event.id) ?? null;
    arrivedAfterMs.set(event.id, ms);
    const isPayment = event.event_type.startsWith('payment_intent.');
    const number = 'attempt' in event.data ? event.data.attempt : undefined;
    return {
      event,
      ms,
      plan: tracked.find(({ planId }) => planId === planOf(event))?.label ?? null,
      attempt: isPayment ? (number ?? attempts.get(event.data.id) ?? null) : null,
    };
  });
  timeline(rows);
}

/** Milliseconds from the making of each delivery to its arrival, by event id. */
export async function arrivalTimes({ payments, receiver, endpointId }: Scene): Promise<Map<string, number>> {
  if (endpointId === null) return new Map();
  const deliveries = await payments.webhookEndpoints.listDeliveries(endpointId, { limit: 100 }).toArray();
  const madeAt = new Map(deliveries.map((delivery) => [delivery.event_id, Date.parse(delivery.created_at)]));
  const times = new Map<string, number>();
  for (const { event, at } of receiver.arrivals) {
    const made = madeAt.get(event.id);
    if (made !== undefined && !times.has(event.id)) times.set(event.id, at - made);
  }
  return times;
}

async function setUp(scene: Scene): Promise<void> {
  const { payments, receiver, clockEvents } = scene;
  chapter(`A clock, frozen at ${minute(start)}, and three customers on it`);
  for (const { label, name, about } of customers) say(`${label.padEnd(6)}  ${name}: ${about}`);
  const { url, trust } = receiver.endpoint('webhooks');
  const endpoint = await payments.webhookEndpoints.create({ url, description: 'npm run demo' });
  scene.endpointId = endpoint.id;
  trust(endpoint.secret ?? '');
  const frozen = new Date(start).toISOString();
  const clock = await payments.testClocks.create({ frozen_time: frozen, name: 'npm run demo' });
  scene.clockId = clock.id;
  clockEvents.push({ event_type: 'test_clock.created', created_at: frozen, id: clock.id });
  for (const customer of customers) scene.tracked.push(await enrol(payments, clock.id, customer));
  await findBound(scene);
  say();
  timelineTitles();
  await checkAll(scene);
}

async function activatePlans(scene: Scene): Promise<void> {
  chapter('The plans are activated: the payment of today is made at once, no advance is needed');
  for (const { planId, course } of scene.tracked) {
    await scene.payments.paymentPlans.activate(planId);
    rules.activate(course);
  }
  await checkAll(scene);
}

/** A good card for a suspended plan: the unpaid payment is made at once, missed ones are skipped. */
async function rescue(scene: Scene, plan: Tracked): Promise<void> {
  const { label, planId, course } = plan;
  chapter(`The ${label} plan gets a good card and is resumed: the unpaid payment is caught up at once`);
  const card = await giveGoodCard(scene.payments, plan);
  const resumed = await scene.payments.paymentPlans.resume(planId);
  scene.checks.members(`${label}, resumed`, resumed, { state: 'active', payment_instrument_id: card });
  rules.resume(course);
  await checkAll(scene);
  const skipped = course.payments.filter(({ status }) => status === 'skipped').map(({ dueDate }) => dueDate);
  say(`Skipped, not charged: ${skipped.join(', ')}, which passed while the plan was suspended.`);
}

async function advanceToBound(scene: Scene): Promise<void> {
  const { payments, checks, tracked, advances, clockEvents, now } = scene;
  const clockId = scene.clockId ?? '';
  chapter(`Advance ${advances.length + 1}`);
  const bound = await findBound(scene);
  const [from, to] = [new Date(now).toISOString(), new Date(bound).toISOString()];

  const began = performance.now();
  const accepted = await payments.testClocks.advance(clockId, { frozen_time: to });
  checks.members('clock, advance accepted', accepted, { id: clockId, status: 'advancing', frozen_time: from });
  const clock = await payments.testClocks.waitUntilReady(clockId, { waitTimeoutMs: readyTimeoutMs });
  const wallMs = performance.now() - began;
  checks.members('clock', clock, { status: 'ready', frozen_time: to });
  checks.equal('clock, last_advanced_at is given', clock.last_advanced_at !== null, true);

  const manifest = rules.advance(
    tracked.map(({ course }) => course),
    bound,
  );
  clockEvents.push({ event_type: 'test_clock.advancing', created_at: from, id: clockId, target_time: to });
  clockEvents.push({ event_type: 'test_clock.ready', created_at: to, id: clockId, effects_manifest: manifest });
  scene.now = bound;
  await checkAll(scene);
  const ready = arrivedEvents(scene).findLast((event) => event.event_type === 'test_clock.ready');
  const got = ready?.data.effects_manifest ?? null;
  advances.push({ from: now, to: bound, wallMs, manifest: got });
  const effects = `${count(got?.payment_intents_enqueued ?? 0, 'payment intent')} attempted, `;
  say(
    `The clock was ready after ${wallMs.toFixed(0)} ms: ${effects}${count(got?.plans_recalculated ?? 0, 'plan')} recalculated.`,
  );
}

/** The latest instant that one advance may name: the refusal of a second more names it. */
async function findBound({ payments, checks, clockId, now, tracked }: Scene): Promise<number> {
  const active = tracked.filter(({ course }) => course.state === 'active').map(({ label }) => label);
  const expected = rules.advanceBound(
    now,
    tracked.map(({ course }) => course),
  );
  const tooFar = new Date(expected + 1000).toISOString();
  const refusal = await refusalOf(payments.testClocks.advance(clockId ?? '', { frozen_time: tooFar }));
  if (refusal === null) throw new Error(`An advance to ${tooFar} was accepted, which is beyond the bound.`);
  checks.equal('bound, status', refusal.status, 422);
  checks.members('bound', refusal, {
    code: 'advance_bound_exceeded',
    maxFrozenTime: new Date(expected).toISOString(),
  });
  const days = (expected - now) / day;
  const plans = active.length === 0 ? 'no plan is active' : `active: ${active.join(', ')}`;
  say(`The bound is ${days} days (${plans}): up to ${minute(expected)}; a second more is refused.`);
  return Date.parse(refusal.maxFrozenTime ?? tooFar);
}

/** The capped plans are paid in full, and the endless one was paid on a 29th, a 30th and a 31st. */
function hasAllHappened(tracked: Tracked[]): boolean {
  return tracked.every(({ course }) =>
    course.terms.total === null
      ? ['29', '30', '31'].every((end) => course.payments.some(({ dueDate }) => dueDate.endsWith(end)))
      : course.state === 'closed',
  );
}
