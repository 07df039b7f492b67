import { type LockedCustomerRow, lockCustomer } from '../../db/customers.ts';
import {
  insertMandate,
  listMandates as listMandateRows,
  lockMandate,
  lockMandateOfMethod,
  type MandateFilter,
  type MandateRow,
  selectMandate,
  type TimedMandateRow,
  updateMandate,
} from '../../db/mandates.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { type Id, newId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { newMandateReference } from '../../domain/mandates/mandate.ts';
import { mandateLapsesAt } from '../../domain/schemes/debit-dates.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { MandateEvidence } from '../../processors/processor.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { AcceptanceInput, MandateCreate } from '../../resources/mandate-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, lockOwner, resolveCustomer, resolveMethod } from '../customers/resolve-references.ts';
import { InvalidState, orNotFound } from '../errors.ts';
import { mandateEvent, record, transact } from '../events.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { activate, notAccepted, readAcceptance, refusedBody } from './acceptance.ts';

/** The only debit scheme so far, and the type of payment method that it debits. */
const scheme = 'au_becs';
const debitable = 'au_becs_debit';

/** Who gives a mandate, and for which account. Both are locked, and null if they cannot be used. */
export interface MandateParties {
  customer: LockedCustomerRow | null;
  method: PaymentMethodRow | null;
  at: CustomerInstant;
}

/** A mandate and the present time of its customer, at which it is shown. */
export interface MandateNow {
  mandate: MandateRow;
  at: CustomerInstant;
}

/** Whose mandate changes, when, and by which request; null if none asks for it. */
export interface MandateOrigin extends Tenant {
  now: RealInstant;
  requestId: string | null;
}

/**
 * Creates a mandate for a bank account: `active` with an acceptance, otherwise `pending`. An account without a customer
 * is attached to the one that is named.
 * @throws ValidationFailed with every field error of the body; `mandate_text_unknown` if the text is the only one.
 * @throws InvalidState `mandate_exists` when the account has a mandate that has not ended; while the customer's clock
 * is advancing.
 */
export async function createMandate(db: Writer, context: RequestContext, input: MandateCreate): Promise<MandateNow> {
  return transact(db, context, async (tx) => {
    const { payment_method_id: methodId, customer_id: customerId } = input;
    const named = customerId === undefined ? null : await resolveCustomer(tx, context, customerId, '/customer_id');
    const customer = named === null ? await lockOwner(tx, context, methodId) : (named.value ?? null);
    const method = await resolveMethod(tx, context, methodId, customer?.id ?? null, '/payment_method_id');
    const errors = [named?.error, method.error].filter((error) => error !== undefined);
    if (named === null && method.value) errors.push(...ownerErrors(customer));
    const parties = { customer, method: method.value ?? null, at: timeOf(customer, context.now) };
    return giveMandate(tx, context, parties, input, errors);
  });
}

/**
 * As `createMandate`, in the caller's transaction.
 * @param found the field errors that the caller has found.
 */
export async function giveMandate(
  tx: Tx,
  context: RequestContext,
  { customer, method, at }: MandateParties,
  input: MandateCreate,
  found: readonly FieldError[] = [],
): Promise<MandateNow> {
  const errors = [...found, ...(method === null ? [] : typeErrors(method))];
  const acceptance =
    input.acceptance && (await readAcceptance(tx, context, scheme, input.acceptance, { at, path: '/acceptance' }));
  errors.push(...(acceptance?.errors ?? []));
  if (customer === null || method === null || errors.length > 0) throw refusedBody(errors);
  const existing = await lockMandateOfMethod(tx, method.id);
  if (existing !== null && existing.ended_at === null) throw mandateExists(existing);
  await attachMethod(tx, context, method, customer.id, at);
  const mandate: MandateRow = {
    ...newMandate(context, input, { customer, methodId: method.id, at }),
    ...(acceptance && (await activate(tx, context, scheme, acceptance, at))),
  };
  await insertMandate(tx, mandate);
  record(tx, mandateEvent('mandate.created', mandate, at));
  if (mandate.status === 'active') record(tx, mandateEvent('mandate.activated', mandate, at));
  return { mandate, at };
}

/**
 * Records that the payer has agreed to a pending mandate, which becomes active.
 * @throws NotFound
 * @throws InvalidState when the mandate is not pending; while the customer's clock is advancing.
 * @throws ValidationFailed as `createMandate`.
 */
export async function acceptMandate(
  db: Writer,
  context: RequestContext,
  id: string,
  input: AcceptanceInput,
): Promise<MandateNow> {
  return transact(db, context, async (tx) => {
    const { mandate, at } = await lockMandateForUpdate(tx, context, id);
    if (mandate.status !== 'pending') {
      throw new InvalidState(`Mandate ${id} is ${mandate.status}; it can be accepted while pending.`);
    }
    const acceptance = await readAcceptance(tx, context, mandate.scheme, input, { at, path: '' });
    if (acceptance.errors.length > 0) throw refusedBody(acceptance.errors);
    const columns = await activate(tx, context, mandate.scheme, acceptance, at);
    const active = await updateMandate(tx, id, { ...columns, updated_at: at });
    record(tx, mandateEvent('mandate.activated', active, at));
    return { mandate: active, at };
  });
}

