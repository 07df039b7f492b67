import { type BankDebitRow, selectFirstDebitOf } from '../../db/bank-debits.ts';
import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { insertPaymentIntent, type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import type { CollectingPlanRow } from '../../db/payment-plans.ts';
import { earliestInstant, laterInstant } from '../../domain/calendar.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { awaitedAt, nextRetry } from '../../domain/plans/derive.ts';
import type { KnownSlot } from '../../domain/plans/plan.ts';
import { attemptOpened, challenged, openNext } from '../../domain/plans/steps.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { lockDebit } from '../debits/debit-reports.ts';
import { type DebitStep, finishDebitStep, openDebitStep } from '../debits/debit-steps.ts';
import { transact } from '../events.ts';
import { processorFor } from '../payments/ask-processor.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { type Charging, reopenCharge } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeableMethod, recurringIntent } from '../payments/new-intent.ts';
import { lockAndChooseRail } from '../payments/rail.ts';
import { chargeAndRecord, failIfRefused, openRecurringCharge } from '../payments/recurring-charge.ts';
import { decideSurcharge, surchargingOf } from '../payments/surcharges.ts';
import { assertConsistent, otherAmount, PlanInconsistent } from './plan-dates.ts';
import { planHook } from './plan-dunning.ts';
import { isUntouched, type LockedPlan, lockPlanWithSlots, store } from './store.ts';

/**
 * Collects the longest overdue payment of a plan, if one is due at `at`. There are three steps: open the attempt, ask
 * the processor, record the outcome. Each step is committed before the next. After a crash, a repetition continues from
 * the step that was reached, so no payment is taken twice. A debit under a mandate is only accepted; its hand-over, its
 * result and its return are due at instants of their own, and are taken here too, whatever the plan's state. The
 * database's clock decides what is due for a plan in real time (see `instantOf`).
 * @param charging with the hook for payments of every kind: a debit's result may end its mandate, and so stop others.
 * @throws ProcessorNotConfigured for a live plan while no live processor is configured; WorkflowClockAhead if a payment
 * is due by the workflow's clock only; PlanInconsistent if a date of the plan is not one that its calendar or dunning
 * gives, if its terms are not those that were agreed, or if what is to be retried was paid or has another amount;
 * AmountChanged. In all cases nothing has changed.
 */
export async function collectDuePayment(
  sql: Db,
  charging: Charging,
  planId: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<void> {
  const opened = await transact(sql, { requestId: null, now }, (tx) => openDuePayment(tx, charging, planId, time, now));
  if (opened === null) return;
  if ('ask' in opened) return finishDebitStep(sql, charging, opened, ownStep(now));
  await chargeAndRecord(sql, charging, opened, now);
}

function ownStep(now: RealInstant) {
  return { now, isOwnStep: true, requestId: null };
}

/**
 * Step one. An attempt that a dead worker left open comes first, in any plan state: the processor may have taken the
 * money. Then comes what has been due longest: a debit's step or the end of a challenge, in any plan state, or a
 * payment. At the same instant they come in this order, and then the older slot.
 */
async function openDuePayment(
  tx: Tx,
  charging: Charging,
  planId: string,
  time: WorkflowTime,
  now: RealInstant,
): Promise<Charge | DebitStep | null> {
  const [locked, databaseTime] = await pipelined(tx, [lockPlanWithSlots(tx, planId), databaseNow(tx)]);
  if (locked === null) return null;
  const { plan, slots } = locked;
  const interrupted = await findInterrupted(tx, slots);
  if (interrupted !== null) return interrupted;
  const isOnClock = plan.test_clock_id !== null;
  if (plan.state === 'active') {
    await assertConsistent(tx, locked, isOnClock ? time.at : laterInstant(time.at, withoutClock(databaseTime)));
  }
  const debit = plan.next_debit_at === null ? null : await selectFirstDebitOf(tx, { planId: plan.id });
  const challenge = slots.filter(hasChallenge).toSorted(byChallengeEnd)[0];
  const payments = plan.state === 'active' ? [plan.next_due_at, plan.next_attempt_at] : [];
  const dueAt = earliestInstant([debit?.next_at ?? null, challenge?.challenge_ends_at ?? null, ...payments]);
  const at = dueAt && instantOf({ id: planId, isOnClock, dueAt }, time, databaseTime);
  if (at === null) return null;
  if (debit !== null && debit.next_at?.getTime() === dueAt?.getTime()) return openDebit(tx, charging, debit, at, now);
  if (challenge !== undefined && challenge.challenge_ends_at?.getTime() === dueAt?.getTime()) {
    await endChallengeOfSlot(tx, charging, locked, challenge, { at, now });
    return null;
  }
  processorFor(charging.processors, plan.livemode);
  const retry = nextRetry(slots);
  const isRetryDue = retry?.next_attempt_at?.getTime() === dueAt?.getTime();
  return retry !== null && isRetryDue ? openRetry(tx, locked, retry, at, now) : openNextSlot(tx, locked, at, now);
}

async function openDebit(
  tx: Tx,
  charging: Charging,
  debit: BankDebitRow,
  at: CustomerInstant,
  now: RealInstant,
): Promise<DebitStep | null> {
  const locked = await lockDebit(tx, debit.attempt_id, charging.hook);
  return locked && openDebitStep(tx, charging, locked, at, ownStep(now));
}

async function findInterrupted(tx: Tx, slots: readonly KnownSlot[]): Promise<Charge | null> {
  for (const { status, payment_intent_id: intentId } of slots) {
    const attempt = status === 'processing' && intentId !== null ? await selectAttemptInFlight(tx, intentId) : null;
    if (attempt?.source !== 'plan' || attempt.outcome !== 'processing') continue;
    return reopenCharge(tx, await mustLockIntent(tx, intentId), attempt);
  }
  return null;
}

async function endChallengeOfSlot(
  tx: Tx,
  { hook }: Charging,
  locked: LockedPlan,
  slot: KnownSlot,
  instants: { at: CustomerInstant; now: RealInstant },
): Promise<void> {
  const { payment_intent_id: paymentIntentId } = slot;
  const payment = paymentIntentId && { paymentIntentId, paymentPlanId: locked.plan.id };
  if (payment && (await endChallenge(tx, hook, payment, instants))) return;
  // Only a row that was changed by hand: without this, the workflow would wake for it again and again.
  await store(tx, locked, challenged(slot, null), instants.at);
}

async function openRetry(
  tx: Tx,
  locked: LockedPlan,
  slot: KnownSlot,
  at: CustomerInstant,
  now: RealInstant,
): Promise<Charge | null> {
  const { plan } = locked;
  const [intent, method] = await pipelined(tx, [
    mustLockIntent(tx, slot.payment_intent_id),
    chargeableMethod(tx, plan),
  ]);
  if (intent.status !== 'failed' && intent.status !== 'returned') {
    const what = `the retry of ${slotInWords(slot.slot)} is due, but its payment ${intent.id} is ${intent.status}`;
    throw new PlanInconsistent(plan.id, [what]);
  }
  const { amount } = intent;
  if (amount !== slot.amount)
    throw new PlanInconsistent(plan.id, [otherAmount(slot, { amount, currency: plan.currency })]);
  const decided = decideSurcharge(intent, method, surchargingOf(plan), at);
  const rail = await lockAndChooseRail(tx, decided, method, at);
  const [charge] = await pipelined(tx, [
    openRecurringCharge(tx, decided, method, rail, newCharge(plan, slot.next_attempt_at, at, now)),
    store(tx, locked, attemptOpened(locked, slot), at),
  ]);
  return failIfRefused(tx, charge, rail, now, planHook);
}

async function openNextSlot(tx: Tx, locked: LockedPlan, at: CustomerInstant, now: RealInstant): Promise<Charge | null> {
  const { plan, slots } = locked;
  const change = openNext(locked, await isUntouched(tx, plan, slots));
  const method = await chargeableMethod(tx, plan);
  const purpose = { payment_plan_id: plan.id, payment_plan_slot: change.opens.slot };
  const intent = recurringIntent(plan, purpose, change.opens.amount, method, at);
  const rail = await lockAndChooseRail(tx, intent, method, at);
  const [, , charge] = await pipelined(tx, [
    insertPaymentIntent(tx, intent),
    store(tx, locked, change, at, { intentId: intent.id }),
    openRecurringCharge(tx, intent, method, rail, newCharge(plan, awaitedAt(plan), at, now)),
  ]);
  return failIfRefused(tx, charge, rail, now, planHook);
}

/** How the charge of a plan is opened. */
function newCharge(
  { test_clock_id: testClockId }: CollectingPlanRow,
  dueAt: CustomerInstant | null,
  at: CustomerInstant,
  now: RealInstant,
) {
  return { source: 'plan', at, now, dueAt, testClockId } as const;
}

async function mustLockIntent(tx: Tx, id: string | null): Promise<LockedIntentRow> {
  const intent = id === null ? null : await lockPaymentIntent(tx, id);
  if (intent === null) throw new Error(`payment intent ${id} was not found, although its plan exists`);
  return intent;
}

/** Whether the charge of a slot waits for a payer, who has time until an instant. */
function hasChallenge({ status, challenge_ends_at: endsAt }: KnownSlot): boolean {
  return status === 'processing' && endsAt !== null;
}

function byChallengeEnd(a: KnownSlot, b: KnownSlot): number {
  return Number(a.challenge_ends_at) - Number(b.challenge_ends_at) || a.slot - b.slot;
}
