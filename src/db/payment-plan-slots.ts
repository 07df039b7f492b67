import type { Id } from '../domain/ids.ts';
import type { KnownSlot, OpenedSlot, SkippedSlot, Slot, SlotChange } from '../domain/plans/plan.ts';
import type { MinorUnits, SlotNumber } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { BankDebitRow } from './bank-debits.ts';
import type { AttemptOutcome, PaymentAttemptRow } from './payment-attempts.ts';

export interface PlanSlotRow extends Slot {
  payment_plan_id: Id<'payment_plan'>;
}

/** A slot whose payment is in progress, between retries, failed or returned (`isOpen`). */
export interface OpenSlotRow extends PlanSlotRow {
  status: 'processing' | 'retrying' | 'failed' | 'returned';
  amount: MinorUnits;
  payment_intent_id: Id<'payment_intent'>;
}

/** The open slots of a plan, oldest first. */
export async function listOpenSlots(db: Db, planId: string): Promise<OpenSlotRow[]> {
  return db<OpenSlotRow[]>`
    select * from payment_plan_slots
    where payment_plan_id = ${planId} and status in ('processing', 'retrying', 'failed', 'returned')
    order by slot`;
}

/**
 * The open slots of a plan, and the slot that this payment pays, oldest first. Each says whether its payment is
 * `returned`.
 */
export async function listKnownSlots(
  db: Db,
  planId: string,
  paymentIntentId: Id<'payment_intent'> | null = null,
): Promise<KnownSlot[]> {
  return db<KnownSlot[]>`
    select s.*, i.status = 'returned' as is_returned
    from payment_plan_slots s
    join payment_intents i on i.id = s.payment_intent_id
    where s.payment_plan_id = ${planId} and s.status in ('processing', 'retrying', 'failed', 'returned')
    union all
    select s.*, false from payment_plan_slots s
    where s.payment_plan_id = ${planId} and s.payment_intent_id = ${paymentIntentId}
      and s.status not in ('processing', 'retrying', 'failed', 'returned')
    order by slot`;
}

/** All slots of a plan that have come, oldest first, as `listKnownSlots` does. For corrections only: it reads many. */
export async function listAllSlots(tx: Tx, planId: string): Promise<KnownSlot[]> {
  return tx<KnownSlot[]>`
    select s.*, coalesce(i.status = 'returned', false) as is_returned
    from payment_plan_slots s
    left join payment_intents i on i.id = s.payment_intent_id
    where s.payment_plan_id = ${planId}
    order by s.slot`;
}

/** One slot of a plan, or null. A slot has a row once its due date has come. */
export async function selectSlot(db: Db, planId: string, slot: SlotNumber): Promise<PlanSlotRow | null> {
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
  planId: Id<'payment_plan'>,
  slot: OpenedSlot,
  paymentIntentId: Id<'payment_intent'>,
): Promise<void> {
  const row = { payment_plan_id: planId, ...slot, payment_intent_id: paymentIntentId, status: 'processing' };
  await tx`insert into payment_plan_slots ${tx(row)}`;
}

/** Records slots that passed without a payment. */
export async function insertSkippedSlots(tx: Tx, planId: string, slots: readonly SkippedSlot[]): Promise<void> {
  if (slots.length === 0) return;
  await tx`
    insert into payment_plan_slots ${tx(
      slots.map(({ slot, due_date }) => ({ payment_plan_id: planId, slot, due_date, status: 'skipped' })),
    )}`;
}

/** Stores a slot as it is, whether it has a row or not. */
export async function putSlot(tx: Tx, planId: string, row: Slot): Promise<void> {
  await tx`
    insert into payment_plan_slots ${tx({ payment_plan_id: planId, ...row }, 'payment_plan_id', 'slot', ...columns)}
    on conflict (payment_plan_id, slot) do update set ${tx(row, ...columns)}`;
}

const columns = [
  'due_date',
  'status',
  'amount',
  'payment_intent_id',
  'failures',
  'first_failed_at',
  'next_attempt_at',
  'last_result_at',
  'challenge_ends_at',
] as const satisfies (keyof Slot)[];

/** Changes some slots in the same way. */
export async function updateSlots(tx: Tx, planId: string, { slots, change }: SlotChange): Promise<void> {
  if (slots.length === 0) return;
  await tx`
    update payment_plan_slots set ${tx(change)} where payment_plan_id = ${planId} and slot = any(${slots}::integer[])`;
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
  const attempts = await db<(Omit<ShownAttempt, 'debit'> & { id: Id<'payment_attempt'> })[]>`
    select id, payment_intent_id, number, outcome, code, message, at from payment_attempts
    where payment_intent_id = any(${intents})
      and outcome in ('succeeded', 'failed', 'accepted', 'submitted', 'returned')
    order by payment_intent_id, number`;
  const debits = await db<BankDebitRow[]>`select * from bank_debits where payment_intent_id = any(${intents})`;
  const debitOf = new Map(debits.map((debit) => [debit.attempt_id, debit]));
  const shown = attempts.map((attempt) => ({ ...attempt, debit: debitOf.get(attempt.id) ?? null }));
  return slots.map((slot) => ({
    ...slot,
    attempts: shown.filter((attempt) => attempt.payment_intent_id === slot.payment_intent_id),
  }));
}