/**
 * Returns the mandate with the time of its test clock.
 * @throws NotFound
 */
export async function getMandate(db: Db, tenant: Tenant, id: string): Promise<TimedMandateRow> {
  return orNotFound(await selectMandate(db, tenant, id), 'mandate', id);
}

/** Returns a page of mandates, newest first. */
export async function listMandates(
  db: Db,
  tenant: Tenant,
  filter: MandateFilter,
  query: PageQuery,
): Promise<Rows<TimedMandateRow>> {
  return rowsOfPage(db, 'mandates', tenant, query, (page) => listMandateRows(db, tenant, filter, page));
}

/**
 * Locks a mandate for update, after the clock of its customer (share lock) and the customer. Returns it with the
 * customer time of the change.
 * @throws NotFound
 * @throws InvalidState while the clock is advancing.
 */
export async function lockMandateForUpdate(tx: Tx, context: MandateOrigin, id: string): Promise<MandateNow> {
  const at = await customerTimeOf(tx, context, id);
  const mandate = orNotFound(await lockMandate(tx, id), 'mandate', id);
  return { mandate, at };
}

/**
 * Locks the customer of a mandate and returns its present time.
 * @throws NotFound
 * @throws InvalidState while its clock is advancing.
 */
export async function customerTimeOf(tx: Tx, context: MandateOrigin, mandateId: string): Promise<CustomerInstant> {
  const { customer_id: customerId } = await getMandate(tx, context, mandateId);
  return timeOf(await lockCustomer(tx, context, customerId), context.now);
}

/** Returns the field errors of the customer that a payment method brings along. */
function ownerErrors(owner: LockedCustomerRow | null): FieldError[] {
  if (owner === null) {
    const message = 'customer_id is required, because the payment method has no customer.';
    return [fieldError('/customer_id', 'parameter_missing', message)];
  }
  if (owner.deleted_at === null) return [];
  const message = `Customer ${owner.id}, the owner of the payment method, has been deleted.`;
  return [fieldError('/payment_method_id', 'customer_deleted', message)];
}

function typeErrors({ instrument }: PaymentMethodRow): FieldError[] {
  if (instrument.type === debitable) return [];
  const message = `A mandate needs a bank account (${debitable}); the type of this payment method is ${instrument.type}.`;
  return [fieldError('/payment_method_id', 'invalid_value', message)];
}

function mandateExists({ id, status }: MandateRow): InvalidState {
  const message = `The payment method has mandate ${id}, which is ${status}. Use it, or cancel it first.`;
  return new InvalidState(message, 'mandate_exists', { mandate_id: id });
}

function newMandate(
  context: RequestContext,
  input: MandateCreate,
  { customer, methodId, at }: { customer: LockedCustomerRow; methodId: Id<'payment_method'>; at: CustomerInstant },
): MandateRow {
  return {
    id: newId('mandate'),
    biller_id: context.billerId,
    livemode: context.livemode,
    customer_id: customer.id,
    test_clock_id: customer.test_clock_id,
    payment_method_id: methodId,
    scheme,
    reference: newMandateReference(),
    status: 'pending',
    status_reason: null,
    cancellation_reason: null,
    max_amount_cents: input.max_amount_cents ?? null,
    amount_type: input.amount_type ?? 'variable',
    frequency_text: input.frequency_text ?? null,
    ...notAccepted,
    activated_at: null,
    last_debited_at: null,
    lapses_at: null,
    ended_at: null,
    notices: [],
    created_at: at,
    updated_at: at,
  };
}

/** Notes on a locked mandate that a debit under it is handed to the bank: it lapses later. */
export async function noteDebit(tx: Tx, { id, scheme }: MandateRow, at: CustomerInstant): Promise<void> {
  const lapsesAt = mandateLapsesAt(schemes[scheme], at);
  await updateMandate(tx, id, { last_debited_at: at, lapses_at: lapsesAt, updated_at: at });
}

/**
 * Returns how the payer has agreed to a mandate, for the bank. What the service has seen of the payer's connection
 * counts before what the biller has reported.
 */
export function evidenceOf(mandate: MandateRow): MandateEvidence {
  return {
    acceptedAt: mandate.accepted_at,
    type: mandate.acceptance_type,
    ipAddress: mandate.connection_ip_address ?? mandate.ip_address,
    userAgent: mandate.connection_user_agent ?? mandate.user_agent,
    signatoryName: mandate.signatory_name,
    textSha256: mandate.text_sha256,
  };
}
