import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Funding, Network } from '../domain/surcharges/means.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { Page, TenantKey } from './tenant.ts';

/** The columns `type` and `instrument_data`: the part of a method that the API shows. */
export type Instrument =
  | { type: 'card'; instrument_data: CardInstrument }
  | { type: 'au_becs_debit'; instrument_data: BecsInstrument }
  | { type: 'klarna'; instrument_data: { dob: DateOfBirth | null } }
  | { type: 'pay_id'; instrument_data: { payid: string; account_name: string; payid_type?: string } }
  | { type: 'paypal'; instrument_data: { paypal_email: string; account_name: string; paypal_token?: string } };

interface CardInstrument {
  card_name: string;
  expiry_month: number;
  expiry_year: number;
  card_number_token?: string;
  card_number_end?: string;
  card_bin?: string;
  card_networks?: Network[];
  card_funding?: Funding;
  card_country?: string;
  fingerprint?: string;
  wallet?: string;
}

interface BecsInstrument {
  bsb_number: string;
  account_name: string;
  account_number_token?: string;
  account_number_end?: string;
  fingerprint?: string;
}

interface DateOfBirth {
  day: number | null;
  month: number | null;
  year: number | null;
}

export interface PaymentMethodRow {
  id: Id<'payment_method'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'> | null;
  instrument: Instrument;
  brand: string | null;
  last4: string | null;
  fixture_token: string | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
  detached_at: CustomerInstant | null;
  /**
   * The only intent that a method without a customer may be used for. Null until a publishable key uses the method, and
   * again once the method has a customer.
   */
  bound_payment_intent_id: Id<'payment_intent'> | null;
  /** Whether a secret key has used the method for an intent while the method had no customer and was not bound. */
  used_by_biller: boolean;
}

/**
 * The columns of a `PaymentMethodRow`. `instrument` combines `type` and `instrument_data`. Only
 * `selectSealedAccount` reads the sealed account number.
 */
const columns = (db: Db) => db`
  id, biller_id, livemode, customer_id, brand, last4, fixture_token, created_at, updated_at, detached_at,
  bound_payment_intent_id, used_by_biller, ${instrumentColumn(db, 'payment_methods')} as instrument`;

/** The instrument of a method, from the table with this alias. */
export function instrumentColumn(db: Db, table: string) {
  return db`jsonb_build_object('type', ${db(table)}.type, 'instrument_data', ${db(table)}.instrument_data)`;
}

/**
 * Stores a new method. `sealedAccountNumber` is already encrypted. `enteredInForm`: a payer has entered it in a form of
 * our pages, and it is forgotten if nothing uses it (`sweepUnusedMethods`).
 */
export async function insertPaymentMethod(
  db: Db,
  row: PaymentMethodRow,
  sealedAccountNumber: Buffer | null,
  enteredInForm = false,
): Promise<void> {
  const { instrument, ...columns } = row;
  const instrumentColumns = {
    type: instrument.type,
    instrument_data: jsonb(db, instrument.instrument_data),
    sealed_account_number: sealedAccountNumber,
    entered_in_form: enteredInForm,
  };
  await db`insert into payment_methods ${db({ ...columns, ...instrumentColumns })}`;
}

