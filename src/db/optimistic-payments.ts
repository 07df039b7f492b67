// A payment that nothing else changes meanwhile needs no lock while it is decided: it is read, then written by one
// statement whose conditions are that every row is still the version that was read. See `sameVersion`. First those that
// are confirmed, then the next payment of a plan: the version of a plan's row is also that of its slots (`changedBy`).
import type { Id } from '../domain/ids.ts';
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
import type { CustomerRow } from './customers.ts';
import type { NewAttempt } from './payment-attempts.ts';
import { intentInsert, type PaymentIntentRow, surchargeAssignments } from './payment-intents.ts';
import { instrumentColumn, type PaymentMethodRow } from './payment-methods.ts';
import { type CollectingPlanRow, collectingColumns, type PlanChange, planWithOwners } from './payment-plans.ts';
import { clockTimes } from './subject-statuses.ts';
import type { TenantKey } from './tenant.ts';

/** Who pays and with which method, as far as a charge depends on them. */
export interface Parties {
  payer: Versioned<Pick<CustomerRow, 'id' | 'test_clock_id' | 'fee_preferences' | 'deleted_at'>>;
  method: Versioned<
    Pick<
      PaymentMethodRow,
      | 'id'
      | 'customer_id'
      | 'instrument'
      | 'brand'
      | 'fixture_token'
      | 'detached_at'
      | 'bound_payment_intent_id'
      | 'used_by_biller'
    >
  >;
}

interface PartyColumns extends MethodColumns {
  payer_id: Id<'customer'>;
  payer_version: string;
  payer_clock: Id<'test_clock'> | null;
  payer_fees: CustomerRow['fee_preferences'];
  payer_deleted_at: CustomerInstant | null;
}

interface MethodColumns {
  method_id: Id<'payment_method'>;
  method_version: string;
  method_owner: Id<'customer'> | null;
  method_instrument: PaymentMethodRow['instrument'];
  method_brand: string | null;
  method_fixture: string | null;
  method_detached_at: CustomerInstant | null;
  method_bound_to: Id<'payment_intent'> | null;
  method_used: boolean;
}

/** The columns of the customer `c` and of the method `m`, under names of their own. */
const partyColumns = (db: Db) => db`
  c.id as payer_id, c.xmin::text as payer_version, c.test_clock_id as payer_clock, c.fee_preferences as payer_fees,
  c.deleted_at as payer_deleted_at, ${methodColumns(db)}`;

const methodColumns = (db: Db) => db`
  m.id as method_id, m.xmin::text as method_version, m.customer_id as method_owner,
  ${instrumentColumn(db, 'm')} as method_instrument, m.brand as method_brand, m.fixture_token as method_fixture,
  m.detached_at as method_detached_at, m.bound_payment_intent_id as method_bound_to, m.used_by_biller as method_used`;

function partiesOf(row: PartyColumns): Parties {
  return {
    payer: {
      id: row.payer_id,
      version: row.payer_version,
      test_clock_id: row.payer_clock,
      fee_preferences: row.payer_fees,
      deleted_at: row.payer_deleted_at,
    },
    method: methodOf(row),
  };
}

function methodOf(row: MethodColumns): Parties['method'] {
  return {
    id: row.method_id,
    version: row.method_version,
    customer_id: row.method_owner,
    instrument: row.method_instrument,
    brand: row.method_brand,
    fixture_token: row.method_fixture,
    detached_at: row.method_detached_at,
    bound_payment_intent_id: row.method_bound_to,
    used_by_biller: row.method_used,
  };
}

/** Reads a method and a customer of this biller and mode. Returns null if one of them does not exist. */
export async function selectParties(
  db: Db,
  tenant: TenantKey,
  { customerId, methodId }: { customerId: Id<'customer'>; methodId: Id<'payment_method'> },
): Promise<Parties | null> {
  const [row] = await db<PartyColumns[]>`
    select ${partyColumns(db)}
    from payment_methods m
    join customers c on c.biller_id = m.biller_id and c.livemode = m.livemode
      and c.id = ${customerId}
    where m.id = ${methodId} and m.biller_id = ${tenant.billerId} and m.livemode = ${tenant.livemode}`;
  return row === undefined ? null : partiesOf(row);
}

