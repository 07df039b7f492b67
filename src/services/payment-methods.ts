import type { Db } from '../db/connection.ts';
import {
  clearDefaultMethod,
  findCustomer,
  findCustomerByReference,
  type LockedCustomerRow,
  setFirstDefaultMethod,
} from '../db/customers.ts';
import {
  findPaymentMethod,
  insertPaymentMethod,
  listMethodsOfCustomer,
  lockPaymentMethod,
  markDetached,
  type PaymentMethodRow,
  listPaymentMethods as selectMethods,
} from '../db/payment-methods.ts';
import { sealedField } from '../db/sealed-values.ts';
import { atomically } from '../db/transaction.ts';
import { brandOf, findFixtureCard } from '../domain/cards.ts';
import { newId } from '../domain/ids.ts';
import type { BecsData, CardData, PaymentMethodCreate } from '../resources/payment-method.ts';
import { instrumentOf, type SandboxPaymentMethodCreate } from '../resources/sandbox-payment-method.ts';
import type { Call, Tenant } from './call.ts';
import { timeOf } from './customer-time.ts';
import { Forbidden, NotFound, ValidationFailed } from './errors.ts';
import { pageOf } from './paging.ts';
import { attachMethod, customerNamed, type Found, lockOwner, methodNamed } from './references.ts';
import type { Vault } from './vault.ts';

const fixtureTokenType = 'fixture';
/** Decisions: the list answers the newest 100 when no limit is given. */
const methodsPerPage = 100;

/** The account number sealed for the method of this id; null for an instrument without one. */
type SealNumber = (methodId: string) => Buffer | null;

type InstrumentColumns = Pick<PaymentMethodRow, 'instrument' | 'brand' | 'last4' | 'fixture_token'>;

/**
 * Saves a card or a bank account, for a customer when one is named; a customer's first method becomes the default.
 * @throws ValidationFailed for an unknown fixture token or customer; Forbidden for a fixture token in live mode.
 */
export async function createPaymentMethod(
  db: Db,
  vault: Vault,
  call: Call,
  input: PaymentMethodCreate,
): Promise<PaymentMethodRow> {
  const instrument =
    input.type === 'card' ? cardOf(call, input.payment_method_data) : becsOf(input.payment_method_data);
  const sealNumber: SealNumber = (id) =>
    input.type === 'card'
      ? null
      : vault.seal(input.payment_method_data.account_number, sealedField('account_numbers', call, id));
  return save(db, call, instrument, sealNumber, input.customer_reference);
}

/**
 * Saves a method of a type that comes from elsewhere in live mode, for a customer when one is named.
 * @throws ValidationFailed for an unknown customer.
 */
export async function createSandboxPaymentMethod(
  db: Db,
  call: Call,
  input: SandboxPaymentMethodCreate,
): Promise<PaymentMethodRow> {
  const found = { instrument: instrumentOf(input), brand: null, last4: null, fixture_token: null };
  return save(db, call, { found }, () => null, input.customer_reference);
}

async function save(
  db: Db,
  call: Call,
  instrument: Found<InstrumentColumns>,
  sealNumber: SealNumber,
  reference: string | undefined,
): Promise<PaymentMethodRow> {
  if (reference === undefined) {
    if (instrument.fault) throw new ValidationFailed([instrument.fault]);
    return insert(db, call, instrument.found, sealNumber, null);
  }
  return atomically(db, async (tx) => {
    const customer = await customerReferredTo(tx, call, reference);
    if (instrument.fault || customer.fault) {
      throw new ValidationFailed([instrument.fault, customer.fault].filter((fault) => fault !== undefined));
    }
    const row = await insert(tx, call, instrument.found, sealNumber, customer.found);
    await setFirstDefaultMethod(tx, customer.found.id, row.id, row.created_at);
    return row;
  });
}

async function insert(
  db: Db,
  call: Call,
  instrument: InstrumentColumns,
  sealNumber: SealNumber,
  customer: LockedCustomerRow | null,
): Promise<PaymentMethodRow> {
  const at = timeOf(customer, call.now);
  const row: PaymentMethodRow = {
    id: newId('payment_method'),
    biller_id: call.billerId,
    livemode: call.livemode,
    customer_id: customer?.id ?? null,
    ...instrument,
    created_at: at,
    updated_at: at,
    detached_at: null,
  };
  await insertPaymentMethod(db, row, sealNumber(row.id));
  return row;
}

/**
 * The method, a detached one too.
 * @throws NotFound
 */
export async function fetchPaymentMethod(db: Db, tenant: Tenant, id: string): Promise<PaymentMethodRow> {
  const method = await findPaymentMethod(db, tenant, id);
  if (method === null) throw new NotFound('payment method', id);
  return method;
}

/** A page of the biller's methods that are not detached, newest first. */
export async function listPaymentMethods(
  db: Db,
  tenant: Tenant,
  query: { limit?: number | undefined; starting_after?: string | undefined },
): Promise<{ rows: PaymentMethodRow[]; limit: number }> {
  const page = await pageOf(db, 'payment_methods', tenant, query, methodsPerPage);
  return { rows: await selectMethods(db, tenant, page), limit: page.limit };
}

