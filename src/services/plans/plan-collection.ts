// How a due payment of a plan is collected. A simple one is read without locks and decided by the same rules as any
// other. Then one statement opens it, and one records that it was paid, each on the condition that nothing has changed
// since, as `optimistic-charge.ts` does it for a confirm. Whatever is not simple is collected with locks. The steps and
// their commits are the same, so either way continues from any of them.

import { selectFirstDebitOf } from '../../db/bank-debits.ts';
import {
  isStillOpen,
  type OpenedPayment,
  openPaymentWhere,
  planChange,
  type SimplePlan,
  selectSimplePlan,
  slotPaid,
} from '../../db/optimistic-payments.ts';
import { attemptCompletion } from '../../db/payment-attempts.ts';
import { insertPaymentIntent, intentOutcome, type PaymentIntentRow } from '../../db/payment-intents.ts';
import type { CollectingPlanRow } from '../../db/payment-plans.ts';
import { tenantOf } from '../../db/tenant.ts';
import { earliestInstant, laterInstant } from '../../domain/calendar.ts';
import type { ChargeOutcome } from '../../domain/charge-outcome.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { awaitedAt, type KnownSlot, type OpenedSlot } from '../../domain/plans/plan.ts';
import { attemptOpened, challenged, collected, openNext } from '../../domain/plans/steps.ts';
import { firstChallenge, firstRetry } from '../../domain/recurring/recurring-payment.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import { sameVersion } from '../../platform/postgres/conditional-insert.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined, unlessLocked } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import type { DebitStep } from '../debits/debit-steps.ts';
import { endChallengeOf, findInterrupted, finishStep, lockPaymentOf, openDebit } from '../debits/recurring-steps.ts';
import { recordEventsWhere, transact } from '../events.ts';
import { askAndRecord, type Charging, processorFor, recordOutcome } from '../payments/charge.ts';
import {
  type Charge,
  chargeOf,
  completed,
  emitCompleted,
  emitOpened,
  nextAttempt,
  outcomeEvent,
} from '../payments/charge-records.ts';
import { lockAndChooseRail } from '../payments/rail.ts';
import { chargeableMethod, failIfRefused, openRecurringCharge, recurringIntent } from '../payments/recurring-charge.ts';
import { decideSurcharge, surchargingOf } from '../payments/surcharges.ts';
import { assertConsistent, isConsistent, otherAmount, PlanInconsistent } from './plan-consistency.ts';
import { planHook } from './plan-dunning.ts';
import { changedBy, isUntouched, type LockedPlan, lockPlanWithSlots, store, withSlots } from './store.ts';

/** A payment that one statement has opened. */
interface Opened extends OpenedPayment {
  /** The plan with the slot of the payment. */
  after: LockedPlan;
  /** The version of the rows of plan and intent. As long as it lasts, nothing has happened to them. */
  version: string;
}

/**
 * Collects the next payment of a plan, if it is due at `at` and simple. Returns false if it is not, or if something
 * changes meanwhile: then nothing has changed here, and `collectDuePayment` decides.
 * @throws as `collectDuePayment`.
 */
