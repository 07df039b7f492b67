import { type LockedCustomerRow, lockCustomer, selectCustomer, selectCustomerByReference } from '../../db/customers.ts';
import { selectPaymentIntent } from '../../db/payment-intents.ts';
import {
  insertPaymentMethod,
  listPaymentMethods as listMethodRows,
  listMethodsOfCustomer,
  type PaymentMethodRow,
  selectPaymentMethod,
} from '../../db/payment-methods.ts';
import { sealedField } from '../../db/sealed-values.ts';
import { newId } from '../../domain/ids.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { methodsPerPage } from '../../resources/payment-method.ts';
import type { PaymentMethodCreate } from '../../resources/payment-method-input.ts';
import { instrumentOf, type SandboxPaymentMethodCreate } from '../../resources/sandbox-payment-method.ts';
import { intentIdIn, type Vault } from '../accounts/vault.ts';
import { timeOf } from '../customer-time.ts';
import { Forbidden, NotFound, orNotFound, ValidationFailed } from '../errors.ts';
import { type PageQuery, pageOf, type Rows } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { becsOf, cardOf, type InstrumentColumns } from './instruments.ts';
import {
  assertRoomForMethod,
  attachMethod,
  defaultToFirst,
  type Resolved,
  resolveCustomer,
  resolveMethod,
} from './resolve-references.ts';

/** Returns the sealed account number for the method with this id, or null for an instrument without one. */
type SealNumber = (methodId: string) => Buffer | null;

/**
 * Saves a card or a bank account, for a customer when the input names one. The method becomes the default of a customer
 * without a default, unless a publishable key saves it.
 * @throws ValidationFailed for an unknown fixture token or customer, and when the customer has as many methods as it
 * can have.
 * @throws Forbidden for a fixture token in live mode. Also for a publishable key that names a customer without the
 * client secret of one of its payments.
 */
export async function createPaymentMethod(
  db: Writer,
  vault: Vault,
  context: RequestContext,
  input: PaymentMethodCreate,
): Promise<PaymentMethodRow> {
  const { instrument, sealNumber } = readMethod(vault, context, input);
  const { customer_reference: reference, client_secret: secret } = input;
  if (reference === undefined) return saveUnattached(db, context, instrument, sealNumber);
  return saveAttached(db, context, instrument, sealNumber, (tx) =>
    context.keyKind === 'publishable'
      ? customerOfPayer(tx, vault, context, reference, secret)
      : customerReferredTo(tx, context, reference),
  );
}

/**
 * Saves a method that a payer has entered in a form of our pages, for no customer yet, in the transaction that takes
 * the form: a form that is refused leaves nothing behind.
 * @throws ValidationFailed for an unknown fixture token; Forbidden for a fixture token in live mode.
 */
export async function saveEnteredMethod(
  tx: Tx,
  vault: Vault,
  context: RequestContext,
  input: PaymentMethodCreate,
): Promise<PaymentMethodRow> {
  const { instrument, sealNumber } = readMethod(vault, context, input);
  if (instrument.error) throw new ValidationFailed([instrument.error]);
  return insert(tx, context, instrument.value, sealNumber, { customer: null, enteredInForm: true });
}

/** Reads what is to be stored, and how its account number is sealed. */
function readMethod(
  vault: Vault,
  context: RequestContext,
  input: PaymentMethodCreate,
): { instrument: Resolved<InstrumentColumns>; sealNumber: SealNumber } {
  if (input.type === 'card') {
    return { instrument: cardOf(context, input.payment_method_data), sealNumber: () => null };
  }
  const { account_number: number } = input.payment_method_data;
  return {
    instrument: becsOf(input.payment_method_data),
    sealNumber: (id) => vault.seal(number, sealedField('account_numbers', context, id)),
  };
}

/**
 * Saves a method of a type that has another origin in live mode, for a customer when the input names one.
 * @throws ValidationFailed for an unknown customer, and when the customer has as many methods as it can have.
 */
export async function createSandboxPaymentMethod(
  db: Writer,
  context: RequestContext,
  input: SandboxPaymentMethodCreate,
): Promise<PaymentMethodRow> {
  const value = { instrument: instrumentOf(input), brand: null, last4: null, fixture_token: null };
  const { customer_reference: reference } = input;
  if (reference === undefined) return saveUnattached(db, context, { value }, () => null);
  return saveAttached(
    db,
    context,
    { value },
    () => null,
    (tx) => customerReferredTo(tx, context, reference),
  );
}

async function saveUnattached(
  db: Db,
  context: RequestContext,
  instrument: Resolved<InstrumentColumns>,
  sealNumber: SealNumber,
): Promise<PaymentMethodRow> {
  if (instrument.error) throw new ValidationFailed([instrument.error]);
  return insert(db, context, instrument.value, sealNumber, { customer: null });
}

async function saveAttached(
  db: Db,
  context: RequestContext,
  instrument: Resolved<InstrumentColumns>,
  sealNumber: SealNumber,
  lockNamed: (tx: Tx) => Promise<Resolved<LockedCustomerRow>>,
): Promise<PaymentMethodRow> {
  return atomically(db, async (tx) => {
    const customer = await lockNamed(tx);
    if (instrument.error || customer.error) {
      throw new ValidationFailed([instrument.error, customer.error].filter((error) => error !== undefined));
    }
    const { id: customerId } = customer.value;
    await assertRoomForMethod(tx, customerId);
    const row = await insert(tx, context, instrument.value, sealNumber, { customer: customer.value });
    await defaultToFirst(tx, context, customerId, row.id, row.created_at);
    return row;
  });
}

