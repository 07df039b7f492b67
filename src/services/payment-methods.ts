import type { Db } from '../db/connection.ts';
import {
  clearDefaultMethod,
  type CustomerRow,
  findCustomer,
  findCustomerByReference,
  lockCustomer,
  setFirstDefaultMethod,
} from '../db/customers.ts';
import {
  findPaymentMethod,
  insertPaymentMethod,
  listMethodsOfCustomer,
  listPaymentMethods as selectMethods,
  lockPaymentMethod,
  markDetached,
  type PaymentMethodRow,
} from '../db/payment-methods.ts';
import { atomically } from '../db/transaction.ts';
import { brandOf, findFixtureCard } from '../domain/cards.ts';
import { newId } from '../domain/ids.ts';
import type { BecsData, CardData, PaymentMethodCreate } from '../resources/payment-method.ts';
import type { Call, Tenant } from './call.ts';
import { timeForWrite } from './customer-time.ts';
import { Forbidden, NotFound, ValidationFailed } from './errors.ts';
import { pageOf } from './paging.ts';
import type { Vault } from './vault.ts';

const fixtureTokenType = 'fixture';
/** Decisions: the list answers the newest 100 when no limit is given. */
const methodsPerPage = 100;

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
  const instrument = input.type === 'card' ? cardOf(call, input.payment_method_data) : becsOf(input.payment_method_data);
  const sealed = input.type === 'card' ? null : vault.seal(input.payment_method_data.account_number);
  const reference = input.customer_reference;
  return atomically(db, async (tx) => {
    const customer = reference === undefined ? null : await customerReferredTo(tx, call, reference);
    const at = await timeForWrite(tx, customer?.test_clock_id ?? null, call.now);
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
    await insertPaymentMethod(tx, row, sealed);
    if (customer !== null) await setFirstDefaultMethod(tx, customer.id, row.id, at);
    return row;
  });
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
    const found = await fetchPaymentMethod(tx, call, id);
    const customer = found.customer_id === null ? null : await lockCustomer(tx, call, found.customer_id);
    const at = await timeForWrite(tx, customer?.test_clock_id ?? null, call.now);
    const method = await lockPaymentMethod(tx, call, id);
    if (method === null) throw new NotFound('payment method', id);
    if (method.detached_at !== null) return method;
    await markDetached(tx, id, at);
    await clearDefaultMethod(tx, id, at);
    return { ...method, detached_at: at, updated_at: at };
  });
}

/** A customer by its id or by the biller's own reference. */
async function customerReferredTo(tx: Db, tenant: Tenant, reference: string): Promise<CustomerRow> {
  const path = '/customer_reference';
  const byId = await findCustomer(tx, tenant, reference);
  const customer = byId ?? (await findCustomerByReference(tx, tenant, reference));
  if (customer === null) throw ValidationFailed.missing(path, 'customer', reference);
  if (customer.deleted_at !== null) {
    throw ValidationFailed.of(path, 'customer_deleted', `Customer ${customer.id} has been deleted.`);
  }
  return customer;
}

function cardOf(call: Call, data: CardData): InstrumentColumns {
  const { token_metadata, card_brand, card_name, ...shown } = data;
  const isFixture = token_metadata.type === fixtureTokenType;
  if (isFixture && call.livemode) {
    throw new Forbidden('sandbox_only', 'Fixture tokens work with sandbox keys only.');
  }
  const fixture = isFixture ? findFixtureCard(token_metadata.token) : null;
  if (isFixture && fixture === null) {
    throw ValidationFailed.of(
      '/payment_method_data/token_metadata/token',
      'unknown_fixture_token',
      `There is no fixture token ${token_metadata.token}; use one of the tok_sandbox_… of the reference.`,
    );
  }
  return {
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
}

function becsOf(data: BecsData): InstrumentColumns {
  const { account_number, ...shown } = data;
  const last4 = account_number.slice(-4);
  return {
    instrument: {
      type: 'au_becs_debit',
      instrument_data: { ...shown, account_number_end: data.account_number_end ?? last4 },
    },
    brand: null,
    last4,
    fixture_token: null,
  };
}
