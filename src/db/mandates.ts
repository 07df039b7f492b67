import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { MandateEndReason, MandateStatus } from '../domain/mandates/mandate.ts';
import type { MandateNotice } from '../domain/mandates/mandate-notices.ts';
import type { MandateText } from '../domain/mandates/mandate-texts.ts';
import type { Scheme } from '../domain/schemes/schemes.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { isOnPage, orderOf, type Page, type TenantKey } from './tenant.ts';

/** How a payer has agreed to a mandate, as the columns of its row. All are null while it is pending. */
export interface AcceptanceColumns {
  acceptance_type: 'online' | 'paper' | 'telephone' | 'imported' | null;
  accepted_at: CustomerInstant | null;
  ip_address: string | null;
  user_agent: string | null;
  /** What the service has seen of a payer who accepted. Null, as is the next, if the biller has recorded it. */
  connection_ip_address: string | null;
  connection_user_agent: string | null;
  signatory_name: string | null;
  /** The biller's name at that time. */
  biller_name: string | null;
  /** Null, as is the hash, if the payer agreed elsewhere. */
  text_version: string | null;
  text_sha256: string | null;
}

export interface MandateRow extends AcceptanceColumns {
  id: Id<'mandate'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'>;
  test_clock_id: Id<'test_clock'> | null;
  payment_method_id: Id<'payment_method'>;
  scheme: Scheme;
  reference: string;
  status: MandateStatus;
  status_reason: MandateEndReason | null;
  cancellation_reason: string | null;
  max_amount_cents: MinorUnits | null;
  amount_type: 'variable' | 'fixed';
  frequency_text: string | null;
  activated_at: CustomerInstant | null;
  last_debited_at: CustomerInstant | null;
  lapses_at: CustomerInstant | null;
  ended_at: CustomerInstant | null;
  /** Oldest first. */
  notices: MandateNotice[];
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** A mandate with the time of its test clock, null in real time. */
export interface TimedMandateRow extends MandateRow {
  frozen_time: CustomerInstant | null;
}

/** Stores a new mandate. The payment method is locked, and has no mandate that has not ended. */
export async function insertMandate(tx: Tx, row: MandateRow): Promise<void> {
  await tx`insert into mandates ${tx({ ...row, notices: jsonb(tx, row.notices) })}`;
}

/** Stores a text that a payer has agreed to, unless it is stored already. */
export async function insertMandateText(tx: Tx, tenant: TenantKey, text: MandateText, now: RealInstant): Promise<void> {
  const row = { biller_id: tenant.billerId, livemode: tenant.livemode, ...text, created_at: now };
  await tx`insert into mandate_texts ${tx(row)} on conflict do nothing`;
}

/** A text that payers of this biller have agreed to, or null. */
export async function selectMandateText(db: Db, tenant: TenantKey, sha256: string): Promise<MandateText | null> {
  const [row] = await db<MandateText[]>`
    select scheme, version, html, sha256 from mandate_texts
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and sha256 = ${sha256}`;
  return row ?? null;
}

/** The mandate of this biller and mode, or null. */
export async function selectMandate(db: Db, tenant: TenantKey, id: string): Promise<TimedMandateRow | null> {
  const [row] = await db<TimedMandateRow[]>`
    select m.*, k.frozen_time from mandates m left join test_clocks k on k.id = m.test_clock_id
    where m.id = ${id} and m.biller_id = ${tenant.billerId} and m.livemode = ${tenant.livemode}`;
  return row ?? null;
}

/** The live mandate of a biller with this reference, or null. */
export async function selectLiveMandateByReference(
  db: Db,
  billerId: Id<'biller'>,
  reference: string,
): Promise<MandateRow | null> {
  const [row] = await db<MandateRow[]>`
    select * from mandates where biller_id = ${billerId} and livemode and reference = ${reference}`;
  return row ?? null;
}

/** Locks a mandate for update, after its customer and its payment method. Returns null if it was deleted. */
export async function lockMandate(tx: Tx, id: string): Promise<MandateRow | null> {
  const [row] = await tx<MandateRow[]>`select * from mandates where id = ${id} for no key update`;
  return row ?? null;
}

/**
 * Locks the mandate that a payment method is debited under: the one that has not ended or, if all have, the last one.
 * Null if it never had any. The payment method is locked, so no new one is made meanwhile.
 */
export async function lockMandateOfMethod(tx: Tx, methodId: string): Promise<MandateRow | null> {
  const [row] = await tx<MandateRow[]>`${ofMethod(tx, methodId)} for no key update`;
  return row ?? null;
}

/** As `lockMandateOfMethod`, without a lock. */
export async function selectMandateOfMethod(db: Db, methodId: string): Promise<MandateRow | null> {
  const [row] = await db<MandateRow[]>`${ofMethod(db, methodId)}`;
  return row ?? null;
}

function ofMethod(db: Db, methodId: string) {
  return db`
    select * from mandates where payment_method_id = ${methodId}
    order by (ended_at is null) desc, id desc
    limit 1`;
}

export interface MandateFilter {
  customerId?: Id<'customer'> | undefined;
  paymentMethodId?: Id<'payment_method'> | undefined;
  status?: MandateStatus | undefined;
  testClock?: Id<'test_clock'> | undefined;
}

/** A page of mandates, newest first, with one extra row if more follow. */
export async function listMandates(
  db: Db,
  tenant: TenantKey,
  filter: MandateFilter,
  page: Page,
): Promise<TimedMandateRow[]> {
  return db<TimedMandateRow[]>`
    select m.*, k.frozen_time
    from (
      select * from mandates
      where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
        ${filter.customerId === undefined ? db`` : db`and customer_id = ${filter.customerId}`}
        ${filter.paymentMethodId === undefined ? db`` : db`and payment_method_id = ${filter.paymentMethodId}`}
        ${filter.status === undefined ? db`` : db`and status = ${filter.status}`}
        ${filter.testClock === undefined ? db`` : db`and test_clock_id = ${filter.testClock}`}
        and ${isOnPage(db, 'mandates', tenant, page)}
      order by ${orderOf(db, page)}
      limit ${page.limit + 1}
    ) m
    left join test_clocks k on k.id = m.test_clock_id
    order by ${orderOf(db, page)}`;
}

/** The columns that can change. */
export type MandateChange = Partial<
  AcceptanceColumns &
    Pick<
      MandateRow,
      | 'status'
      | 'status_reason'
      | 'cancellation_reason'
      | 'activated_at'
      | 'last_debited_at'
      | 'lapses_at'
      | 'ended_at'
      | 'notices'
      | 'updated_at'
    >
>;

/**
 * Changes a locked mandate and returns the new row.
 * @throws if the mandate does not exist.
 */
export async function updateMandate(tx: Tx, id: string, change: MandateChange): Promise<MandateRow> {
  const { notices, ...plain } = change;
  const columns = notices === undefined ? plain : { ...plain, notices: jsonb(tx, notices) };
  const [row] = await tx<MandateRow[]>`update mandates set ${tx(columns)} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`mandate ${id} does not exist`);
  return row;
}

/** Ends the mandates of a payment method or of a customer that have not ended. Returns the new rows, oldest first. */
export async function endMandatesOf(
  tx: Tx,
  [column, id]: ['payment_method_id' | 'customer_id', string],
  change: Required<Pick<MandateRow, 'status' | 'status_reason' | 'ended_at' | 'updated_at'>>,
): Promise<MandateRow[]> {
  const rows = await tx<MandateRow[]>`
    update mandates set ${tx(change)} where ${tx(column)} = ${id} and ended_at is null returning *`;
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Ends an active mandate on a test clock at its lapse, if that is not after `at` (the clock's time). */
export async function expireOnClock(tx: Tx, id: string, at: CustomerInstant): Promise<MandateRow | null> {
  const [row] = await tx<MandateRow[]>`
    update mandates set ${expired(tx)}
    where id = ${id} and status = 'active' and test_clock_id is not null and lapses_at <= ${at}
    returning *`;
  return row ?? null;
}

/** Ends an active mandate in real time at its lapse, if that is not after `now`. Returns the new row, or null. */
export async function expireInRealTime(tx: Tx, id: string, now: RealInstant): Promise<MandateRow | null> {
  const [row] = await tx<MandateRow[]>`
    update mandates set ${expired(tx)}
    where id = ${id} and status = 'active' and test_clock_id is null and lapses_at <= ${now}
    returning *`;
  return row ?? null;
}

function expired(tx: Tx) {
  return tx`status = 'expired', status_reason = 'unused', ended_at = lapses_at, updated_at = lapses_at`;
}

/** The ids of at most 100 active mandates in real time that have lapsed by `now`, the first to lapse first. */
export async function listLapsed(db: Db, now: RealInstant): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from mandates
    where status = 'active' and test_clock_id is null and lapses_at <= ${now}
    order by lapses_at
    limit 100`;
  return rows.map(({ id }) => id);
}
