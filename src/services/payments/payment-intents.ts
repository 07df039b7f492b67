import { type CustomerRow, lockCustomer, selectCustomer, unchanged } from '../../db/customers.ts';
import {
  insertPaymentIntent,
  type LockedIntentRow,
  listPaymentIntents as listIntentRows,
  lockPaymentIntent,
  type PaymentIntentFilter,
  type PaymentIntentRow,
  selectPaymentIntent,
} from '../../db/payment-intents.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { addDays, dateIn, startOfDay } from '../../domain/calendar.ts';
import { type Id, newId } from '../../domain/ids.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { PaymentIntentCreate } from '../../resources/payment-intent-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, metadataErrors, resolveCustomer } from '../customers/resolve-references.ts';
import { assertNoErrors, missingReference, orNotFound } from '../errors.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { start } from '../wake.ts';
import { assertSessionFound, type ChargeHook, type ChargeRecorder } from './charge.ts';
import { untriedIntent } from './charge-records.ts';
import { currencyErrors } from './fitting-method.ts';
import { chargedColumns } from './surcharges.ts';
import { recordUse, resolveMethodOfIntent } from './unattached-methods.ts';

/** In days. Source: the contract, Limits. */
const scheduleAhead = 366;

/**
 * Creates an intent. It waits for its confirmation or, with `scheduled_payment_date`, for that date. Its customer is
 * the one that the input names, or none: that of its method is not taken over.
 * @throws ValidationFailed with every field error of the body.
 * @throws InvalidState while the customer's clock is advancing.
 */
export async function createPaymentIntent(
  db: Writer,
  context: RequestContext,
  input: PaymentIntentCreate,
): Promise<PaymentIntentRow> {
  if (input.payment_method === undefined && bodyErrors(context, input).length === 0) {
    const created = await createInOne(db, context, input);
    if (created !== null) return created;
  }
  return atomically(db, (tx) => createLocked(tx, context, input, newIntentId(context)));
}

/** As `createPaymentIntent`, under this id, in the caller's transaction, with customer and method locked. */
export async function createLocked(
  tx: Tx,
  context: RequestContext,
  input: PaymentIntentCreate,
  id: Id<'payment_intent'>,
): Promise<PaymentIntentRow> {
  const errors = bodyErrors(context, input);
  const { customer_id: customerId, payment_method: methodId } = input;
  const customer = customerId === undefined ? null : await resolveCustomer(tx, context, customerId, '/customer_id');
  if (customer?.error) errors.push(customer.error);
  const payer = customer?.value ?? null;
  const meeting = {
    payer: payer?.id ?? null,
    intentId: null,
    isCharged: customer === null && (input.confirm === true || input.scheduled_payment_date !== undefined),
  };
  const method =
    methodId === undefined ? null : await resolveMethodOfIntent(tx, context, methodId, meeting, '/payment_method');
  errors.push(...currencyErrors(method?.value, input.currency, '/payment_method'));
  if (method?.error) errors.push(method.error);
  const at = timeOf(payer, context.now);
  errors.push(...scheduleErrors(context, input, at));
  assertNoErrors(errors);
  if (method?.value && payer) await attachMethod(tx, context, method.value, payer.id, at);
  const row = { ...newIntent(context, input, { at, payer, method: method?.value ?? null }), id };
  await insertPaymentIntent(tx, row);
  if (method?.value && payer === null) await recordUse(tx, context, method.value, row.id);
  if (row.scheduled_at !== null) await start.scheduledPayment(tx, row, context.now);
  return row;
}

/** Returns the id of a new intent in the mode of the request. */
export function newIntentId(context: RequestContext): Id<'payment_intent'> {
  return newId('payment_intent', context);
}

