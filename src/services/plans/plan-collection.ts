import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { insertPaymentIntent, lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { lockPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import {
  insertOpenSlot,
  insertSkippedSlots,
  listOpenSlots,
  type OpenSlotRow,
  updateSlot,
} from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, cadenceOf, lockPlan, termsOf, updatePlan } from '../../db/payment-plans.ts';
import { slotDate } from '../../domain/calendar.ts';
import { priceOf } from '../../domain/fees.ts';
import { newId } from '../../domain/ids.ts';
import { nextPaymentAmount } from '../../domain/plan-schedule.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { Processors } from '../../processors/processor.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { debitUnderMandate } from '../mandates/debits.ts';
import { askProcessor, processorFor } from '../payments/ask-processor.ts';
import { openCharge, recordOutcome, reopenCharge, type UnattendedCharge, unlessRefused } from '../payments/charge.ts';
import { untried } from '../payments/payment-intents.ts';
import { dueInstant, progressOf, skippedSlots, slotAfterNext } from './plan-calendar.ts';
import { planHook } from './plan-dunning.ts';

/**
 * Collects the longest overdue payment of a plan, if one is due at `at` (the customer's time). There are three steps:
 * open the attempt, ask the processor, record the outcome. Each step is committed before the next. After a crash, a
 * repetition continues from the step that was reached, so no payment is taken twice. The database's clock decides what
 * is due for a plan in real time (see `instantOf`).
 * @param now real time.
 * @throws ProcessorNotConfigured for a live plan while no live processor is configured; WorkflowClockAhead if a payment
 * is due by the workflow's clock only. In both cases nothing has changed.
 */
export async function collectDuePayment(
  sql: Db,
  processors: Processors,
  planId: string,
  { now, ...time }: WorkflowTime & { now: Date },
): Promise<void> {
  const charge = await atomically(sql, async (tx) => {
    const opened = await openDuePayment(tx, processors, planId, time, now);
    return opened && unlessRefused(tx, opened, now, planHook);
  });
  if (charge === null) return;
  pass('collection opened');
  const outcome = await askProcessor(processors, charge);
  pass('collection charged');
  await recordOutcome(sql, charge, { outcome, requestId: null, now }, planHook);
  pass('collection completed');
}

/**
 * Step one. An attempt that a dead worker left open comes first, in any plan state: the processor may have taken the
 * money. Then comes the oldest due payment. At the same instant, the older slot comes first.
 */
async function openDuePayment(
  tx: Tx,
  processors: Processors,
  planId: string,
  time: WorkflowTime,
  now: Date,
): Promise<UnattendedCharge | null> {
  // The statements after the lock see everything committed before it was granted.
  const [plan, slots, databaseTime] = await pipelined(tx, [
    lockPlan(tx, planId),
    listOpenSlots(tx, planId),
    databaseNow(tx),
  ]);
  if (plan === null) return null;
  const interrupted = await findInterrupted(tx, slots);
  if (interrupted !== null || plan.state !== 'active') return interrupted;
  const dueAt = earliest([plan.next_due_at, ...slots.filter(isRetrying).map((slot) => slot.next_attempt_at)]);
  const at = dueAt && instantOf({ id: planId, isOnClock: plan.test_clock_id !== null, dueAt }, time, databaseTime);
  if (at === null) return null;
  const retry = slots.filter(isRetryDue(at)).sort(byAttemptTime)[0];
  const isSlotDue = plan.next_due_at !== null && plan.next_due_at <= at;
  processorFor(processors, plan.livemode);
  if (retry !== undefined && !(isSlotDue && Number(plan.next_due_at) < Number(retry.next_attempt_at))) {
    return openRetry(tx, plan, slots, retry, at, now);
  }
  return openNextSlot(tx, plan, slots, at, now);
}

async function findInterrupted(tx: Tx, slots: OpenSlotRow[]): Promise<UnattendedCharge | null> {
  for (const slot of slots.filter(({ status }) => status === 'processing')) {
    const attempt = await selectAttemptInFlight(tx, slot.payment_intent_id);
    if (attempt === null || attempt.source !== 'plan' || attempt.outcome !== 'processing') continue;
    const intent = await mustLockIntent(tx, slot.payment_intent_id);
    return { charge: await reopenCharge(tx, intent, attempt), refusal: null };
  }
  return null;
}

async function openRetry(
  tx: Tx,
  plan: CollectingPlanRow,
  slots: OpenSlotRow[],
  slot: OpenSlotRow,
  at: Date,
  now: Date,
): Promise<UnattendedCharge> {
  const [method, intent] = await pipelined(tx, [
    chargeableMethod(tx, plan),
    mustLockIntent(tx, slot.payment_intent_id),
  ]);
  const refusal = method && (await debitUnderMandate(tx, method, { amount: intent.total_amount, at }));
  const others = slots.filter((other) => other !== slot && other.status === 'retrying').sort(byAttemptTime);
  const [charge] = await pipelined(tx, [
    openCharge(tx, intent, method, {
      source: 'plan',
      at,
      now,
      dueAt: slot.next_attempt_at,
      testClockId: plan.test_clock_id,
    }),
    updateSlot(tx, plan.id, slot.slot, { status: 'processing', next_attempt_at: null }),
    updatePlan(tx, plan.id, { next_attempt_at: others[0]?.next_attempt_at ?? null, updated_at: at }),
  ]);
  return { charge, refusal };
}

async function openNextSlot(
  tx: Tx,
  plan: CollectingPlanRow,
  slots: OpenSlotRow[],
  at: Date,
  now: Date,
): Promise<UnattendedCharge> {
  const cadence = cadenceOf(plan);
  const progress = await progressOf(tx, plan, slots);
  const amount = nextPaymentAmount(termsOf(plan), progress);
  if (amount === null) throw new Error(`plan ${plan.id} has slot ${plan.next_slot} due with nothing left to collect`);
  const method = await chargeableMethod(tx, plan);
  const intent = newIntent(plan, amount, method, at);
  const refusal = method && (await debitUnderMandate(tx, method, { amount: intent.total_amount, at }));
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
    openCharge(tx, intent, method, {
      source: 'plan',
      at,
      now,
      dueAt: awaitedAt(plan),
      testClockId: plan.test_clock_id,
    }),
    insertSkippedSlots(tx, plan.id, skippedSlots(cadence, plan.next_slot + 1, nextSlot)),
    updatePlan(tx, plan.id, { next_slot: nextSlot, next_due_at: dueInstant(plan, ahead), updated_at: at }),
  ]);
  return { charge, refusal };
}

