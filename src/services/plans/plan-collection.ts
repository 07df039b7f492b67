import { type BankDebitRow, noteChallenge, selectFirstDebitOf } from '../../db/bank-debits.ts';
import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { insertPaymentIntent, lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import {
  insertOpenSlot,
  insertSkippedSlots,
  listOpenSlots,
  type OpenSlotRow,
  updateSlot,
} from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, cadenceOf, lockPlan, termsOf, updatePlan } from '../../db/payment-plans.ts';
import { earliestInstant, slotDate } from '../../domain/calendar.ts';
import { nextPaymentAmount } from '../../domain/plan-schedule.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { lockDebit } from '../debits/debit-reports.ts';
import { type DebitStep, finishDebitStep, openDebitStep } from '../debits/debit-steps.ts';
import { transact } from '../events.ts';
import { processorFor } from '../payments/ask-processor.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { type Charge, type Charging, reopenCharge } from '../payments/charge.ts';
import { chargeWay } from '../payments/charge-way.ts';
import { chargeAndRecord, failIfRefused, openRecurringCharge } from '../payments/recurring-charge.ts';
import { chargeableMethod, recurringIntent } from '../payments/recurring-intent.ts';
import { decideSurcharge, surchargingOf } from '../payments/surcharges.ts';
import { dueInstant, progressOf, skippedSlots, slotAfterNext } from './plan-calendar.ts';
import { assertDates, PlanInconsistent } from './plan-dates.ts';
import { planHook } from './plan-dunning.ts';

/**
 * Collects the longest overdue payment of a plan, if one is due at `at` (the customer's time). There are three steps:
 * open the attempt, ask the processor, record the outcome. Each step is committed before the next. After a crash, a
 * repetition continues from the step that was reached, so no payment is taken twice. A debit under a mandate is only
 * accepted; its hand-over, its result and its return are due at instants of their own, and are taken here too, whatever
 * the plan's state. The database's clock decides what is due for a plan in real time (see `instantOf`).
 * @param charging with the hook for payments of every kind: a debit's result may end its mandate, and so stop others.
 * @param now real time.
 * @throws ProcessorNotConfigured for a live plan while no live processor is configured; WorkflowClockAhead if a payment
 * is due by the workflow's clock only; PlanInconsistent if a date of the plan is not one that its calendar or
 * dunning gives, or if what is to be retried was paid. In all cases nothing has changed.
 */
export async function collectDuePayment(
  sql: Db,
  charging: Charging,
  planId: string,
  { now, ...time }: WorkflowTime & { now: Date },
): Promise<void> {
  const opened = await transact(sql, { requestId: null, now }, (tx) => openDuePayment(tx, charging, planId, time, now));
  if (opened === null) return;
  if ('ask' in opened) return finishDebitStep(sql, charging, opened, ownStep(now));
  await chargeAndRecord(sql, charging, opened, now);
}

function ownStep(now: Date) {
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
  now: Date,
): Promise<Charge | DebitStep | null> {
  // The statements after the lock see everything committed before it was granted.
  const [plan, slots, databaseTime] = await pipelined(tx, [
    lockPlan(tx, planId),
    listOpenSlots(tx, planId),
    databaseNow(tx),
  ]);
  if (plan === null) return null;
  const interrupted = await findInterrupted(tx, slots);
  if (interrupted !== null) return interrupted;
  const isOnClock = plan.test_clock_id !== null;
  if (plan.state === 'active') {
    await assertDates(tx, plan, slots, isOnClock || time.at > databaseTime ? time.at : databaseTime);
  }
  const payments = plan.state === 'active' ? [plan.next_due_at, ...slots.filter(isRetrying).map(retryTime)] : [];
  const debit = plan.next_debit_at === null ? null : await selectFirstDebitOf(tx, { planId });
  const challenge = slots.filter(hasChallenge).toSorted(byChallengeEnd)[0];
  const dueAt = earliestInstant([debit?.next_at ?? null, challenge?.challenge_ends_at ?? null, ...payments]);
  const at = dueAt && instantOf({ id: planId, isOnClock, dueAt }, time, databaseTime);
  if (at === null) return null;
  if (debit !== null && debit.next_at?.getTime() === dueAt?.getTime()) return openDebit(tx, charging, debit, at, now);
  if (challenge !== undefined && challenge.challenge_ends_at?.getTime() === dueAt?.getTime()) {
    await endChallengeOfSlot(tx, challenge, { at, now });
    return null;
  }
  const retry = slots.filter(isRetryDue(at)).sort(byAttemptTime)[0];
  const isSlotDue = plan.next_due_at !== null && plan.next_due_at <= at;
  processorFor(charging.processors, plan.livemode);
  if (retry !== undefined && !(isSlotDue && Number(plan.next_due_at) < Number(retry.next_attempt_at))) {
    return openRetry(tx, plan, slots, retry, at, now);
  }
  return openNextSlot(tx, plan, slots, at, now);
}

async function openDebit(
  tx: Tx,
  charging: Charging,
  debit: BankDebitRow,
  at: Date,
  now: Date,
): Promise<DebitStep | null> {
  const locked = await lockDebit(tx, debit.attempt_id, charging.hook);
  return locked && openDebitStep(tx, charging, locked, at, ownStep(now));
}

async function findInterrupted(tx: Tx, slots: OpenSlotRow[]): Promise<Charge | null> {
  for (const slot of slots.filter(({ status }) => status === 'processing')) {
    const attempt = await selectAttemptInFlight(tx, slot.payment_intent_id);
    if (attempt === null || attempt.source !== 'plan' || attempt.outcome !== 'processing') continue;
    const intent = await mustLockIntent(tx, slot.payment_intent_id);
    return reopenCharge(tx, intent, attempt);
  }
  return null;
}

