import { day, instant } from '../../lab/model/calendar.ts';
import { collectUpTo } from './collecting.ts';
import { type Deed, isThere, pick } from './deed.ts';
import { nextAttemptAt, nextDueAt } from './plan-calendar.ts';
import { shownClockState } from './shown.ts';
import type { Of, Target } from './steps.ts';
import {
  type Clock,
  type Happening,
  type Manifest,
  type Plan,
  Refused,
  refuseFaults,
  refuseMissing,
  refuseState,
  tell,
  type World,
} from './world.ts';

const clocksPerAccount = 3;
const daysWithoutPlans = 31;

export function createClock(world: World, step: Of<'clock'>): Deed {
  const name = `clock-${world.clocks.length}`;
  return {
    method: 'POST',
    path: '/test_helpers/test_clocks',
    body: { frozen_time: step.at },
    makes: name,
    does() {
      if (world.clocks.filter(({ isDeleted }) => !isDeleted).length >= clocksPerAccount)
        refuseState('test_clock_limit');
      const none = { isDeleted: false, advance: null, hasAdvanced: false, effects: [] };
      const clock: Clock = { name, status: 'created', frozen: Date.parse(step.at), ...none };
      world.clocks.push(clock);
      tellOfClock(world, clock, 'created');
      return { status: 201, body: shownClock(world, clock) };
    },
  };
}

export function deleteClock(world: World, step: Of<'delete clock'>): Deed | null {
  const clock = pick(world.clocks, step.clock, isThere);
  if (clock === undefined) return null;
  return {
    method: 'DELETE',
    path: `/test_helpers/test_clocks/${clock.name}`,
    does() {
      if (clock.isDeleted) refuseMissing();
      tellOfClock(world, clock, 'deleted');
      clock.isDeleted = true;
      forget(world, clock);
      return { status: 200, body: { id: clock.name, object: 'test_clock', deleted: true } };
    },
  };
}

/** What named a method of the clock's customers names no method from then on. */
function forget(world: World, clock: Clock): void {
  for (const intent of world.intents) {
    if (intent.customer?.clock !== clock && intent.method?.customer?.clock === clock) intent.method = null;
  }
}

/** Accepts an advance; `completeAdvance` carries it out. */
export function beginAdvance(world: World, step: Of<'advance'>): Deed | null {
  const clock = pick(world.clocks, step.clock, isThere);
  if (clock === undefined) return null;
  const target = targetOf(world, clock, step.to);
  return {
    method: 'POST',
    path: `/test_helpers/test_clocks/${clock.name}/advance`,
    body: { frozen_time: instant(target) },
    does() {
      admit(world, clock, target);
      const name = `advance-${world.events.filter(({ type }) => type === 'test_clock.advancing').length}`;
      clock.status = 'advancing';
      clock.advance = { name, from: clock.frozen, target, manifest: null };
      tellOfClock(world, clock, 'advancing', { target_time: instant(target) });
      return { status: 202, body: { id: clock.name, status: 'advancing', frozen_time: instant(clock.frozen) } };
    },
  };
}

/** Does all that falls due on the way, and tells of it at the end. */
export function completeAdvance(world: World, clock: Clock): void {
  const { advance } = clock;
  if (advance === null) throw new Error(`${clock.name} is not advancing`);
  const { manifest, events } = carryOut(world, clock, advance.target);
  clock.effects.push(...events.map((event) => shownEffect(event, advance.name)));
  advance.manifest = manifest;
  Object.assign(clock, { status: 'ready', frozen: advance.target, hasAdvanced: true });
  tellOfClock(world, clock, 'ready', { effects_manifest: manifest });
}

/** What an advance would do is answered, and nothing is done. */
export function dryRun(world: World, step: Of<'dryRun'>): Deed | null {
  const clock = pick(world.clocks, step.clock, isThere);
  if (clock === undefined) return null;
  const target = targetOf(world, clock, step.to);
  return {
    method: 'POST',
    path: `/test_helpers/test_clocks/${clock.name}/advance`,
    body: { frozen_time: instant(target), dry_run: true },
    does() {
      admit(world, clock, target);
      const existing = new Set(world.intents.map(({ name }) => name));
      const imagined = structuredClone(world);
      const there = imagined.clocks[world.clocks.indexOf(clock)] ?? clock;
      const { manifest, events } = carryOut(imagined, there, target);
      const effects = events.map((event) => ({ ...shownEffect(event, null), event_id: null }));
      const named = effects.map((effect) =>
        effect.object === 'payment_intent' && !existing.has(effect.object_id) ? { ...effect, object_id: null } : effect,
      );
      const times = { frozen_time: instant(clock.frozen), target_time: instant(target) };
      const answer = { id: clock.name, dry_run: true, status: clock.status, ...times };
      return { status: 200, body: { ...answer, effects_manifest: manifest, effects: named } };
    },
  };
}

