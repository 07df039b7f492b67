import { selectLastAttempt } from '../../db/payment-attempts.ts';
import { selectPaymentIntent } from '../../db/payment-intents.ts';
import type { CollectingPlanRow } from '../../db/payment-plans.ts';
import { tenantOf } from '../../db/tenant.ts';
import { selectClockIdOf } from '../../db/test-clocks.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import type { Slot } from '../../domain/plans/plan.ts';
import { retryNow } from '../../domain/plans/steps.ts';
import { firstRetry } from '../../domain/recurring/recurring-payment.ts';
import type { SlotNumber } from '../../domain/units.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type AuditEntry, type ChangeOrigin, changesBetween, recordAudit } from '../accounts/audit.ts';
import { assertNotJustTried, CommandRefused, refusedIfInvalid } from '../command-refused.ts';
import { timeForWrite } from '../customer-time.ts';
import { transact } from '../events.ts';
import { chargeInWords } from './plan-status.ts';
import { type LockedPlan, lockPlanWithSlots, store } from './store.ts';

/**
 * Makes the next attempt of an unpaid payment due now. It stays the next step of its retry series, only earlier. Within
 * a minute of an attempt, the command does not cause another one. Returns what was done, as a sentence.
 * @throws CommandRefused
 */
export async function retryPlanNow(db: Db, planId: string, origin: ChangeOrigin): Promise<string> {
  return withPlan(db, planId, origin.now, async (tx, locked, at) => {
    const { plan, slots } = locked;
    if (plan.state !== 'active') throw new CommandRefused(`Nothing to retry: ${whyNotActive(plan)}.`);
    const next = firstRetry(slots);
    if (next === null) throw new CommandRefused(`Nothing to retry: ${nothingWaits(slots)}.`);
    const intentId = next.payment_intent_id ?? '';
    const last = await selectLastAttempt(tx, intentId);
    assertNotJustTried(last, inWords(next), origin.now);
    const dueAt = next.next_attempt_at !== null && next.next_attempt_at < at ? next.next_attempt_at : at;
    await store(tx, locked, retryNow(next, dueAt), at);
    const changes = changesBetween({ next_attempt_at: next.next_attempt_at }, { next_attempt_at: dueAt });
    await recordAudit(tx, {
      ...entryOf(plan, origin),
      action: 'payment_plan.retried_now',
      changes: ofSlot(next, changes),
    });
    const intent = await selectPaymentIntent(tx, tenantOf(plan), intentId);
    const charge = chargeInWords(intent?.total_amount ?? next.amount ?? 0, plan.currency, next.failures);
    return `${capital(inWords(next))} is being tried again: ${charge}.`;
  });
}

/**
 * Locks a plan and runs `work` at the customer's time; `work` returns a sentence.
 * @throws CommandRefused if the plan was deleted or its clock is advancing.
 */
export async function withPlan(
  db: Db,
  planId: string,
  now: RealInstant,
  work: (tx: Tx, locked: LockedPlan, at: CustomerInstant) => Promise<string>,
): Promise<string> {
  const executed = transact(db, { requestId: null, now }, async (tx) => {
    const clockId = await selectClockIdOf(tx, 'payment_plans', planId);
    if (clockId === undefined) throw new CommandRefused(planDeleted);
    const at = await timeForWrite(tx, clockId, now);
    const locked = await lockPlanWithSlots(tx, planId);
    if (locked === null) throw new CommandRefused(planDeleted);
    return work(tx, locked, at);
  });
  return refusedIfInvalid(executed);
}

const planDeleted = 'Nothing was done: the plan was deleted.';

/** Returns why a plan collects nothing on its own, in words. */
function whyNotActive(plan: CollectingPlanRow): string {
  if (plan.state === 'suspended')
    return 'the plan is suspended; its biller can resume it, which tries what is unpaid at once';
  return hasEnded(plan.state) ? `the plan is ${plan.state}` : `the plan is ${plan.state} and has collected nothing yet`;
}

/** Returns a slot in words, for operators. */
export function inWords({ slot, due_date: date }: { slot: SlotNumber; due_date: string }): string {
  return `${slotInWords(slot)}, due ${date},`;
}

/** Returns the fields of an audit entry that come from the plan and the operator command. */
export function entryOf(
  plan: CollectingPlanRow,
  { by, now }: ChangeOrigin,
): Pick<AuditEntry, 'by' | 'at' | 'tenant' | 'subjectId'> {
  return { by, at: now, tenant: tenantOf(plan), subjectId: plan.id };
}

/** Returns the changes with field names that contain the slot: `slots/<slot>/<field>`. */
export function ofSlot({ slot }: { slot: SlotNumber }, changes: AuditEntry['changes']): AuditEntry['changes'] {
  return Object.fromEntries(Object.entries(changes).map(([field, change]) => [`slots/${slot}/${field}`, change]));
}

export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function nothingWaits(slots: readonly Slot[]): string {
  const underWay = slots.find(({ status }) => status === 'processing');
  return underWay === undefined ? 'no payment of the plan waits for a retry' : `${inWords(underWay)} is being charged`;
}
