import { slotDate, startOf } from '../../lab/model/calendar.ts';
import { nowOf, type Payment, type Plan, type World } from './world.ts';

/** What may still be collected: payments that are unpaid or under way are spoken for. */
export function remainingOf({ total, collected, payments }: Plan): number {
  if (total === null) return Number.POSITIVE_INFINITY;
  const open = payments.filter(({ status }) => status === 'processing' || status === 'retrying' || status === 'failed');
  return total - collected - open.reduce((sum, { intent }) => sum + (intent?.amount ?? 0), 0);
}

/** The amount of the next payment: the first one may have its own, the last one is cut to what remains. */
export function nextAmount(plan: Plan): number {
  return Math.min(isUntouched(plan) ? (plan.firstAmount ?? plan.amount) : plan.amount, remainingOf(plan));
}

function dueAt(world: World, plan: Plan, slot: number): number {
  return startOf(slotDate(plan.cadence, slot), world.zone);
}

/** When the calendar goes on; never, when nothing remains to collect. */
export function nextDueAt(world: World, plan: Plan): number {
  return remainingOf(plan) > 0 ? dueAt(world, plan, plan.nextSlot) : Number.POSITIVE_INFINITY;
}

/** Payments that are to be tried again, the earliest first, and of the same instant the older. */
export function retriesOf({ payments }: Plan): Payment[] {
  return payments
    .filter(({ status }) => status === 'retrying')
    .sort((a, b) => Number(a.nextAttemptAt) - Number(b.nextAttemptAt) || a.slot - b.slot);
}

export function nextAttemptAt(plan: Plan): number | null {
  return plan.state === 'active' ? (retriesOf(plan)[0]?.nextAttemptAt ?? null) : null;
}

/** Never a burst: what has passed by `now` is skipped, and not charged. */
export function skipPassed(world: World, plan: Plan, now: number): void {
  for (; dueAt(world, plan, plan.nextSlot) <= now; plan.nextSlot += 1) {
    const none = { intent: null, failures: 0, firstFailedAt: null, nextAttemptAt: null, challengeEndsAt: null };
    const dueDate = slotDate(plan.cadence, plan.nextSlot);
    plan.payments.push({ slot: plan.nextSlot, dueDate, status: 'skipped', ...none });
  }
}

/** The payments ahead as if each is collected; of a pending or suspended plan as if it ran from now on. */
export function upcoming(world: World, plan: Plan, count: number): { slot: number; amount: number }[] {
  const ahead: { slot: number; amount: number }[] = [];
  if (plan.state === 'deactivated' || plan.state === 'closed') return ahead;
  const now = nowOf(world, plan.customer);
  let isFirst = isUntouched(plan);
  let left = remainingOf(plan);
  for (let slot = plan.nextSlot; left > 0 && ahead.length < count; slot += 1) {
    const isOpening = plan.state === 'pending' && slot === 0;
    if (plan.state !== 'active' && !isOpening && dueAt(world, plan, slot) <= now) continue;
    const amount = Math.min(isFirst ? (plan.firstAmount ?? plan.amount) : plan.amount, left);
    ahead.push({ slot, amount });
    isFirst = false;
    left -= amount;
  }
  return ahead;
}

/** Whether nothing was ever made a payment of; a skipped slot is none. */
function isUntouched({ payments }: Plan): boolean {
  return payments.every(({ status }) => status === 'skipped');
}