function admit(world: World, clock: Clock, target: number): void {
  if (clock.isDeleted) refuseMissing();
  if (clock.status === 'advancing') refuseState();
  refuseFaults(422, target > clock.frozen ? [] : ['/frozen_time']);
  const max = boundOf(world, clock);
  if (target > max) throw new Refused(422, 'advance_bound_exceeded', [], { max_frozen_time: instant(max) });
}

/** Two of the shortest intervals of the active plans, or of 31 days. */
function boundOf(world: World, clock: Clock): number {
  const active = world.plans.filter(({ customer, state }) => customer.clock === clock && state === 'active');
  const intervals = active.map(({ cadence: { every, period } }) => period * (every === 'weekly' ? 7 : 30));
  return clock.frozen + 2 * (intervals.length === 0 ? daysWithoutPlans : Math.min(...intervals)) * day;
}

function targetOf(world: World, clock: Clock, to: Target): number {
  if (to === 'here') return clock.frozen;
  if (to === 'bound') return boundOf(world, clock);
  if (to === 'beyond') return boundOf(world, clock) + 1;
  return clock.frozen + to * day;
}

function carryOut(world: World, clock: Clock, target: number): { manifest: Manifest; events: Happening[] } {
  const plans = world.plans.filter(({ customer }) => customer.clock === clock);
  const before = plans.map((plan) => standingOf(world, plan));
  const from = world.events.length;
  collectUpTo(world, clock, target);
  const events = world.events.slice(from);
  // The end of a challenge is no new attempt: that was made by hand.
  const isByHand = ({ attempt }: Happening) => attempt?.intent.attempts[attempt.number - 1]?.by === 'hand';
  const attempted = events.flatMap((event) =>
    event.attempt === null || isByHand(event) ? [] : [event.attempt.intent],
  );
  const endedChallenges = events.filter(isByHand).map(({ attempt }) => attempt?.intent.plan);
  const changed = plans.filter(
    (plan, index) =>
      attempted.some((intent) => intent.plan === plan) ||
      (standingOf(world, plan) !== before[index] && !endedChallenges.includes(plan)),
  );
  const none = { links_expired: 0, subscriptions_rolled: 0 };
  const counts = { payment_intents_enqueued: new Set(attempted).size, plans_recalculated: changed.length };
  return { manifest: { ...counts, ...none }, events };
}

/** What makes a plan one that an advance has recalculated, when it changes: state, next payment, next attempt. */
function standingOf(world: World, plan: Plan): string {
  return JSON.stringify([plan.state, plan.state === 'active' && nextDueAt(world, plan), nextAttemptAt(plan)]);
}

function tellOfClock(
  world: World,
  clock: Clock,
  what: 'created' | 'advancing' | 'ready' | 'deleted',
  extra: object = {},
): void {
  const { name, frozen: at } = clock;
  const data = { ...shownClockState(world, clock), ...extra };
  tell(world, { type: `test_clock.${what}`, at, clock, about: name, subject: name, data });
}

/** A clock as the API answers it. */
export function shownClock(world: World, clock: Clock) {
  const { advance, status } = clock;
  const last = advance && {
    id: advance.name,
    status: status === 'advancing' ? 'advancing' : 'ready',
    from_time: instant(advance.from),
    target_time: instant(advance.target),
    effects_manifest: advance.manifest,
    requested_at: instant(world.realNow),
    finished_at: advance.manifest === null ? null : instant(world.realNow),
    webhook_deliveries: { pending: 0, delivered: 0, failed: 0 },
  };
  return {
    ...shownClockState(world, clock),
    max_frozen_time: status === 'advancing' ? null : instant(boundOf(world, clock)),
    last_advance: last,
    webhook_deliveries: { pending: 0, delivered: 0, failed: 0 },
  };
}

function shownEffect({ type, at, subject, attempt, data }: Happening, advance: string | null) {
  const told = { advance_id: advance, at: instant(at), event_type: type, event_id: eventName(type, subject, at) };
  if (attempt === null) {
    const { state, state_reason, collected_amount_cents, next_payment_date, next_attempt_at } = data;
    const changes = { state, state_reason, collected_amount_cents, next_payment_date, next_attempt_at };
    return { object: 'payment_plan', object_id: subject, ...told, changes };
  }
  const { plan, amount } = attempt.intent;
  const payment = plan?.payments.find(({ intent }) => intent === attempt.intent);
  return {
    object: 'payment_intent',
    object_id: subject,
    ...told,
    payment_plan_id: plan?.name ?? null,
    slot: payment?.slot ?? null,
    due_date: payment?.dueDate ?? null,
    changes: {
      status: data.status,
      amount,
      currency: 'AUD',
      attempt: attempt.number,
      last_payment_error: data.last_payment_error,
      will_retry: data.will_retry ?? false,
      next_attempt_at: data.next_attempt_at ?? null,
    },
  };
}

/** What is known of an event without its id. */
export function eventName(type: string, subject: string, at: number): string {
  return `${type} of ${subject} at ${instant(at)}`;
}