/** From when the plan's next slot can be collected: its due instant, or the activation if that is later. */
function awaitedAt({ next_due_at: dueAt, activated_at: activatedAt }: CollectingPlanRow): Date {
  return new Date(Math.max(Number(dueAt), Number(activatedAt)));
}

/**
 * Returns the plan's own method or, if it has none, the customer's current default. Returns null if that method cannot
 * be charged.
 */
async function chargeableMethod(tx: Tx, plan: CollectingPlanRow): Promise<PaymentMethodRow | null> {
  const id = plan.payment_instrument_id ?? plan.default_payment_method_id;
  const method = id === null ? null : await lockPaymentMethod(tx, tenantOf(plan), id);
  return method === null || method.detached_at !== null ? null : method;
}

function newIntent(
  plan: CollectingPlanRow,
  amount: number,
  method: PaymentMethodRow | null,
  at: Date,
): PaymentIntentRow {
  const feeSchedule = { basisPoints: plan.fee_basis_points, fixed: plan.fee_fixed };
  const price = priceOf(amount, feeSchedule, plan.customer_pays_fees);
  return {
    id: newId('payment_intent', plan),
    biller_id: plan.biller_id,
    livemode: plan.livemode,
    customer_id: plan.customer_id,
    payment_method_id: method?.id ?? plan.payment_instrument_id,
    payment_plan_id: plan.id,
    payment_plan_slot: plan.next_slot,
    amount,
    fee_amount: price.feeAmount,
    surcharge_amount: price.surchargeAmount,
    surcharge_applied: price.surchargeApplied,
    total_amount: price.totalAmount,
    currency: plan.currency,
    metadata: plan.metadata,
    statement_descriptor: plan.statement_descriptor,
    scheduled_payment_date: null,
    scheduled_at: null,
    ...untried(at),
  };
}

async function mustLockIntent(tx: Tx, id: string): Promise<PaymentIntentRow> {
  const intent = await lockPaymentIntent(tx, id);
  if (intent === null) throw new Error(`payment intent ${id} was not found, although its plan exists`);
  return intent;
}

function isRetrying({ status }: OpenSlotRow): boolean {
  return status === 'retrying';
}

function isRetryDue(at: Date): (slot: OpenSlotRow) => boolean {
  return (slot) => isRetrying(slot) && slot.next_attempt_at !== null && slot.next_attempt_at <= at;
}

function earliest(instants: (Date | null)[]): Date | null {
  const known = instants.flatMap((instant) => (instant === null ? [] : Number(instant)));
  return known.length === 0 ? null : new Date(Math.min(...known));
}

function byAttemptTime(a: OpenSlotRow, b: OpenSlotRow): number {
  return Number(a.next_attempt_at) - Number(b.next_attempt_at) || a.slot - b.slot;
}

function tenantOf(plan: CollectingPlanRow): { billerId: string; livemode: boolean } {
  return { billerId: plan.biller_id, livemode: plan.livemode };
}
