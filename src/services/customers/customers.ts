import {
  type CustomerFilter,
  type CustomerRow,
  countClockCustomers,
  insertCustomer,
  listCustomers as listCustomerRows,
  selectCustomer,
} from '../../db/customers.ts';
import { lockBiller } from '../../db/tenant.ts';
import { shareLockClockOf, type TestClockRow } from '../../db/test-clocks.ts';
import { namedId, newId } from '../../domain/ids.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { CustomerCreate } from '../../resources/customer.ts';
import { timeOnClock } from '../customer-time.ts';
import { InvalidState, orNotFound, ValidationFailed } from '../errors.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';

/** Limits from the contract. */
const customersPerClock = 3;
const clockCustomersPerAccount = 9;

/**
 * Creates a customer, on a test clock when the input names one.
 * @throws ValidationFailed when the clock does not exist.
 * @throws InvalidState when the clock is advancing, failed or full, and when the account has no room for another
 * customer on a clock.
 */
export async function createCustomer(db: Writer, context: RequestContext, input: CustomerCreate): Promise<CustomerRow> {
  const clockId = input.test_clock;
  if (clockId === undefined) return insert(db, newCustomer(context, input, withoutClock(context.now)));
  return atomically(db, async (tx) => {
    const clock = await shareLockClockOf(tx, context, clockId);
    if (clock === null) throw ValidationFailed.missing('/test_clock', 'test clock', clockId);
    const at = timeOnClock(clock);
    await lockBiller(tx, context.billerId);
    await assertRoom(tx, context, clock);
    return insert(tx, newCustomer(context, input, at));
  });
}

/**
 * Returns the customer, even a deleted one.
 * @throws NotFound
 */
export async function getCustomer(db: Db, tenant: Tenant, id: string): Promise<CustomerRow> {
  return orNotFound(await selectCustomer(db, tenant, id), 'customer', id);
}

/**
 * Returns a page of the customers that are not deleted, newest first. Customers on a test clock are listed only when
 * the filter names the clock.
 */
export async function listCustomers(
  db: Db,
  tenant: Tenant,
  query: CustomerFilter & PageQuery,
): Promise<Rows<CustomerRow>> {
  return rowsOfPage(db, 'customers', tenant, query, (page) => listCustomerRows(db, tenant, query, page));
}

async function assertRoom(tx: Tx, context: RequestContext, clock: TestClockRow): Promise<void> {
  if (clock.status === 'failed') {
    throw new InvalidState(
      `Test clock ${clock.id} has failed and takes no customers. Create a new one.`,
      'test_clock_failed',
    );
  }
  const { onClock, inAll } = await countClockCustomers(tx, context, clock.id);
  if (onClock >= customersPerClock) {
    throw new InvalidState(
      `Test clock ${clock.id} has ${customersPerClock} customers, the maximum. Use another clock.`,
      'test_clock_full',
    );
  }
  if (inAll >= clockCustomersPerAccount) {
    throw new InvalidState(
      `The account has ${clockCustomersPerAccount} customers on test clocks, the maximum. Delete a clock first.`,
      'test_clock_customers_limit',
    );
  }
}

async function insert(db: Db, row: CustomerRow): Promise<CustomerRow> {
  await insertCustomer(db, row);
  return row;
}

/** Returns the row of a new customer. */
export function newCustomer(context: RequestContext, input: CustomerCreate, at: CustomerInstant): CustomerRow {
  return {
    id: newId('customer'),
    biller_id: context.billerId,
    livemode: context.livemode,
    test_clock_id: namedId('test_clock', input.test_clock) ?? null,
    name: input.name,
    email: input.email ?? null,
    reference: input.reference ?? null,
    status: input.status ?? 'active',
    business_name: input.business_name ?? null,
    billing_address: input.billing_address ?? null,
    shipping_address: input.shipping_address ?? null,
    notification_preferences: input.notification_preferences ?? null,
    fee_preferences: input.fee_preferences ?? null,
    additional_attributes: input.additional_attributes ?? null,
    phones: input.phones ?? null,
    metadata: input.metadata ?? {},
    default_payment_method_id: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
  };
}
