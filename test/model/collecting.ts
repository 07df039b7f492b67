import { slotDate } from '../../lab/model/calendar.ts';
import { charge, endChallenge, priceOf } from './charging.ts';
import { nextAmount, nextDueAt, retriesOf, skipPassed } from './plan-calendar.ts';
import { type Clock, type Intent, isGone, type Method, type Payment, type Plan, type World } from './world.ts';

/** Collects all that is due on a clock up to an instant, each at its own, and nothing before the clock's time. */
export function collectUpTo(world: World, clock: Clock, to: number): void {
  for (const plan of world.plans) if (plan.customer.clock === clock) collectPlan(world, plan, to);
  collectScheduled(world, clock, { from: clock.frozen, to });
}

/** What is due at the present time: what an activation, a resume or a payment that is scheduled for today brings. */
export function collectAtOnce(world: World): void {
  for (const clock of world.clocks) {
    if (!clock.isDeleted && clock.status !== 'advancing') collectUpTo(world, clock, clock.frozen);
  }
  // Plans in real time lie too far ahead to be due.
  collectScheduled(world, null, { from: world.realNow, to: world.realNow });
}

function collectScheduled(world: World, clock: Clock | null, { from, to }: { from: number; to: number }): void {
  for (const intent of world.intents) {
    if ((intent.customer?.clock ?? null) !== clock || intent.scheduledAt === null || intent.scheduledAt > to) continue;
    charge(world, intent, chargeable(intent.method), { at: Math.max(intent.scheduledAt, from), by: 'schedule' });
  }
}

/**
 * Ends of challenges, retries and due dates in the order of their instants, at the same instant the older payment
 * first. A challenge ends in any state of the plan. The end of one can bring a retry that was due before it: time does
 * not go back for it.
 */
function collectPlan(world: World, plan: Plan, to: number): void {
  let reached = plan.customer.clock?.frozen ?? to;
  for (;;) {
    const isActive = plan.state === 'active';
    const [retry] = isActive ? retriesOf(plan) : [];
    const retryAt = retry?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
    const nextAt = isActive ? nextDueAt(world, plan) : Number.POSITIVE_INFINITY;
    const challenge = plan.payments.toSorted((a, b) => endOf(a) - endOf(b))[0];
    const endsAt = challenge === undefined ? Number.POSITIVE_INFINITY : endOf(challenge);
    const first = Math.min(endsAt, retryAt, nextAt);
    if (first > to) return;
    reached = Math.max(reached, first);
    if (challenge !== undefined && endsAt === first) {
      endChallenge(world, challenge, reached);
    } else if (retry?.intent && retryAt === first) {
      charge(world, retry.intent, methodOf(plan), { at: reached, by: 'plan' });
    } else {
      openNext(world, plan, reached);
    }
  }
}

function endOf({ challengeEndsAt }: Payment): number {
  return challengeEndsAt ?? Number.POSITIVE_INFINITY;
}

function openNext(world: World, plan: Plan, at: number): void {
  const slot = plan.nextSlot;
  const intent = newPlanIntent(plan, slot, at);
  world.intents.push(intent);
  const none = { failures: 0, firstFailedAt: null, nextAttemptAt: null, challengeEndsAt: null };
  plan.payments.push({ slot, dueDate: slotDate(plan.cadence, slot), status: 'processing', intent, ...none });
  plan.nextSlot += 1;
  // Of what had passed when the plan was activated, the first payment alone is made.
  if (slot === 0) skipPassed(world, plan, plan.activatedAt);
  charge(world, intent, methodOf(plan), { at, by: 'plan' });
}

function newPlanIntent(plan: Plan, slot: number, at: number): Intent {
  const amount = nextAmount(plan);
  return {
    name: `${plan.name}-slot-${slot}`,
    customer: plan.customer,
    method: methodOf(plan) ?? plan.method,
    plan,
    amount,
    ...priceOf(amount, plan.customer.paysFees),
    status: 'requires_payment_method',
    metadata: plan.metadata,
    scheduledDate: null,
    scheduledAt: null,
    attempts: [],
    refunded: 0,
    collectedAt: null,
    error: null,
    createdAt: at,
    updatedAt: at,
  };
}

/** The plan's own method, or else the customer's default, as it is at this moment; none when it cannot be charged. */
function methodOf(plan: Plan): Method | null {
  return chargeable(plan.method ?? plan.customer.defaultMethod);
}

function chargeable(method: Method | null): Method | null {
  return method === null || method.isDetached || isGone(method) ? null : method;
}
