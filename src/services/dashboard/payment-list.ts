import { type PurposeOfPayment, purposesOf } from '../../db/dashboard-payment.ts';
import { type ListedMethod, methodsOf, type Payer, payersOf } from '../../db/dashboard-payments.ts';
import type { PaymentIntentFilter, PaymentIntentRow } from '../../db/payment-intents.ts';
import { type PaymentTotals, sumPayments } from '../../db/payment-totals.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { datesOf, type PageQuery, type Rows } from '../paging.ts';
import { listPaymentIntents } from '../payments/payment-intents.ts';
import type { ReportSlots } from '../reports/report-slots.ts';
import type { Tenant } from '../request-context.ts';

/** So many are summed with each page: they take 0.2 s, of a million payments that are there. */
const summedAtOnce = 100_000;
/** A batch is small enough to be there at once, and large enough that a million payments take a minute at most. */
const rowsOfBatch = 1_000;

/** A payment with who pays it, by which method. */
export interface ListedPayment {
  payment: PaymentIntentRow;
  customer: Payer | null;
  method: ListedMethod | null;
}

/** A page of payments, with what each is for, and the sums of all that pass the filter. */
export interface PaymentList {
  payments: (ListedPayment & { purpose: PurposeOfPayment | null })[];
  /** The id after which the next page begins; null on the last one. */
  next: string | null;
  /** Null: there are too many to be summed for a page. */
  totals: PaymentTotals[] | null;
}

/**
 * Returns a page of the list that the API has for this query, and the sums of the whole list by currency.
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function listPayments(
  db: Db,
  tenant: Tenant,
  filter: PaymentIntentFilter,
  query: PageQuery,
): Promise<PaymentList> {
  const [page, totals] = await Promise.all([
    listPaymentIntents(db, tenant, filter, query),
    sumPayments(db, tenant, filter, datesOf(query).dates, summedAtOnce),
  ]);
  const { shown, next } = pageOf(page);
  const [listed, purposes] = await Promise.all([
    withPayers(db, tenant, shown),
    purposesOf(
      db,
      tenant,
      shown.map(({ id }) => id),
    ),
  ]);
  const payments = listed.map((each) => ({ ...each, purpose: purposes.get(each.payment.id) ?? null }));
  return { payments, next, totals };
}

/**
 * Returns the sums of all payments that pass the filter, however many there are: a second for each million. It takes
 * the turn of a report.
 * @throws TooManyReports
 */
export async function sumAllPayments(
  db: Db,
  tenant: Tenant,
  slots: ReportSlots,
  filter: PaymentIntentFilter,
  query: PageQuery,
): Promise<PaymentTotals[]> {
  const read = async function* () {
    yield (await sumPayments(db, tenant, filter, datesOf(query).dates, Number.MAX_SAFE_INTEGER - 1)) ?? [];
  };
  for await (const totals of slots.inSlot(tenant.billerId, read)) return totals;
  return [];
}

/**
 * Yields all payments of the list, in its order. Each batch is one short query, so a client that reads slowly holds no
 * connection, and memory does not grow with the list.
 * @throws TooManyReports with the first batch, if too many reports of the biller or the process are read.
 */
export function allPayments(
  db: Db,
  tenant: Tenant,
  slots: ReportSlots,
  filter: PaymentIntentFilter,
  query: PageQuery,
): AsyncIterable<ListedPayment[]> {
  async function* read() {
    for (let after = query.starting_after; ; ) {
      const page = { ...query, limit: rowsOfBatch, starting_after: after };
      const { shown, next } = pageOf(await listPaymentIntents(db, tenant, filter, page));
      yield await withPayers(db, tenant, shown);
      if (next === null) return;
      after = next;
    }
  }
  return slots.inSlot(tenant.billerId, read);
}

/** What a page shows: the query has read one row more, or was cut by size and says so (see `page` in common.ts). */
function pageOf({ rows, limit }: Rows<PaymentIntentRow>): { shown: PaymentIntentRow[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isCut = last !== undefined && 'has_next' in last && last.has_next === true;
  return { shown, next: last !== undefined && (rows.length > limit || isCut) ? last.id : null };
}

async function withPayers(db: Db, tenant: Tenant, payments: readonly PaymentIntentRow[]): Promise<ListedPayment[]> {
  const [customers, methods] = await Promise.all([
    payersOf(
      db,
      tenant,
      payments.flatMap(({ customer_id: id }) => id ?? []),
    ),
    methodsOf(
      db,
      tenant,
      payments.flatMap(({ payment_method_id: id }) => id ?? []),
    ),
  ]);
  return payments.map((payment) => ({
    payment,
    customer: customers.get(payment.customer_id ?? '') ?? null,
    method: methods.get(payment.payment_method_id ?? '') ?? null,
  }));
}
