import { selectFirstDebitOf } from '../../db/bank-debits.ts';
import { insertPaymentIntent } from '../../db/payment-intents.ts';
import type { CollectingPlanRow } from '../../db/payment-plans.ts';
import { earliestInstant, laterInstant } from '../../domain/calendar.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { awaitedAt } from '../../domain/plans/apply.ts';
import type { KnownSlot } from '../../domain/plans/plan.ts';
import { attemptOpened, challenged, openNext } from '../../domain/plans/steps.ts';
import { firstChallenge, firstRetry } from '../../domain/recurring/recurring-payment.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import type { DebitStep } from '../debits/debit-steps.ts';
import { endChallengeOf, findInterrupted, finishStep, lockPaymentOf, openDebit } from '../debits/recurring-steps.ts';
import { transact } from '../events.ts';
import { processorFor } from '../payments/ask-processor.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeableMethod, recurringIntent } from '../payments/new-intent.ts';
import { lockAndChooseRail } from '../payments/rail.ts';
import { failIfRefused, openRecurringCharge } from '../payments/recurring-charge.ts';
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
  await finishStep(sql, charging, opened, now);
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
  const interrupted = await findInterrupted(tx, slots, plan.id);
  if (interrupted !== null) return interrupted;
  const isOnClock = plan.test_clock_id !== null;
  if (plan.state === 'active') {
    await assertConsistent(tx, locked, isOnClock ? time.at : laterInstant(time.at, withoutClock(databaseTime)));
  }
  const debit = plan.next_debit_at === null ? null : await selectFirstDebitOf(tx, { planId: plan.id });
  const challenge = firstChallenge(slots);
  const payments = plan.state === 'active' ? [plan.next_due_at, plan.next_attempt_at] : [];
  const dueAt = earliestInstant([debit?.next_at ?? null, challenge?.challenge_ends_at ?? null, ...payments]);
  const at = dueAt && instantOf({ id: planId, isOnClock, dueAt }, time, databaseTime);
  if (at === null) return null;
  if (debit !== null && debit.next_at?.getTime() === dueAt?.getTime()) return openDebit(tx, charging, debit, at, now);
  if (challenge !== null && challenge.challenge_ends_at?.getTime() === dueAt?.getTime()) {
    const hasEnded = await endChallengeOf(tx, charging, challenge, { at, now });
    if (!hasEnded) await store(tx, locked, challenged(challenge, null), at);
    return null;
  }
  processorFor(charging.processors, plan.livemode);
  const retry = firstRetry(slots);
  const isRetryDue = retry?.next_attempt_at?.getTime() === dueAt?.getTime();
  return retry !== null && isRetryDue ? openRetry(tx, locked, retry, at, now) : openNextSlot(tx, locked, at, now);
}

async function openRetry(
  tx: Tx,
  locked: LockedPlan,
  slot: KnownSlot,
  at: CustomerInstant,
  now: RealInstant,
): Promise<Charge | null> {
  const { plan } = locked;
  const [intent, method] = await pipelined(tx, [lockPaymentOf(tx, slot, plan.id), chargeableMethod(tx, plan)]);
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