/**
 * Reads an intent of this biller and mode, the method to charge (`methodId`, or the one that the intent carries), and
 * the customer of the intent. Returns null if one of the three does not exist.
 */
export async function selectIntentAndParties(
  db: Db,
  tenant: TenantKey,
  id: string,
  methodId: string | null,
): Promise<(Parties & { intent: Versioned<PaymentIntentRow> }) | null> {
  const [row] = await db<(Versioned<PaymentIntentRow> & PartyColumns)[]>`
    select i.*, i.xmin::text as version, ${partyColumns(db)}
    from payment_intents i
    join payment_methods m on m.biller_id = i.biller_id and m.livemode = i.livemode
      and m.id = coalesce(${methodId}, i.payment_method_id)
    join customers c on c.biller_id = i.biller_id and c.livemode = i.livemode
      and c.id = i.customer_id
    where i.id = ${id} and i.biller_id = ${tenant.billerId} and i.livemode = ${tenant.livemode}`;
  return row === undefined ? null : { intent: row, ...partiesOf(row) };
}

/**
 * Opens an attempt of an intent, if intent, customer and method are still as they were read and all other conditions
 * hold. `opened` is the intent as the attempt makes it. Locks in the order of every charge: customer, intent, method.
 * Returns the version of the opened intent, or null if nothing was written.
 */
export async function openAttemptWhere(
  db: Db,
  { intent, payer, method }: Parties & { intent: Versioned<{ id: string }> },
  opened: PaymentIntentRow,
  attempt: NewAttempt,
  conditions: readonly InsertCondition[],
): Promise<string | null> {
  const { clauses, condition } = insertWhere(db, [
    sameVersion('customers', payer, 'share'),
    sameVersion('payment_intents', intent, 'no key update'),
    sameVersion('payment_methods', method, 'share'),
    ...conditions,
  ]);
  const [row] = await db<{ version: string }[]>`
    ${clauses}, intent as (
      update payment_intents
      set status = ${opened.status}, attempt_count = ${opened.attempt_count}, customer_id = ${opened.customer_id},
        payment_method_id = ${opened.payment_method_id}, updated_at = ${opened.updated_at},
        ${surchargeAssignments(db, opened)}
      where id = ${opened.id} and ${condition}
      returning xmin::text as version
    )
    ${attemptInsert(db, attempt)}`;
  return row?.version ?? null;
}

/**
 * Inserts an intent that is being charged, with its first attempt, if customer and method are still as they were read
 * and all other conditions hold. Returns the version of the intent, or null if nothing was written.
 */
export async function insertChargedWhere(
  db: Db,
  { payer, method }: Parties,
  intent: PaymentIntentRow,
  attempt: NewAttempt,
  conditions: readonly InsertCondition[],
): Promise<string | null> {
  const { clauses, condition } = insertWhere(db, [
    sameVersion('customers', payer, 'share'),
    sameVersion('payment_methods', method, 'share'),
    ...conditions,
  ]);
  const [row] = await db<{ version: string }[]>`
    ${clauses}, intent as (
      ${intentInsert(db, intent, condition)}
      returning xmin::text as version
    )
    ${attemptInsert(db, attempt)}`;
  return row?.version ?? null;
}

/** The end of a statement that opens a charge: the attempt, if the CTE `intent` has written. */
function attemptInsert(db: Db, attempt: NewAttempt) {
  const columns = { ...attempt, outcome: 'processing' };
  // Fragments: `db(…)` goes by the keyword before it.
  return db`
    insert into payment_attempts ${db`(${db(Object.keys(columns))})`} ${db`select ${db(columns)}`} from intent
    returning (select version from intent) as version`;
}

/**
 * Condition: the charge is as it was opened. `intent` has the version that its opening has made. Locks both rows. If
 * another transaction has locked one of them, the condition does not hold: it does not wait.
 */
export function isStillOpen(
  intent: Versioned<{ id: Id<'payment_intent'> }>,
  attemptId: Id<'payment_attempt'>,
): InsertCondition {
  return (db, met) => db`
    select from payment_intents i join payment_attempts a on a.payment_intent_id = i.id
    where ${met} and i.id = ${intent.id} and i.xmin = ${intent.version}::xid
      and a.id = ${attemptId} and a.outcome = 'processing'
    for no key update of i, a skip locked`;
}

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
