import type { Db } from '../platform/postgres/connection.ts';
import type { PaymentAttemptRow } from './payment-attempts.ts';

/** `given_up`: by an operator, for good; shown as `failed`. */
export type SlotStatus = 'processing' | 'paid' | 'retrying' | 'failed' | 'skipped' | 'given_up';

export interface PlanSlotRow {
  payment_plan_id: string;
  slot: number;
  due_date: string;
  status: SlotStatus;
  amount: number | null;
  payment_intent_id: string | null;
  failures: number;
  first_failed_at: Date | null;
  next_attempt_at: Date | null;
}

/**
 * A slot whose payment is under way, between retries, or failed: it has an intent and an amount, not yet collected. One that
 * was given up is none: nobody collects it any more.
 */
export interface OpenSlotRow extends PlanSlotRow {
  status: 'processing' | 'retrying' | 'failed';
  amount: number;
  payment_intent_id: string;
}

/** The slots of a plan that have come and are still to be paid, oldest first. */
export async function openSlots(db: Db, planId: string): Promise<OpenSlotRow[]> {
  return db<OpenSlotRow[]>`
    select * from payment_plan_slots
    where payment_plan_id = ${planId} and status in ('processing', 'retrying', 'failed')
    order by slot`;
}

/** The slot that a plan's payment intent is for, or null. */
export async function findSlotOfIntent(db: Db, paymentIntentId: string): Promise<PlanSlotRow | null> {
  const [row] = await db<PlanSlotRow[]>`
    select * from payment_plan_slots where payment_intent_id = ${paymentIntentId}`;
  return row ?? null;
}

/** One slot of a plan that has come, or null. */
export async function findSlot(db: Db, planId: string, slot: number): Promise<PlanSlotRow | null> {
  const [row] = await db<PlanSlotRow[]>`
    select * from payment_plan_slots where payment_plan_id = ${planId} and slot = ${slot}`;
  return row ?? null;
}

/** Whether a payment was ever made, or tried, for a slot of the plan. */
export async function hasOpenedPayment(db: Db, planId: string): Promise<boolean> {
  const rows = await db`
    select 1 from payment_plan_slots where payment_plan_id = ${planId} and status <> 'skipped' limit 1`;
  return rows.length > 0;
}

/** Opens a slot together with its payment. */
export async function insertOpenSlot(
  tx: Db,
  slot: { payment_plan_id: string; slot: number; due_date: string; amount: number; payment_intent_id: string },
): Promise<void> {
  await tx`
    insert into payment_plan_slots (payment_plan_id, slot, due_date, status, amount, payment_intent_id)
    values (
      ${slot.payment_plan_id}, ${slot.slot}, ${slot.due_date}, 'processing', ${slot.amount}, ${slot.payment_intent_id}
    )`;
}

/** Records slots that passed without a payment. */
export async function insertSkippedSlots(
  tx: Db,
  planId: string,
  slots: { slot: number; due_date: string }[],
): Promise<void> {
  if (slots.length === 0) return;
  await tx`
    insert into payment_plan_slots ${tx(
      slots.map(({ slot, due_date }) => ({ payment_plan_id: planId, slot, due_date, status: 'skipped' })),
    )}`;
}

/** Changes one slot. */
export async function updateSlot(
  tx: Db,
  planId: string,
  slot: number,
  change: Partial<Pick<PlanSlotRow, 'status' | 'failures' | 'first_failed_at' | 'next_attempt_at'>>,
): Promise<void> {
  await tx`update payment_plan_slots set ${tx(change)} where payment_plan_id = ${planId} and slot = ${slot}`;
}

/** Ends the retries of all slots of a plan; what is being charged at this moment stays under way. */
export async function stopRetries(tx: Db, planId: string): Promise<void> {
  await tx`
    update payment_plan_slots set status = 'failed', next_attempt_at = null
    where payment_plan_id = ${planId} and status = 'retrying'`;
}

/** Gives every unpaid slot that is not being charged a fresh series of tries, the first of them at `at`. */
export async function restartRetries(tx: Db, planId: string, at: Date): Promise<void> {
  await tx`
    update payment_plan_slots
    set status = 'retrying', next_attempt_at = ${at}, failures = 0, first_failed_at = null
    where payment_plan_id = ${planId} and status in ('retrying', 'failed')`;
}

/** The earliest retry of a plan, or null. */
export async function earliestRetry(tx: Db, planId: string): Promise<Date | null> {
  const [row] = await tx<{ at: Date | null }[]>`
    select min(next_attempt_at) as at from payment_plan_slots
    where payment_plan_id = ${planId} and status = 'retrying'`;
  return row?.at ?? null;
}

export interface PlanPaymentRow extends PlanSlotRow {
  attempts: Pick<PaymentAttemptRow, 'number' | 'outcome' | 'code' | 'message' | 'at'>[];
}

/** The slots of a plan that have come, newest first, each with its settled attempts; one more than `limit` when there are more. */
export async function listPlanPayments(
  db: Db,
  planId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<PlanPaymentRow[]> {
  const slots = await db<PlanSlotRow[]>`
    select * from payment_plan_slots
    where payment_plan_id = ${planId} ${before === undefined ? db`` : db`and slot < ${before}`}
    order by slot desc
    limit ${limit + 1}`;
  const intents = slots.flatMap((slot) => (slot.payment_intent_id === null ? [] : [slot.payment_intent_id]));
  const attempts = await db<PaymentAttemptRow[]>`
    select * from payment_attempts
    where payment_intent_id = any(${intents}) and outcome in ('succeeded', 'failed')
    order by payment_intent_id, number`;
  return slots.map((slot) => ({
    ...slot,
    attempts: attempts.filter((attempt) => attempt.payment_intent_id === slot.payment_intent_id),
  }));
}
