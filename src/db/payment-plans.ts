import type { Fragment } from 'postgres';
import type { Currency } from '../domain/currencies.ts';
import type { FailureBehaviour } from '../domain/dunning.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Plan } from '../domain/plans/plan.ts';
import type { Costs } from '../domain/surcharges/costs.ts';
import type { FeeColumns } from '../domain/surcharges/fees.ts';
import type { Tax } from '../domain/tax/tax.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { fittingPage, jsonBytes } from '../platform/postgres/fitting-page.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { payerColumns } from './customers.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

/** The amounts of a plan as the service has written them. Nothing else writes them. */
export interface AgreedAmounts {
  agreed_recurring_cents: MinorUnits;
  agreed_first_cents: MinorUnits | null;
  agreed_total_cents: MinorUnits | null;
}

export interface PaymentPlanRow extends Plan, AgreedAmounts {
  id: Id<'payment_plan'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'>;
  test_clock_id: Id<'test_clock'> | null;
  name: string;
  until_further_notice: boolean;
  currency: Currency;
  payment_instrument_id: Id<'payment_method'> | null;
  failure_behaviour: FailureBehaviour;
  /** Whether its amounts include the tax of the biller. */
  tax_included: boolean;
  metadata: Record<string, string>;
  /** The state in which it has ended, for good. */
  ended_as: 'deactivated' | 'closed' | null;
  /** The earliest step of the plan's debits, in any state of the plan. Only `db/bank-debits.ts` writes it. */
  next_debit_at: CustomerInstant | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** A plan with what its collection needs from the biller, the customer and the test clock. */
export interface CollectingPlanRow extends PaymentPlanRow, FeeColumns {
  time_zone: string;
  statement_descriptor: string | null;
  default_payment_method_id: Id<'payment_method'> | null;
  customer_pays_fees: boolean;
  country: string | null;
  cost_of_acceptance: Costs;
  tax: Tax | null;
  frozen_time: CustomerInstant | null;
}

/** Stores a new plan. */
export async function insertPlan(db: Db, row: PaymentPlanRow): Promise<void> {
  await db`insert into payment_plans ${db({ ...row, metadata: jsonb(db, row.metadata) })}`;
}

/** The plan of this biller and mode, or null. */
export async function selectPlan(db: Db, tenant: TenantKey, id: string): Promise<PaymentPlanRow | null> {
  const [row] = await db<PaymentPlanRow[]>`
    select * from payment_plans
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/**
 * Locks a plan for update until the transaction ends, so that collecting, changing and ending it never overlap. Returns
 * the plan with everything that a collection needs, or null if the plan was deleted.
 */
export async function lockPlan(tx: Tx, id: string): Promise<CollectingPlanRow | null> {
  const [row] = await tx<CollectingPlanRow[]>`
    select ${collectingColumns(tx)}, k.frozen_time
    from ${planWithOwners(tx)}
    where p.id = ${id}
    for no key update of p`;
  return row ?? null;
}

/** The columns of a `CollectingPlanRow` from `planWithOwners`, but for the time of its clock `k`. */
export function collectingColumns(db: Db) {
  return db`p.*, ${payerColumns(db)}`;
}

export function planWithOwners(db: Db) {
  return db`
    payment_plans p
    join billers b on b.id = p.biller_id
    join customers c on c.id = p.customer_id
    left join test_clocks k on k.id = p.test_clock_id`;
}

/**
 * The ids of plans whose amounts or state the service has not written so: the rules of `wrongTerms`. An index has them,
 * and is nearly always empty.
 */
export function editedPlans(db: Db): Fragment {
  return db`
    select id from payment_plans
    where (ended_as is not null and state not in ('closed', 'deactivated'))
      or (state = 'active' and state_reason is not null)
      or (state not in ('closed', 'deactivated') and (
        agreed_recurring_cents <> recurring_amount_cents
        or agreed_first_cents is distinct from first_amount_cents
        or agreed_total_cents is distinct from total_amount_cents))`;
}

/** The columns that can change while a plan is collected, changed or ended. */
export type PlanChange = Partial<
  Omit<PaymentPlanRow, 'id' | 'biller_id' | 'livemode' | 'customer_id' | 'next_debit_at' | 'created_at'>
>;

/** Changes a locked plan. */
export async function updatePlan(
  tx: Tx,
  id: string,
  change: PlanChange & { updated_at: CustomerInstant },
): Promise<void> {
  const { metadata, ...plain } = change;
  const columns = metadata === undefined ? plain : { ...plain, metadata: jsonb(tx, metadata) };
  await tx`update payment_plans set ${tx(columns)} where id = ${id}`;
}

export interface PlanFilter {
  customerId?: Id<'customer'> | undefined;
  state?: string | undefined;
}

/** A page of plans, newest first, with one extra row if more follow. */
export async function listPlans(db: Db, tenant: TenantKey, filter: PlanFilter, page: Page): Promise<PaymentPlanRow[]> {
  return db<PaymentPlanRow[]>`${fittingPage(
    db,
    jsonBytes(db, 'metadata'),
    db`
      select * from payment_plans
      where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
        ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
        ${filter.state === undefined ? db`` : db`and state = ${filter.state}`}
        and ${isOnPage(db, 'payment_plans', tenant, page)}
      order by ${orderOf(db, page)}
      limit ${page.limit + 1}`,
  )}`;
}

/** Condition: the subscription limits how far an advance can go. It counts as monthly, whatever its interval. */
export function countsForBound(db: Db) {
  return db`state in ('trialing', 'active', 'past_due')`;
}

/**
 * The distinct frequencies of the active plans and subscriptions on a test clock. They limit how far an advance can go.
 */
export async function listActiveFrequenciesOnClock(
  db: Db,
  testClockId: string,
): Promise<{ frequencyType: 'weekly' | 'monthly'; frequencyPeriod: number }[]> {
  return db<{ frequencyType: 'weekly' | 'monthly'; frequencyPeriod: number }[]>`
    select distinct frequency_type as "frequencyType", frequency_period as "frequencyPeriod"
    from payment_plans
    where test_clock_id = ${testClockId} and state = 'active'
    union
    select 'monthly', 1 from subscriptions where test_clock_id = ${testClockId} and ${countsForBound(db)}`;
}

/** Locks the plans of a customer that have not ended, and returns them oldest first. */
export async function lockOpenPlansOfCustomer(tx: Tx, customerId: string): Promise<{ id: Id<'payment_plan'> }[]> {
  return tx<{ id: Id<'payment_plan'> }[]>`
    select id from payment_plans
    where customer_id = ${customerId} and state in ('pending', 'active', 'suspended')
    order by id
    for no key update`;
}

/**
 * The plans among these, of whatever mode, for which a charge is due or under way: an active one whose next instant has
 * come in the time of its customer, and one of which the processor is being asked.
 */
export async function listCollectingPlans(
  db: Db,
  plans: readonly { id: string; biller_id: string }[],
  now: RealInstant,
): Promise<Pick<PaymentPlanRow, 'id' | 'biller_id' | 'livemode'>[]> {
  return db<Pick<PaymentPlanRow, 'id' | 'biller_id' | 'livemode'>[]>`
    select p.id, p.biller_id, p.livemode
    from payment_plans p
    join unnest(${plans.map(({ id }) => id)}::text[], ${plans.map((plan) => plan.biller_id)}::text[])
      as asked (id, biller_id) using (id, biller_id)
    left join test_clocks k on k.id = p.test_clock_id
    where (p.state = 'active' and p.wake_at <= coalesce(k.frozen_time, ${now}))
      or exists (
        select from payment_plan_slots s join payment_attempts a on a.payment_intent_id = s.payment_intent_id
        where s.payment_plan_id = p.id and s.status = 'processing' and a.outcome = 'processing'
      )`;
}