/**
 * The methods of a customer that are not detached, newest first.
 * @throws NotFound for an unknown customer.
 */
export async function listCustomerMethods(db: Db, tenant: Tenant, customerId: string): Promise<PaymentMethodRow[]> {
  const customer = await findCustomer(db, tenant, customerId);
  if (customer === null) throw new NotFound('customer', customerId);
  return listMethodsOfCustomer(db, customer.id);
}

/**
 * Detaches a method: from the response on no charge is started on it, and whoever had it as default has none. Detaching it
 * again changes nothing.
 * @throws NotFound; InvalidState while its customer's clock is advancing.
 */
export async function detachPaymentMethod(db: Db, call: Call, id: string): Promise<PaymentMethodRow> {
  return atomically(db, async (tx) => {
    const owner = await lockOwner(tx, call, id);
    const method = await lockPaymentMethod(tx, call, id);
    if (method === null) throw new NotFound('payment method', id);
    // Somebody attached it between the two: now that it stands still, its owner is known for good.
    const customer = method.customer_id === (owner?.id ?? null) ? owner : await lockOwner(tx, call, id);
    const at = timeOf(customer, call.now);
    if (method.detached_at !== null) return method;
    await markDetached(tx, id, at);
    await clearDefaultMethod(tx, id, at);
    return { ...method, detached_at: at, updated_at: at };
  });
}

/**
 * Attaches a method to a customer, whose default it becomes when it is the first.
 * @throws NotFound; ValidationFailed for an unknown or deleted customer, and for a method that is detached or belongs to
 * another one; InvalidState while the customer's clock is advancing.
 */
export async function attachPaymentMethod(
  db: Db,
  call: Call,
  id: string,
  customerId: string,
): Promise<PaymentMethodRow> {
  return atomically(db, async (tx) => {
    await fetchPaymentMethod(tx, call, id);
    const customer = await customerNamed(tx, call, customerId, '/customer_id');
    if (customer.fault) throw new ValidationFailed([customer.fault]);
    const at = timeOf(customer.found, call.now);
    const method = await methodNamed(tx, call, id, customerId, '/payment_method_id');
    if (method.fault) throw new ValidationFailed([method.fault]);
    return attachMethod(tx, method.found, customerId, at);
  });
}

/**
 * A method of this customer, a detached one too.
 * @throws NotFound when there is no such customer, or it has no such method.
 */
export async function fetchCustomerMethod(
  db: Db,
  tenant: Tenant,
  customerId: string,
  id: string,
): Promise<PaymentMethodRow> {
  const customer = await findCustomer(db, tenant, customerId);
  if (customer === null) throw new NotFound('customer', customerId);
  const method = await findPaymentMethod(db, tenant, id);
  if (method?.customer_id !== customerId) throw new NotFound('payment method', id);
  return method;
}

/** A customer by its id or by the biller's own reference, locked. */
async function customerReferredTo(tx: Db, tenant: Tenant, reference: string): Promise<Found<LockedCustomerRow>> {
  const path = '/customer_reference';
  const byId = await customerNamed(tx, tenant, reference, path);
  if (byId.fault?.code !== 'resource_missing') return byId;
  const customer = await findCustomerByReference(tx, tenant, reference);
  return customer === null ? byId : customerNamed(tx, tenant, customer.id, path);
}

function cardOf(call: Call, data: CardData): Found<InstrumentColumns> {
  const { token_metadata, card_brand, card_name, ...shown } = data;
  const isFixture = token_metadata.type === fixtureTokenType;
  if (isFixture && call.livemode) {
    throw new Forbidden('sandbox_only', 'Fixture tokens work with sandbox keys only.');
  }
  const fixture = isFixture ? findFixtureCard(token_metadata.token) : null;
  if (isFixture && fixture === null) {
    const path = '/payment_method_data/token_metadata/token';
    const message = 'There is no such fixture token; use one of the tok_sandbox_… of the reference.';
    return { fault: { code: 'unknown_fixture_token', message, path } };
  }
  const found: InstrumentColumns = {
    instrument: {
      type: 'card',
      instrument_data: {
        card_name: card_name ?? '',
        ...shown,
        ...(fixture === null ? {} : { card_number_end: fixture.last4 }),
      },
    },
    brand: fixture?.brand ?? card_brand ?? (data.card_bin === undefined ? null : brandOf(data.card_bin)),
    last4: fixture?.last4 ?? data.card_number_end ?? null,
    fixture_token: fixture?.token ?? null,
  };
  return { found };
}

function becsOf(data: BecsData): Found<InstrumentColumns> {
  const { account_number, ...shown } = data;
  // By characters, as lengths are counted: half of one outside the basic plane cannot be stored.
  const last4 = [...account_number].slice(-4).join('');
  const found: InstrumentColumns = {
    instrument: {
      type: 'au_becs_debit',
      instrument_data: { ...shown, account_number_end: data.account_number_end ?? last4 },
    },
    brand: null,
    last4,
    fixture_token: null,
  };
  return { found };
}