async function endChallengeOfSlot(tx: Tx, slot: OpenSlotRow, instants: { at: Date; now: Date }): Promise<void> {
  const payment = { paymentIntentId: slot.payment_intent_id, paymentPlanId: slot.payment_plan_id };
  if (await endChallenge(tx, planHook, payment, instants)) return;
  // A former version has recorded how it ended.
  await updateSlot(tx, slot.payment_plan_id, slot.slot, { challenge_ends_at: null });
  await noteChallenge(tx, { planId: slot.payment_plan_id });
}

async function openRetry(
  tx: Tx,
  plan: CollectingPlanRow,
  slots: OpenSlotRow[],
  slot: OpenSlotRow,
  at: Date,
  now: Date,
): Promise<Charge | null> {
  const [method, intent] = await pipelined(tx, [
    chargeableMethod(tx, plan),
    mustLockIntent(tx, slot.payment_intent_id),
  ]);
  if (intent.status !== 'failed' && intent.status !== 'returned') {
    const what = `the retry of ${slotInWords(slot.slot)} is due, but its payment ${intent.id} is ${intent.status}`;
    throw new PlanInconsistent(plan.id, [what]);
  }
  const decided = decideSurcharge(intent, method, surchargingOf(plan), at);
  const way = await chargeWay(tx, decided, method, at);
  const others = slots.filter((other) => other !== slot && other.status === 'retrying').sort(byAttemptTime);
  const [charge] = await pipelined(tx, [
    openRecurringCharge(tx, decided, method, way, {
      source: 'plan',
      at,
      now,
      dueAt: slot.next_attempt_at,
      testClockId: plan.test_clock_id,
    }),
    updateSlot(tx, plan.id, slot.slot, { status: 'processing', next_attempt_at: null }),
    updatePlan(tx, plan.id, { next_attempt_at: others[0]?.next_attempt_at ?? null, updated_at: at }),
  ]);
  return failIfRefused(tx, charge, way, now, planHook);
}

async function openNextSlot(
  tx: Tx,
  plan: CollectingPlanRow,
  slots: OpenSlotRow[],
  at: Date,
  now: Date,
): Promise<Charge | null> {
  const cadence = cadenceOf(plan);
  const progress = await progressOf(tx, plan, slots);
  const amount = nextPaymentAmount(termsOf(plan), progress);
  if (amount === null) throw new Error(`plan ${plan.id} has slot ${plan.next_slot} due with nothing left to collect`);
  const method = await chargeableMethod(tx, plan);
  const purpose = { payment_plan_id: plan.id, payment_plan_slot: plan.next_slot };
  const intent = recurringIntent(plan, purpose, amount, method, at);
  const way = await chargeWay(tx, intent, method, at);
  // Slots that had passed when the plan was activated are skipped, so that they never cause a burst of payments.
  const nextSlot = slotAfterNext(plan);
  const ahead = {
    nextSlot,
    paymentsOpened: progress.paymentsOpened + 1,
    committedAmount: progress.committedAmount + amount,
  };
  const opened = {
    payment_plan_id: plan.id,
    slot: plan.next_slot,
    due_date: slotDate(cadence, plan.next_slot),
    amount,
    payment_intent_id: intent.id,
  };
  const [, , charge] = await pipelined(tx, [
    insertPaymentIntent(tx, intent),
    insertOpenSlot(tx, opened),
    openRecurringCharge(tx, intent, method, way, {
      source: 'plan',
      at,
      now,
      dueAt: awaitedAt(plan),
      testClockId: plan.test_clock_id,
    }),
    insertSkippedSlots(tx, plan.id, skippedSlots(cadence, plan.next_slot + 1, nextSlot)),
    updatePlan(tx, plan.id, { next_slot: nextSlot, next_due_at: dueInstant(plan, ahead), updated_at: at }),
  ]);
  return failIfRefused(tx, charge, way, now, planHook);
}

/** From when the plan's next slot can be collected: its due instant, or the activation if that is later. */
function awaitedAt({ next_due_at: dueAt, activated_at: activatedAt }: CollectingPlanRow): Date {
  return new Date(Math.max(Number(dueAt), Number(activatedAt)));
}

async function mustLockIntent(tx: Tx, id: string): Promise<PaymentIntentRow> {
  const intent = await lockPaymentIntent(tx, id);
  if (intent === null) throw new Error(`payment intent ${id} was not found, although its plan exists`);
  return intent;
}

function isRetrying({ status }: OpenSlotRow): boolean {
  return status === 'retrying';
}

/** Whether the charge of a slot waits for a payer, who has time until an instant. */
function hasChallenge({ status, challenge_ends_at: endsAt }: OpenSlotRow): boolean {
  return status === 'processing' && endsAt !== null;
}

function byChallengeEnd(a: OpenSlotRow, b: OpenSlotRow): number {
  return Number(a.challenge_ends_at) - Number(b.challenge_ends_at) || a.slot - b.slot;
}

function retryTime({ next_attempt_at: at }: OpenSlotRow): Date | null {
  return at;
}

function isRetryDue(at: Date): (slot: OpenSlotRow) => boolean {
  return (slot) => isRetrying(slot) && slot.next_attempt_at !== null && slot.next_attempt_at <= at;
}

function byAttemptTime(a: OpenSlotRow, b: OpenSlotRow): number {
  return Number(a.next_attempt_at) - Number(b.next_attempt_at) || a.slot - b.slot;
}
