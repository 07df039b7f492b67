import type { PlanState } from '../domain/plan-state.ts';
import type { Db } from '../platform/postgres/connection.ts';

/**
 * The status of a plan in one row: what its workflow needs to decide what to wait for, and to show on the operator
 * page. The columns come from several tables; `retry_slot`, `retry_due_date`, `failures` and `slot_status` are columns
 * of `payment_plan_slots`, and `last_attempt_at` is `payment_attempts.at`.
 */
export interface PlanStatusRow {
  biller_id: string;
  livemode: boolean;
  customer_id: string;
  test_clock_id: string | null;
  state: PlanState;
  state_reason: string | null;
  next_slot: number;
  next_due_at: Date | null;
  next_attempt_at: Date | null;
  frozen_time: Date | null;
  /** The target time of the clock's latest advance, or the clock's own time if there was none. */
  clock_limit: Date | null;
  time_zone: string;
  retry_slot: number | null;
  /** Biller-local due date of the slot in `retry_slot`. */
  retry_due_date: string | null;
  failures: number | null;
  slot_status: 'processing' | 'retrying' | 'failed' | null;
  payment_intent_id: string | null;
  /** What the payer pays for that slot, minor units. */
  total_amount: number | null;
  currency: string;
  last_error_code: string | null;
  last_error_message: string | null;
  /** When the last attempt was made, in the customer's time. */
  last_attempt_at: Date | null;
  updated_at: Date;
}

/**
 * The status of a plan, or null if it was deleted. Includes one unpaid slot: the one with the earliest retry, or else
 * the oldest.
 */
export async function selectPlanStatus(db: Db, id: string): Promise<PlanStatusRow | null> {
  const [row] = await db<PlanStatusRow[]>`
    select p.biller_id, p.livemode, p.customer_id, p.test_clock_id, p.state, p.state_reason, p.next_slot, p.next_due_at,
      p.next_attempt_at, k.frozen_time, ${clockLimit(db)}, b.time_zone, s.slot as retry_slot, s.due_date as retry_due_date, s.failures,
      s.status as slot_status, s.payment_intent_id, i.total_amount, p.currency, i.last_error_code, i.last_error_message, a.at as last_attempt_at,
      p.updated_at
    from payment_plans p
    join billers b on b.id = p.biller_id
    left join test_clocks k on k.id = p.test_clock_id
    left join lateral (
      select slot, due_date, status, failures, payment_intent_id from payment_plan_slots
      where payment_plan_id = p.id and status in ('processing', 'retrying', 'failed')
      order by next_attempt_at nulls last, slot
      limit 1
    ) s on true
    left join payment_intents i on i.id = s.payment_intent_id
    left join payment_attempts a on a.payment_intent_id = i.id and a.number = i.attempt_count
    where p.id = ${id}`;
  return row ?? null;
}

/** The status of a scheduled payment in one row. */
export interface ScheduledPaymentStatusRow {
  biller_id: string;
  livemode: boolean;
  customer_id: string | null;
  test_clock_id: string | null;
  scheduled_at: Date | null;
  updated_at: Date;
  frozen_time: Date | null;
  /** The target time of the clock's latest advance, or the clock's own time if there was none. */
  clock_limit: Date | null;
}

/** The status of a scheduled payment, or null if it was deleted. */
export async function selectScheduledPaymentStatus(
  db: Db,
  intentId: string,
): Promise<ScheduledPaymentStatusRow | null> {
  const [row] = await db<ScheduledPaymentStatusRow[]>`
    select i.biller_id, i.livemode, i.customer_id, c.test_clock_id, i.scheduled_at, i.updated_at, k.frozen_time, ${clockLimit(db)}
    from payment_intents i
    left join customers c on c.id = i.customer_id
    left join test_clocks k on k.id = c.test_clock_id
    where i.id = ${intentId}`;
  return row ?? null;
}

/** The column `clock_limit` for the clock `k`. Ids of advances sort by the time at which they were accepted. */
function clockLimit(db: Db) {
  return db`coalesce(
      (select target_time from clock_advances where test_clock_id = k.id order by id desc limit 1), k.frozen_time
    ) as clock_limit`;
}