async function insert(
  db: Db,
  context: RequestContext,
  instrument: InstrumentColumns,
  sealNumber: SealNumber,
  { customer, enteredInForm = false }: { customer: LockedCustomerRow | null; enteredInForm?: boolean },
): Promise<PaymentMethodRow> {
  const at = timeOf(customer, context.now);
  const row: PaymentMethodRow = {
    id: newId('payment_method'),
    biller_id: context.billerId,
    livemode: context.livemode,
    customer_id: customer?.id ?? null,
    ...instrument,
    created_at: at,
    updated_at: at,
    detached_at: null,
    bound_payment_intent_id: null,
    used_by_biller: false,
  };
  await insertPaymentMethod(db, row, sealNumber(row.id), enteredInForm);
  return row;
}

/**
 * Returns the method, even a detached one.
 * @throws NotFound
 */
export async function getPaymentMethod(db: Db, tenant: Tenant, id: string): Promise<PaymentMethodRow> {
  return orNotFound(await selectPaymentMethod(db, tenant, id), 'payment method', id);
}

/**
 * Returns a page of the biller's methods that are not detached, newest first.
 * @throws BadRequest when the cursor is unknown.
 */
export async function listPaymentMethods(db: Db, tenant: Tenant, query: PageQuery): Promise<Rows<PaymentMethodRow>> {
  const page = await pageOf(db, 'payment_methods', tenant, query, methodsPerPage);
  return { rows: await listMethodRows(db, tenant, page), limit: page.limit };
}

/**
 * Returns a page of the customer's methods that are not detached, newest first.
 * @throws NotFound for an unknown customer.
 * @throws BadRequest when the cursor is unknown.
 */
export async function listCustomerMethods(
  db: Db,
  tenant: Tenant,
  customerId: string,
  query: PageQuery,
): Promise<Rows<PaymentMethodRow>> {
  const customer = orNotFound(await selectCustomer(db, tenant, customerId), 'customer', customerId);
  const page = await pageOf(db, 'payment_methods', tenant, query, methodsPerPage);
  return { rows: await listMethodsOfCustomer(db, customer.id, page), limit: page.limit };
}

/**
 * Attaches a method to a customer. It becomes the default of a customer without a default.
 * @throws NotFound
 * @throws ValidationFailed for an unknown or deleted customer, for a customer that has as many methods as it can have,
 * and for a method that is detached or belongs to another customer.
 * @throws InvalidState while the customer's clock is advancing.
 */
export async function attachPaymentMethod(
  db: Writer,
  context: RequestContext,
  id: string,
  customerId: string,
): Promise<PaymentMethodRow> {
  return atomically(db, async (tx) => {
    await getPaymentMethod(tx, context, id);
    const customer = await resolveCustomer(tx, context, customerId, '/customer_id');
    if (customer.error) throw new ValidationFailed([customer.error]);
    const at = timeOf(customer.value, context.now);
    const method = await resolveMethod(tx, context, id, customer.value.id, '/payment_method_id');
    if (method.error) throw new ValidationFailed([method.error]);
    return attachMethod(tx, context, method.value, customer.value.id, at);
  });
}

/**
 * Returns a method of this customer, even a detached one.
 * @throws NotFound when there is no such customer, or it has no such method.
 */
export async function getCustomerMethod(
  db: Db,
  tenant: Tenant,
  customerId: string,
  id: string,
): Promise<PaymentMethodRow> {
  orNotFound(await selectCustomer(db, tenant, customerId), 'customer', customerId);
  const method = await selectPaymentMethod(db, tenant, id);
  if (method?.customer_id !== customerId) throw new NotFound('payment method', id);
  return method;
}

/**
 * Resolves a customer by its id or by the biller's own reference, and locks it. Of customers on several test clocks,
 * which are worlds of their own, the newest is meant; in one world, a reference of two customers names none.
 */
async function customerReferredTo(tx: Tx, tenant: Tenant, reference: string): Promise<Resolved<LockedCustomerRow>> {
  const path = '/customer_reference';
  const byId = await resolveCustomer(tx, tenant, reference, path);
  if (byId.error?.code !== 'resource_missing') return byId;
  const customer = await selectCustomerByReference(tx, tenant, reference);
  if (customer === null) return byId;
  if (customer.others > 0) {
    const message = `${customer.others + 1} customers have the reference ${reference}. Send the id of the one that is meant.`;
    return { error: fieldError(path, 'customer_reference_ambiguous', message) };
  }
  return resolveCustomer(tx, tenant, customer.id, path);
}

/**
 * Locks and returns the customer that a payer may save a method for: the customer of the payment whose client secret is
 * presented. No other customer is looked up, so neither the response nor its duration shows whether one exists.
 * @throws Forbidden when the client secret is missing or wrong, or when the customer of the payment is missing,
 * deleted, or not the one that `reference` names.
 */
async function customerOfPayer(
  tx: Tx,
  vault: Vault,
  tenant: Tenant,
  reference: string,
  clientSecret: string | undefined,
): Promise<Resolved<LockedCustomerRow>> {
  const intentId = clientSecret === undefined ? null : intentIdIn(vault, clientSecret);
  const intent = intentId === null ? null : await selectPaymentIntent(tx, tenant, intentId);
  const customer = intent?.customer_id ? await lockCustomer(tx, tenant, intent.customer_id) : null;
  const isNamed = customer !== null && (reference === customer.id || reference === customer.reference);
  if (customer !== null && isNamed && customer.deleted_at === null) return { value: customer };
  throw new Forbidden(
    'secret_key_required',
    'A publishable key needs the client_secret of a payment intent of this customer to save a payment method for it.',
  );
}
