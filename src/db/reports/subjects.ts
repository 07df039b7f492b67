import type { Currency } from '../../domain/currencies.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { isOnClock, type ReportScope } from './report-rows.ts';

/** A plan or a subscription with its customer, as both are now. */
export interface SubjectRow {
  type: 'payment_plan' | 'subscription';
  id: string;
  name: string;
  state: string;
  state_reason: string | null;
  has_ended: boolean;
  currency: Currency;
  next_attempt_at: CustomerInstant | null;
  customer_id: string;
}

export interface ReportCustomerRow {
  customer_id: string;
  customer_name: string;
  customer_reference: string | null;
}

/** The customers of a report, in the order of their ids, after one of them. `owing`: only those who may owe now. */
export async function listReportCustomers(
  db: Db,
  scope: ReportScope,
  { after, limit, owing }: { after: string; limit: number; owing: boolean },
): Promise<ReportCustomerRow[]> {
  const { billerId, livemode } = scope.tenant;
  return db<ReportCustomerRow[]>`
    select c.id as customer_id, c.name as customer_name, c.reference as customer_reference
    from customers c
    where c.biller_id = ${billerId} and c.livemode = ${livemode} and c.id > ${after}
      and ${isOnClock(db, 'test_clock_id', scope)} and ${owing ? mayOwe(db) : hasSubject(db)}
    order by c.id
    limit ${limit}`;
}

function hasSubject(db: Db) {
  return db`(
    exists (select from payment_plans p where p.customer_id = c.id)
    or exists (select from subscriptions s where s.customer_id = c.id)
  )`;
}

function mayOwe(db: Db) {
  return db`(
    exists (
      select from payment_plans p join payment_plan_slots s on s.payment_plan_id = p.id
      where p.customer_id = c.id and s.status in ('processing', 'retrying', 'failed', 'returned')
    )
    or exists (select from subscriptions s where s.customer_id = c.id and s.owed_amount_cents > 0)
    or exists (select from payment_intents i where i.customer_id = c.id and i.total_returned_amount > 0)
  )`;
}

/** The plans and subscriptions of customers, by customer, older first. */
export async function listSubjects(db: Db, customerIds: readonly string[]): Promise<SubjectRow[]> {
  const ids = [...customerIds];
  return db<SubjectRow[]>`
    select 'payment_plan' as type, id, name, state, state_reason, state in ('closed', 'deactivated') as has_ended,
      currency, next_attempt_at, customer_id
    from payment_plans where customer_id = any(${ids})
    union all
    select 'subscription', id, name, state, state_reason, state = 'canceled', currency, next_attempt_at, customer_id
    from subscriptions where customer_id = any(${ids})
    order by customer_id, type, id`;
}
