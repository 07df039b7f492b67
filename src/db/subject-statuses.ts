import type { DeclineCode } from '../domain/charge-outcome.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { PlanState, PlanStateReason } from '../domain/plan-state.ts';
import type { MinorUnits, SlotNumber } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { AttemptOutcome } from './payment-attempts.ts';

/** Whose a subject is, and the time of its clock. */
export interface OwnerRow {
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'> | null;
  test_clock_id: Id<'test_clock'> | null;
  frozen_time: CustomerInstant | null;
  /** The target time of the clock's latest advance, or the clock's own time if there was none. */
  clock_limit: CustomerInstant | null;
}

/** Returns these columns as fields of a `SubjectStatus`. */
export function ownerOf(row: OwnerRow) {
  return {
    billerId: row.biller_id,
    customerId: row.customer_id,
    testClockId: row.test_clock_id,
    livemode: row.livemode,
    clockTime: row.frozen_time?.getTime() ?? null,
    clockLimit: row.clock_limit?.getTime() ?? null,
  };
}

/**
 * The status of a plan in one row: what its workflow needs to decide what to wait for, and to show on the operator
 * page. The columns come from several tables; `retry_slot`, `retry_due_date`, `failures` and `slot_status` are columns
 * of `payment_plan_slots`, and `last_attempt_at` is `payment_attempts.at`.
 */
export interface PlanStatusRow extends OwnerRow {
  customer_id: Id<'customer'>;
  state: PlanState;
  state_reason: PlanStateReason | null;
  next_slot: SlotNumber;
  next_due_at: CustomerInstant | null;
  next_attempt_at: CustomerInstant | null;
  next_debit_at: CustomerInstant | null;
  /**
   * The step of a debit that is due first: its slot, and whether the bank has it (`attempt_outcome` of the attempt).
   */
  debit_slot: SlotNumber | null;
  debit_outcome: AttemptOutcome | null;
  time_zone: string;
  retry_slot: SlotNumber | null;
  /** Biller-local due date of the slot in `retry_slot`. */
  retry_due_date: string | null;
  failures: number | null;
  slot_status: 'processing' | 'retrying' | 'failed' | 'returned' | null;
  payment_intent_id: Id<'payment_intent'> | null;
  /** What the payer pays for that slot. */
  total_amount: MinorUnits | null;
  currency: string;
  last_error_code: DeclineCode | null;
  last_error_message: string | null;
  /** When the last attempt was made. */
  last_attempt_at: CustomerInstant | null;
  updated_at: CustomerInstant;
}

/**
 * The status of a plan, or null if it was deleted. Includes one unpaid slot: the one with the earliest retry, or else
 * the oldest.
 */
export async function selectPlanStatus(db: Db, id: string): Promise<PlanStatusRow | null> {
  const [row] = await db<PlanStatusRow[]>`
    select p.biller_id, p.livemode, p.customer_id, p.test_clock_id, p.state, p.state_reason, p.next_slot, p.next_due_at,
      p.next_attempt_at, p.next_debit_at, d.slot as debit_slot, d.outcome as debit_outcome, ${clockTimes(db)}, b.time_zone,
      s.slot as retry_slot, s.due_date as retry_due_date, s.failures, s.status as slot_status, s.payment_intent_id,
      i.total_amount, p.currency, i.last_error_code, i.last_error_message, a.at as last_attempt_at, p.updated_at
    from payment_plans p
    join billers b on b.id = p.biller_id
    left join test_clocks k on k.id = p.test_clock_id
    left join lateral (
      select slot, due_date, status, failures, payment_intent_id from payment_plan_slots
      where payment_plan_id = p.id and status in ('processing', 'retrying', 'failed', 'returned')
      order by next_attempt_at nulls last, slot
      limit 1
    ) s on true
    left join lateral (
      select i.payment_plan_slot as slot, a.outcome
      from bank_debits b
      join payment_attempts a on a.id = b.attempt_id
      join payment_intents i on i.id = b.payment_intent_id
      where p.next_debit_at is not null and b.payment_plan_id = p.id and b.next_at = p.next_debit_at
      order by a.at, b.payment_intent_id, b.attempt_id
      limit 1
    ) d on true
    left join payment_intents i on i.id = s.payment_intent_id
    left join payment_attempts a on a.payment_intent_id = i.id and a.number = i.attempt_count
    where p.id = ${id}`;
  return row ?? null;
}

/** The status of the debit of a single payment in one row. */
export interface DebitStatusRow extends OwnerRow {
  payment_intent_id: Id<'payment_intent'>;
  outcome: AttemptOutcome;
  code: DeclineCode | 'canceled' | null;
  message: string | null;
  next_at: CustomerInstant | null;
  /** When it was accepted, handed over, reported on or taken back: whichever came last. */
  since: CustomerInstant;
}

/** The status of the debit of this attempt, or null if it was deleted. */
export async function selectDebitStatus(db: Db, attemptId: string): Promise<DebitStatusRow | null> {
  const [row] = await db<DebitStatusRow[]>`
    select d.biller_id, d.livemode, m.customer_id, d.test_clock_id, d.payment_intent_id, a.outcome, a.code, a.message,
      d.next_at, coalesce(d.returned_at, d.result_at, d.submitted_at, a.at) as since, ${clockTimes(db)}
    from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    join mandates m on m.id = d.mandate_id
    left join test_clocks k on k.id = d.test_clock_id
    where d.attempt_id = ${attemptId}`;
  return row ?? null;
}

/** The status of a scheduled payment in one row. */
export interface ScheduledPaymentStatusRow extends OwnerRow {
  scheduled_at: CustomerInstant | null;
  updated_at: CustomerInstant;
}

/** The status of a scheduled payment, or null if it was deleted. */
export async function selectScheduledPaymentStatus(
  db: Db,
  intentId: string,
): Promise<ScheduledPaymentStatusRow | null> {
  const [row] = await db<ScheduledPaymentStatusRow[]>`
    select i.biller_id, i.livemode, i.customer_id, c.test_clock_id, i.scheduled_at, i.updated_at, ${clockTimes(db)}
    from payment_intents i
    left join customers c on c.id = i.customer_id
    left join test_clocks k on k.id = c.test_clock_id
    where i.id = ${intentId}`;
  return row ?? null;
}

/**
 * The columns `frozen_time` and `clock_limit` for the clock `k`. During an advance, what became due too late is done at
 * the time that the advance has reached. The latest advance is the one that goes furthest. Ids do not tell it: they
 * sort by the clock of the process that accepted the advance, and that can be wrong.
 */
export function clockTimes(db: Db) {
  return db`greatest(k.frozen_time, k.reached_time) as frozen_time, coalesce(
      (select max(target_time) from clock_advances where test_clock_id = k.id), k.frozen_time
    ) as clock_limit`;
}
