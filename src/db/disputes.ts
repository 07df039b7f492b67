import type { Fragment } from 'postgres';
import type { Currency } from '../domain/currencies.ts';
import type { DisputeResult, DisputeStatus } from '../domain/disputes.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { isOn } from './balance.ts';
import type { Page, TenantKey } from './tenant.ts';

/** A row of `disputes`. */
export interface DisputeRow {
  id: Id<'dispute'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  payment_intent_id: Id<'payment_intent'>;
  customer_id: Id<'customer'> | null;
  test_clock_id: Id<'test_clock'> | null;
  currency: Currency;
  /** What the bank holds of the payment: its total without what was refunded before. */
  amount: MinorUnits;
  /** How much of that is tax. */
  tax_amount: MinorUnits;
  status: DisputeStatus;
  /** How it will end, or has ended. Null, as `closes_at`, until somebody has said so. */
  result: DisputeResult | null;
  closes_at: CustomerInstant | null;
  closed_at: CustomerInstant | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

/** Opens a dispute of a locked payment. */
export async function insertDispute(tx: Tx, row: DisputeRow): Promise<void> {
  await tx`insert into disputes ${tx({ ...row })}`;
}

/** The newest dispute of a payment, or null. */
export async function selectLastDispute(db: Db, paymentIntentId: string): Promise<DisputeRow | null> {
  const [row] = await db<DisputeRow[]>`
    select * from disputes where payment_intent_id = ${paymentIntentId} order by created_at desc, id desc limit 1`;
  return row ?? null;
}

/**
 * Condition: no dispute was lost after the refund `r`. What a refund before that gave back, the dispute did not take,
 * so nothing of it is missing from what was collected again.
 */
export function isSinceLost(db: Db): Fragment {
  return db`not exists (
      select from disputes d
      where d.payment_intent_id = r.payment_intent_id and d.status = 'lost' and d.closed_at > r.created_at
    )`;
}

/** Condition: the payment `i` is under dispute. */
export function isUnderDispute(db: Db): Fragment {
  return db`exists (select from disputes u where u.payment_intent_id = i.id and u.status = 'needs_response')`;
}

/** Says how a dispute of a locked payment will end, and when. Returns the new row. */
export async function updateDisputeResult(
  tx: Tx,
  id: string,
  { result, closes_at, updated_at }: Required<Pick<DisputeRow, 'result' | 'closes_at' | 'updated_at'>>,
): Promise<DisputeRow> {
  return changed(tx, id, { result, closes_at, updated_at });
}

/** Closes an open dispute of a locked payment. Returns the new row. */
export async function endDispute(tx: Tx, id: string, status: DisputeResult, at: CustomerInstant): Promise<DisputeRow> {
  return changed(tx, id, { status, closed_at: at, updated_at: at });
}

async function changed(tx: Tx, id: string, change: Partial<DisputeRow>): Promise<DisputeRow> {
  const [row] = await tx<DisputeRow[]>`update disputes set ${tx(change)} where id = ${id} returning *`;
  if (row === undefined) throw new Error(`dispute ${id} is gone`);
  return row;
}

/** The dispute of this id, on any test clock or none, if it is open. Its payment is locked if it is to be changed. */
export async function selectOpenDispute(db: Db, id: string): Promise<DisputeRow | null> {
  const [row] = await db<DisputeRow[]>`select * from disputes where id = ${id} and status = 'needs_response'`;
  return row ?? null;
}

/** `id` and `at` of the disputes on a test clock that close up to `target`. */
export function disputesClosingOnClock(db: Db, testClockId: Fragment, target: Fragment): Fragment {
  return db`
    select id, closes_at as at from disputes
    where test_clock_id = ${testClockId} and status = 'needs_response' and closes_at <= ${target}`;
}

/** The disputes in real time that are to be closed at `now`, the oldest first. */
export async function listClosingInRealTime(db: Db, now: RealInstant): Promise<Id<'dispute'>[]> {
  const rows = await db<{ id: Id<'dispute'> }[]>`
    select id from disputes where test_clock_id is null and status = 'needs_response' and closes_at <= ${now}
    order by closes_at, id`;
  return rows.map(({ id }) => id);
}

export interface DisputeFilter {
  status?: DisputeStatus | undefined;
  currency?: Currency | undefined;
  paymentIntentId?: Id<'payment_intent'> | undefined;
  customerId?: Id<'customer'> | undefined;
  /** Without it, only what is on no test clock. */
  testClock?: Id<'test_clock'> | undefined;
}

/** The dispute of this biller and mode, on any test clock or none, or null. */
export async function selectDispute(db: Db, { billerId, livemode }: TenantKey, id: string): Promise<DisputeRow | null> {
  const [row] = await db<DisputeRow[]>`
    select * from disputes where id = ${id} and biller_id = ${billerId} and livemode = ${livemode}`;
  return row ?? null;
}

/** A page of disputes, newest first by `created_at`, with one extra row if more follow. */
export async function listDisputeRows(
  db: Db,
  { billerId, livemode }: TenantKey,
  { status, currency, paymentIntentId, customerId, testClock }: DisputeFilter,
  { limit, after }: Page,
): Promise<DisputeRow[]> {
  return db<DisputeRow[]>`
    select * from disputes
    where biller_id = ${billerId} and livemode = ${livemode} and ${isOn(db, testClock ?? null)}
      ${status === undefined ? db`` : db`and status = ${status}`}
      ${currency === undefined ? db`` : db`and currency = ${currency}`}
      ${paymentIntentId === undefined ? db`` : db`and payment_intent_id = ${paymentIntentId}`}
      ${customerId === undefined ? db`` : db`and customer_id = ${customerId}`}
      ${
        after === undefined
          ? db``
          : db`and (created_at, id) < (
              select c.created_at, c.id from disputes c
              where c.id = ${after} and c.biller_id = ${billerId} and c.livemode = ${livemode}
            )`
      }
    order by created_at desc, id desc
    limit ${limit + 1}`;
}