export async function collectOptimistically(
  sql: Pool,
  charging: Charging,
  planId: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<boolean> {
  const found = await selectSimplePlan(sql, planId);
  if (found === null || !isSimple(found) || isAheadOfClock(found, time)) return false;
  const { plan, databaseTime } = found;
  const { next_due_at: dueAt, test_clock_id: clockId, frozen_time: clockTime } = plan;
  if (dueAt === null || !isConsistent(plan, time.at)) return false;
  const workflowTime = { ...time, at: laterInstant(time.at, clockTime ?? time.at) };
  const at = instantOf({ id: planId, isOnClock: clockId !== null, dueAt }, workflowTime, databaseTime);
  if (at === null) return true;
  processorFor(charging.processors, plan.livemode);
  const opened = await openSimplePayment(sql, found, at, now);
  if (opened === null) return false;
  const charge = chargeOf(opened.intent, found.method, opened.attempt);
  await askAndRecord(sql, charging.processors, charge, 'collection', async (outcome) => {
    if (await recordPaid(sql, opened, outcome, now)) return;
    await recordOutcome(sql, charge, { outcome, requestId: null, now }, charging.hook);
  });
  return true;
}

/** A bank account may have a mandate, and so be debited later. */
function isSimple({ method: { detached_at: detachedAt, instrument } }: SimplePlan): boolean {
  return detachedAt === null && instrument.type !== 'au_becs_debit';
}

/** Whether the workflow is ahead of its clock, because the database was restored from a back-up. */
function isAheadOfClock({ clockLimit }: SimplePlan, { at }: WorkflowTime): boolean {
  return clockLimit !== null && at > clockLimit;
}

/** Step one, in one statement. Returns null, and has written nothing, if the payment is not simple after all. */
async function openSimplePayment(
  sql: Pool,
  found: SimplePlan,
  at: CustomerInstant,
  now: RealInstant,
): Promise<Opened | null> {
  const { plan, method, hasOpenedPayment } = found;
  const locked = withSlots(plan, []);
  const change = openNext(locked, plan.collected_amount_cents === 0 && !hasOpenedPayment);
  if ((change.skips ?? []).length > 0) return null;
  const created = intentFor(plan, change.opens, method, at);
  const { after, changed } = changedBy(locked, change, at, { intentId: created.id });
  if (changed === null) return null;
  const how = newCharge(plan, awaitedAt(plan), at, now);
  const attempt = nextAttempt(created, method.id, how);
  const intent: PaymentIntentRow = { ...created, status: 'processing', attempt_count: attempt.number };
  const opened = { intent, attempt, slot: change.opens, plan: changed };
  const version = await unlessLocked(openPaymentWhere(sql, found, opened));
  if (version === null) return null;
  emitOpened(intent, how);
  return { ...opened, after, version };
}

/** Step three, in one statement: it was paid. Returns false, and has written nothing, if that is not all. */
async function recordPaid(
  sql: Pool,
  { intent, attempt, after: locked, version }: Opened,
  outcome: ChargeOutcome,
  now: RealInstant,
): Promise<boolean> {
  const [slot] = locked.slots;
  if (outcome.kind !== 'succeeded' || slot === undefined) return false;
  const { at } = attempt;
  const { id: planId, test_clock_id: testClockId } = locked.plan;
  const { completion, updated } = completed(intent, attempt, outcome, { at, now });
  const { changed, events } = changedBy(locked, collected(locked, slot, intent.amount), at);
  if (changed === null) return false;
  const origin = { ...tenantOf(intent), requestId: null, now };
  const paid = outcomeEvent(updated, { testClockId, at }, attempt.number, null);
  const eventIds = await unlessLocked(
    recordEventsWhere(
      sql,
      origin,
      [paid, ...events],
      [
        sameVersion('payment_plans', { id: planId, version }, 'no key update skip locked'),
        isStillOpen({ id: intent.id, version }, attempt.id),
        // It comes before all that is written: a slot that damage has changed stops the whole statement.
        slotPaid(planId, intent.id),
        planChange(planId, changed),
        attemptCompletion(attempt.id, 'processing', completion),
        intentOutcome(updated),
      ],
    ),
  );
  if (eventIds === null) return false;
  emitCompleted(updated, attempt, outcome, { testClockId, requestId: null, eventIds, openedAt: attempt.opened_at });
  return true;
}

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
  const intent = intentFor(plan, change.opens, method, at);
  const rail = await lockAndChooseRail(tx, intent, method, at);
  const [, , charge] = await pipelined(tx, [
    insertPaymentIntent(tx, intent),
    store(tx, locked, change, at, { intentId: intent.id }),
    openRecurringCharge(tx, intent, method, rail, newCharge(plan, awaitedAt(plan), at, now)),
  ]);
  return failIfRefused(tx, charge, rail, now, planHook);
}

/** The payment of a slot that opens. */
function intentFor(
  plan: CollectingPlanRow,
  { slot, amount }: OpenedSlot,
  method: Parameters<typeof recurringIntent>[3],
  at: CustomerInstant,
) {
  const taxable = plan.tax_included ? amount : 0;
  return recurringIntent(plan, { payment_plan_id: plan.id, payment_plan_slot: slot }, { amount, taxable }, method, at);
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
