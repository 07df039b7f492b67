import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { BankDebitRow } from './bank-debits.ts';
import type { AttemptOutcome, PaymentAttemptRow } from './payment-attempts.ts';

/**
 * `given_up`: an operator has ended the slot for good. The API shows it as `failed`. `returned`: it was paid, the bank
 * took the money back, and nothing tries it again unless the plan is resumed.
 */
export type SlotStatus = 'processing' | 'paid' | 'retrying' | 'failed' | 'skipped' | 'given_up' | 'returned';

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
  /** When the bank reported the last failure of the series. Null if that was no debit under a mandate. */
  last_result_at: Date | null;
  /** Until when the payer has time for the challenge of the bank, in customer time. Null without one. */
  challenge_ends_at: Date | null;
}

/**
 * A slot whose payment is in progress, between retries, failed or returned. It has an intent and an amount that is not
 * collected yet. A slot that was given up is not open: it is never collected.
 */
export interface OpenSlotRow extends PlanSlotRow {
  status: 'processing' | 'retrying' | 'failed' | 'returned';
  amount: number;
  payment_intent_id: string;
}

/** The open slots of a plan, oldest first. */
export async function listOpenSlots(db: Db, planId: string): Promise<OpenSlotRow[]> {
  return db<OpenSlotRow[]>`
    select * from payment_plan_slots
    where payment_plan_id = ${planId} and status in ('processing', 'retrying', 'failed', 'returned')
    order by slot`;
}

/** All slots of a plan that have come, oldest first. */
export async function listSlots(db: Db, planId: string): Promise<PlanSlotRow[]> {
  return db<PlanSlotRow[]>`select * from payment_plan_slots where payment_plan_id = ${planId} order by slot`;
}

/** The slot that a payment intent pays, or null. */
export async function selectSlotOfIntent(db: Db, paymentIntentId: string): Promise<PlanSlotRow | null> {
  const [row] = await db<PlanSlotRow[]>`
    select * from payment_plan_slots where payment_intent_id = ${paymentIntentId}`;
  return row ?? null;
}

/** One slot of a plan, or null. A slot has a row once its due date has come. */
export async function selectSlot(db: Db, planId: string, slot: number): Promise<PlanSlotRow | null> {
  const [row] = await db<PlanSlotRow[]>`
    select * from payment_plan_slots where payment_plan_id = ${planId} and slot = ${slot}`;
  return row ?? null;
}

/** Whether the plan has ever opened a payment for one of its slots. */
export async function hasOpenedPayment(db: Db, planId: string): Promise<boolean> {
  const rows = await db`
    select 1 from payment_plan_slots where payment_plan_id = ${planId} and status <> 'skipped' limit 1`;
  return rows.length > 0;
}

/** Opens a slot with its payment intent. */
export async function insertOpenSlot(
  tx: Tx,
  slot: { payment_plan_id: string; slot: number; due_date: string; amount: number; payment_intent_id: string },
): Promise<void> {
  await tx`insert into payment_plan_slots ${tx({ ...slot, status: 'processing' })}`;
}

/** Records slots that passed without a payment. */
export async function insertSkippedSlots(
  tx: Tx,
  planId: string,
  slots: { slot: number; due_date: string }[],
): Promise<void> {
  if (slots.length === 0) return;
  await tx`
    insert into payment_plan_slots ${tx(
      slots.map(({ slot, due_date }) => ({ payment_plan_id: planId, slot, due_date, status: 'skipped' })),
    )}`;
}

/** Stores a slot as it is, whether it has a row or not. */
export async function putSlot(tx: Tx, row: PlanSlotRow): Promise<void> {
  const { payment_plan_id, slot, ...columns } = row;
  await tx`
    insert into payment_plan_slots ${tx({ payment_plan_id, slot, ...columns })}
    on conflict (payment_plan_id, slot) do update set ${tx(columns)}`;
}

/** Changes one slot. */
export async function updateSlot(
  tx: Tx,
  planId: string,
  slot: number,
  change: Partial<
    Pick<
      PlanSlotRow,
      'status' | 'failures' | 'first_failed_at' | 'next_attempt_at' | 'last_result_at' | 'challenge_ends_at'
    >
  >,
): Promise<void> {
  await tx`update payment_plan_slots set ${tx(change)} where payment_plan_id = ${planId} and slot = ${slot}`;
}

/**
 * Ends the retries of all slots of a plan. A charge in progress continues. A slot whose payment came back and was not
 * tried since stays `returned`.
 */
export async function stopRetries(tx: Tx, planId: string): Promise<void> {
  await tx`
    update payment_plan_slots s
    set status = case when i.status = 'returned' then 'returned' else 'failed' end, next_attempt_at = null
    from payment_intents i
    where s.payment_plan_id = ${planId} and s.status = 'retrying' and i.id = s.payment_intent_id`;
}

/** Starts a new series of retries for every unpaid slot that is not being charged. The first retry is at `at`. */
export async function restartRetries(tx: Tx, planId: string, at: Date): Promise<void> {
  await tx`
    update payment_plan_slots
    set status = 'retrying', next_attempt_at = ${at}, failures = 0, first_failed_at = null, last_result_at = null
    where payment_plan_id = ${planId} and status in ('retrying', 'failed', 'returned')`;
}

/** When the earliest retry of a plan is due, or null. */
export async function selectEarliestRetry(tx: Tx, planId: string): Promise<Date | null> {
  const [row] = await tx<{ at: Date | null }[]>`
    select min(next_attempt_at) as at from payment_plan_slots
    where payment_plan_id = ${planId} and status = 'retrying'`;
  return row?.at ?? null;
}

/** An attempt that has an outcome, or is a debit under a mandate, with the course of that. */
interface ShownAttempt extends Pick<PaymentAttemptRow, 'payment_intent_id' | 'number' | 'code' | 'message' | 'at'> {
  outcome: Exclude<AttemptOutcome, 'processing' | 'requires_action'>;
  debit: BankDebitRow | null;
}

export interface PlanPaymentRow extends PlanSlotRow {
  attempts: ShownAttempt[];
}

/**
 * A page of the slots of a plan, newest first, with one extra row if more follow. Each has its attempts, except one
 * that is being charged.
 */
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
  const attempts = await db<(Omit<ShownAttempt, 'debit'> & { id: string })[]>`
    select id, payment_intent_id, number, outcome, code, message, at from payment_attempts
    where payment_intent_id = any(${intents}) and outcome in ('succeeded', 'failed', 'accepted', 'submitted', 'returned')
    order by payment_intent_id, number`;
  const debits = await db<BankDebitRow[]>`select * from bank_debits where payment_intent_id = any(${intents})`;
  const debitOf = new Map(debits.map((debit) => [debit.attempt_id, debit]));
  const shown = attempts.map((attempt) => ({ ...attempt, debit: debitOf.get(attempt.id) ?? null }));
  return slots.map((slot) => ({
    ...slot,
    attempts: shown.filter((attempt) => attempt.payment_intent_id === slot.payment_intent_id),
  }));
}