/** The method of this biller and mode, or null. Detached methods are included. */
export async function selectPaymentMethod(db: Db, tenant: TenantKey, id: string): Promise<PaymentMethodRow | null> {
  const [row] = await db<PaymentMethodRow[]>`
    select ${columns(db)} from payment_methods
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** A bank account with its number as it is sealed. */
export interface SealedAccount {
  biller_id: Id<'biller'>;
  instrument: Instrument;
  sealed_account_number: Buffer;
  /** Of its customer. */
  email: string | null;
}

/** The sealed account of a method of this mode, or null if it has none. Detached methods are included. */
export async function selectSealedAccount(db: Db, id: string, livemode: boolean): Promise<SealedAccount | null> {
  const [row] = await db<SealedAccount[]>`
    select biller_id, ${instrumentColumn(db, 'payment_methods')} as instrument, sealed_account_number,
      (select email from customers c where c.id = payment_methods.customer_id) as email
    from payment_methods
    where id = ${id} and livemode = ${livemode} and sealed_account_number is not null`;
  return row ?? null;
}

/** As `selectPaymentMethod`, and locks the method for update, so that charging and detaching do not overlap. */
export async function lockPaymentMethod(tx: Tx, tenant: TenantKey, id: string): Promise<PaymentMethodRow | null> {
  const [row] = await tx<PaymentMethodRow[]>`
    select ${columns(tx)} from payment_methods
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
    for no key update`;
  return row ?? null;
}

/** Attaches a method to a customer. This ends its binding to an intent. */
export async function attachToCustomer(
  tx: Tx,
  id: Id<'payment_method'>,
  customerId: Id<'customer'>,
  at: CustomerInstant,
): Promise<void> {
  await tx`
    update payment_methods set customer_id = ${customerId}, bound_payment_intent_id = null, updated_at = ${at}
    where id = ${id}`;
}

/** Binds an unattached method to the only intent that it may be used for. */
export async function bindToIntent(tx: Tx, id: Id<'payment_method'>, intentId: Id<'payment_intent'>): Promise<void> {
  await tx`update payment_methods set bound_payment_intent_id = ${intentId} where id = ${id}`;
}

/** Records that a secret key has used an unattached method for an intent. */
export async function markUsedByBiller(tx: Tx, id: string): Promise<void> {
  await tx`update payment_methods set used_by_biller = true where id = ${id}`;
}

/** Counts the methods of a customer that are not detached. The count is exact only while the customer is locked. */
export async function countMethodsOfCustomer(tx: Tx, customerId: string): Promise<number> {
  const [row] = await tx<{ methods: number }[]>`
    select count(*)::integer as methods from payment_methods where customer_id = ${customerId} and detached_at is null`;
  return row?.methods ?? 0;
}

/** Detaches a method: it is never charged again. */
export async function markDetached(tx: Tx, id: string, at: CustomerInstant): Promise<void> {
  await tx`update payment_methods set detached_at = ${at}, updated_at = ${at} where id = ${id}`;
}

const unusedForMs = 86_400_000;
const sweepBatch = 1_000;

/**
 * Detaches the methods that payers have entered in forms of our pages and that nothing has used for a day, and deletes
 * their account numbers: 1,000 in each statement. Returns how many they were. The rows stay, because to delete one
 * PostgreSQL would read all payments. A use of a method without a customer writes to its row, so concurrent sweepers
 * and users skip each other.
 */
export async function sweepUnusedMethods(db: Db, now: RealInstant): Promise<number> {
  for (let swept = 0; ; ) {
    const { count } = await db`
      update payment_methods
      set detached_at = ${now}, updated_at = ${now}, sealed_account_number = null, last4 = null
      where id in (
        select id from payment_methods
        where entered_in_form and customer_id is null and bound_payment_intent_id is null and not used_by_biller
          and detached_at is null and created_at < ${new Date(now.getTime() - unusedForMs)}
        order by created_at limit ${sweepBatch} for update skip locked
      )`;
    swept += count;
    if (count < sweepBatch) return swept;
  }
}

/** A page of the biller's methods that are not detached, newest first, with one extra row if more follow. */
export async function listPaymentMethods(
  db: Db,
  tenant: TenantKey,
  { limit, after }: Page,
): Promise<PaymentMethodRow[]> {
  return db<PaymentMethodRow[]>`
    select ${columns(db)} from payment_methods
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and detached_at is null
      ${after === undefined ? db`` : db`and id < ${after}`}
    order by id desc
    limit ${limit + 1}`;
}

/** A page of a customer's methods that are not detached, newest first, with one extra row if more follow. */
export async function listMethodsOfCustomer(
  db: Db,
  customerId: string,
  { limit, after }: Page,
): Promise<PaymentMethodRow[]> {
  return db<PaymentMethodRow[]>`
    select ${columns(db)} from payment_methods
    where customer_id = ${customerId} and detached_at is null
      ${after === undefined ? db`` : db`and id < ${after}`}
    order by id desc
    limit ${limit + 1}`;
}