/** Returns the row of a new intent, in which nothing was tried yet. */
export function newIntent(
  context: RequestContext,
  input: PaymentIntentCreate,
  {
    at,
    payer,
    method,
  }: {
    at: CustomerInstant;
    payer: Pick<CustomerRow, 'id' | 'fee_preferences'> | null;
    method: Pick<PaymentMethodRow, 'id' | 'instrument' | 'brand'> | null;
  },
): PaymentIntentRow {
  const payerPaysFees = payer?.fee_preferences?.customer_pays_transaction_fees ?? false;
  const { amount, tax_included: isTaxIncluded = true } = input;
  const taxable = isTaxIncluded ? amount : 0;
  const asked = { amount, taxable, isAsked: input.surcharge_applied === true || payerPaysFees };
  const date = input.scheduled_payment_date ?? null;
  const isToday = date !== null && date <= dateIn(at, context.timeZone);
  return {
    id: newIntentId(context),
    biller_id: context.billerId,
    livemode: context.livemode,
    customer_id: payer?.id ?? null,
    payment_method_id: method?.id ?? null,
    payment_plan_id: null,
    payment_plan_slot: null,
    amount,
    agreed_amount: amount,
    // What is taken is decided again at each attempt.
    ...chargedColumns(asked, method, context, at),
    surcharge_basis: null,
    currency: input.currency,
    metadata: input.metadata ?? {},
    statement_descriptor: input.statement_descriptor ?? context.statementDescriptor,
    description: input.description ?? null,
    scheduled_payment_date: isToday ? null : date,
    scheduled_at: date === null ? null : isToday ? at : startOfDay(date, context.timeZone),
    ...untriedIntent(at),
  };
}

/** @throws NotFound */
export async function getPaymentIntent(db: Db, tenant: Tenant, id: string): Promise<PaymentIntentRow> {
  return orNotFound(await selectPaymentIntent(db, tenant, id), 'payment intent', id);
}

/**
 * Locks an intent for update. Returns it with its customer and the customer time of the change. The lock order is: the
 * clock of the customer (share lock), the customer, what the payment is for (by `hook`), the intent.
 * @throws NotFound
 * @throws InvalidState while the clock is advancing.
 */
export async function lockIntentForUpdate(
  tx: Tx,
  context: RequestContext,
  id: string,
  hook?: ChargeHook,
): Promise<{
  intent: LockedIntentRow;
  customer: CustomerRow | null;
  at: CustomerInstant;
  recorder: ChargeRecorder | null;
}> {
  const found = await getPaymentIntent(tx, context, id);
  const { id: paymentIntentId, customer_id: customerId, payment_plan_id: paymentPlanId } = found;
  const customer = customerId === null ? null : await lockCustomer(tx, context, customerId);
  const at = timeOf(customer, context.now);
  const recorder = (await hook?.(tx, { paymentIntentId, paymentPlanId })) ?? null;
  const intent = orNotFound(await lockPaymentIntent(tx, id), 'payment intent', id);
  if (hook !== undefined) assertSessionFound(recorder, intent);
  return { intent, customer, at, recorder };
}

/** Returns a page of intents, newest first. The caller has checked that `customerId` exists. */
export async function listPaymentIntents(
  db: Db,
  tenant: Tenant,
  filter: PaymentIntentFilter,
  query: PageQuery,
): Promise<Rows<PaymentIntentRow>> {
  return rowsOfPage(db, 'payment_intents', tenant, query, (page) => listIntentRows(db, tenant, filter, page));
}

/** Returns the field errors of a body that need nothing but the body and its request. */
export function bodyErrors(context: RequestContext, input: PaymentIntentCreate): FieldError[] {
  const errors = metadataErrors(input.metadata, context.livemode);
  if (input.biller_id !== undefined && input.biller_id !== context.billerId) {
    errors.push(missingReference('/biller_id', 'biller', input.biller_id));
  }
  return errors;
}

function scheduleErrors(context: RequestContext, input: PaymentIntentCreate, at: CustomerInstant): FieldError[] {
  const date = input.scheduled_payment_date;
  if (date === undefined) return [];
  const today = dateIn(at, context.timeZone);
  const last = addDays(today, scheduleAhead);
  if (date >= today && date <= last) return [];
  const message = `scheduled_payment_date must be from today, ${today}, to ${last}.`;
  return [fieldError('/scheduled_payment_date', 'out_of_range', message)];
}

/**
 * Creates an intent in one statement, when it has no customer or a customer in real time. The insert is conditional:
 * the customer must not have changed since it was read. Returns null when the customer has changed, does not exist, or
 * is on a clock, which must be locked first.
 */
async function createInOne(
  db: Db,
  context: RequestContext,
  input: PaymentIntentCreate,
): Promise<PaymentIntentRow | null> {
  const customerId = input.customer_id;
  const customer = customerId === undefined ? null : await selectCustomer(db, context, customerId);
  if (customerId !== undefined && (customer === null || customer.test_clock_id !== null)) return null;
  const row = newIntent(context, input, { at: withoutClock(context.now), payer: customer, method: null });
  const conditions = customer === null ? [] : [unchanged(customer)];
  return (await insertPaymentIntent(db, row, conditions)) ? row : null;
}
