// The payment of a plan that nothing else changes meanwhile, read without locks and written by single statements, as
// in optimistic-payments.ts. The version of a plan's row is also that of its slots (`changedBy`).
import type { CustomerInstant } from '../domain/instants.ts';
import type { OpenedSlot } from '../domain/plans/plan.ts';
import {
  type InsertCondition,
  insertWhere,
  sameVersion,
  type Versioned,
} from '../platform/postgres/conditional-insert.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { attemptInsert, type MethodColumns, methodColumns, methodOf, type Parties } from './optimistic-payments.ts';
import type { NewAttempt } from './payment-attempts.ts';
import { intentInsert, type PaymentIntentRow } from './payment-intents.ts';
import { type CollectingPlanRow, collectingColumns, type PlanChange, planWithOwners } from './payment-plans.ts';
import { clockTimes } from './subject-statuses.ts';

/** A plan without open slots and debits, and the method that it charges. */
export interface SimplePlan {
  plan: Versioned<CollectingPlanRow>;
  method: Parties['method'];
  /** Whether a slot of the plan has had a payment. */
  hasOpenedPayment: boolean;
  databaseTime: RealInstant;
  /** The target time of the clock's latest advance. Null in real time. */
  clockLimit: CustomerInstant | null;
}

type SimplePlanRow = Versioned<CollectingPlanRow> &
  MethodColumns & { has_opened_payment: boolean; database_time: RealInstant; clock_limit: CustomerInstant | null };

/** Reads an active plan and its method without locks. Null if it has an open slot, a debit, or no method. */
export async function selectSimplePlan(db: Db, id: string): Promise<SimplePlan | null> {
  const [row] = await db<SimplePlanRow[]>`
    select ${collectingColumns(db)}, ${clockTimes(db)}, ${methodColumns(db)}, p.xmin::text as version,
      clock_timestamp() as database_time, exists (
        select from payment_plan_slots where payment_plan_id = p.id and status <> 'skipped'
      ) as has_opened_payment
    from ${planWithOwners(db)}
    join payment_methods m on m.id = coalesce(p.payment_instrument_id, c.default_payment_method_id)
      and m.biller_id = p.biller_id and m.livemode = p.livemode
    where p.id = ${id} and p.state = 'active' and p.next_attempt_at is null and p.next_debit_at is null
      and not exists (
        select from payment_plan_slots
        where payment_plan_id = p.id and status in ('processing', 'retrying', 'failed', 'returned')
      )`;
  if (row === undefined) return null;
  const { has_opened_payment: hasOpenedPayment, database_time: databaseTime, clock_limit: clockLimit, ...plan } = row;
  return { plan, method: methodOf(row), hasOpenedPayment, databaseTime, clockLimit };
}

/** What the opening of a plan's next payment writes. */
export interface OpenedPayment {
  intent: PaymentIntentRow;
  attempt: NewAttempt;
  slot: OpenedSlot;
  plan: PlanChange & { updated_at: CustomerInstant };
}

/**
 * Opens the next payment of a plan with its attempt, if plan and method are still as they were read. Locks in the order
 * of every charge: plan, method. Returns the version of the plan and of the intent, or null if nothing was written.
 */
export async function openPaymentWhere(
  db: Db,
  { plan, method }: Pick<SimplePlan, 'plan' | 'method'>,
  { intent, attempt, slot, plan: change }: OpenedPayment,
): Promise<string | null> {
  const { clauses, condition } = insertWhere(db, [
    sameVersion('payment_plans', plan, 'no key update'),
    sameVersion('payment_methods', method, 'share'),
    planChange(plan.id, change),
  ]);
  const [row] = await db<{ version: string }[]>`
    ${clauses}, intent as (
      ${intentInsert(db, intent, condition)}
      returning xmin::text as version
    ), slot as (
      insert into payment_plan_slots (payment_plan_id, slot, due_date, amount, payment_intent_id, status)
      select ${plan.id}, ${slot.slot}, ${slot.due_date}, ${slot.amount}, ${intent.id}, 'processing' from intent
    )
    ${attemptInsert(db, attempt)}`;
  return row?.version ?? null;
}

/** Changes a plan, as a condition of the statement that goes on. */
export function planChange(id: string, change: PlanChange & { updated_at: CustomerInstant }): InsertCondition {
  const { metadata: _, ...columns } = change;
  return (db, met) => db`update payment_plans set ${db(columns)} where id = ${id} and ${met} returning id`;
}

/** Marks the slot that this payment pays as paid, as a condition of the statement that records the event. */
export function slotPaid(planId: string, paymentIntentId: string): InsertCondition {
  return (db, met) => db`
    update payment_plan_slots set status = 'paid', next_attempt_at = null, challenge_ends_at = null
    where payment_plan_id = ${planId} and payment_intent_id = ${paymentIntentId} and status = 'processing' and ${met}
    returning slot`;
}
