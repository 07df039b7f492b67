import {
  insertPlan,
  listCollectingPlans,
  listPlans as listPlanRows,
  type PaymentPlanRow,
  type PlanFilter,
  selectPlan,
} from '../../db/payment-plans.ts';
import { type Id, namedId, newId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Db, Pool, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { realNow } from '../../platform/real-time.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { PaymentPlanCreate } from '../../resources/payment-plan-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, metadataErrors, resolveCustomer, resolveMethod } from '../customers/resolve-references.ts';
import { assertNoErrors, orNotFound } from '../errors.ts';
import { type AwaitIdle, idleWaiting } from '../idle-waiting.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import { currencyErrors, hasFittingDefault } from '../payments/fitting-method.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { agreedInNew } from './plan-consistency.ts';
import { planErrors } from './plan-rules.ts';

/**
 * Creates a plan in `pending`. Nothing is scheduled before it is activated.
 * @throws ValidationFailed with every field error of the body; InvalidState while the customer's clock is advancing.
 */
export async function createPaymentPlan(
  db: Writer,
  context: RequestContext,
  input: PaymentPlanCreate,
): Promise<PaymentPlanRow> {
  return atomically(db, async (tx) => {
    const errors = metadataErrors(input.metadata, context.livemode);
    const customer = await resolveCustomer(tx, context, input.customer_id, '/customer_id');
    if (customer.error) errors.push(customer.error);
    const at = timeOf(customer.value ?? null, context.now);
    const row = newPlan(context, input, customer.value?.test_clock_id ?? null, at);
    errors.push(...planErrors(row, { at, timeZone: context.timeZone }));
    const method =
      input.payment_instrument_id === undefined
        ? null
        : await resolveMethod(
            tx,
            context,
            input.payment_instrument_id,
            customer.value?.id ?? null,
            '/payment_instrument_id',
          );
    if (method?.error) errors.push(method.error);
    errors.push(...currencyErrors(method?.value, row.currency, '/payment_instrument_id'));
    if (method === null && customer.value) {
      const { id, default_payment_method_id: defaultId } = customer.value;
      errors.push(...(await defaultErrors(tx, context, { customer_id: id, defaultId, currency: row.currency })));
    }
    assertNoErrors(errors);
    if (method?.value) await attachMethod(tx, context, method.value, row.customer_id, at);
    await insertPlan(tx, row);
    return row;
  });
}

/** Returns the field error of a plan that names no method, if its customer has no default that can pay for it. */
export async function defaultErrors(
  tx: Tx,
  tenant: Tenant,
  {
    customer_id: id,
    defaultId,
    currency,
  }: Pick<PaymentPlanRow, 'customer_id' | 'currency'> & { defaultId: string | null },
): Promise<FieldError[]> {
  if (await hasFittingDefault(tx, tenant, defaultId, currency)) return [];
  const what =
    defaultId === null ? 'no default payment method' : `no default payment method that can pay in ${currency}`;
  const message = `Customer ${id} has ${what}. Name one for the plan.`;
  return [fieldError('/payment_instrument_id', 'parameter_missing', message)];
}

/**
 * Returns the plan.
 * @throws NotFound
 */
export async function getPaymentPlan(db: Db, tenant: Tenant, id: string): Promise<PaymentPlanRow> {
  return orNotFound(await selectPlan(db, tenant, id), 'payment plan', id);
}

/** Returns a page of plans, newest first. */
export async function listPaymentPlans(
  db: Db,
  tenant: Tenant,
  query: PlanFilter & PageQuery,
): Promise<Rows<PaymentPlanRow>> {
  return rowsOfPage(db, 'payment_plans', tenant, query, (page) => listPlanRows(db, tenant, query, page));
}

/** Waits, on behalf of the requests of a process, until nothing of plans is due and no charge of them is under way. */
export function planWaiting(sql: Pool): AwaitIdle {
  return idleWaiting(sql, 'payment_plan', (db, plans) => listCollectingPlans(db, plans, realNow()));
}

function newPlan(
  context: RequestContext,
  input: PaymentPlanCreate,
  testClockId: Id<'test_clock'> | null,
  at: CustomerInstant,
): PaymentPlanRow {
  const amounts = {
    recurring_amount_cents: input.recurring_amount_cents,
    first_amount_cents: input.first_amount_cents ?? null,
    total_amount_cents: input.total_amount_cents ?? null,
  };
  return {
    id: newId('payment_plan'),
    biller_id: context.billerId,
    livemode: context.livemode,
    customer_id: namedId('customer', input.customer_id),
    test_clock_id: testClockId,
    name: input.name,
    state: 'pending',
    state_reason: null,
    frequency_type: input.frequency_type,
    frequency_period: input.frequency_period ?? 1,
    ...amounts,
    until_further_notice: input.until_further_notice ?? false,
    currency: input.currency,
    start_date: input.start_date,
    first_date: input.first_date ?? null,
    payment_instrument_id: namedId('payment_method', input.payment_instrument_id) ?? null,
    failure_behaviour: input.failure_behaviour ?? 'retry',
    tax_included: input.tax_included ?? true,
    metadata: input.metadata ?? {},
    collected_amount_cents: 0,
    next_slot: 0,
    next_due_at: null,
    next_attempt_at: null,
    next_debit_at: null,
    in_flight_cents: 0,
    activated_at: null,
    ...agreedInNew(amounts),
    ended_as: null,
    created_at: at,
    updated_at: at,
  };
}
