import {
  type BalanceRow,
  type BalanceTransactionFilter,
  type BalanceTransactionRow,
  listBalances,
  listBalanceTransactionRows,
  selectBalanceTransaction,
} from '../../db/balance.ts';
import { selectPosition } from '../../db/ledger.ts';
import { listPayoutRows, type PayoutFilter, type PayoutRow, selectPayout } from '../../db/payouts.ts';
import { selectClock } from '../../db/test-clocks.ts';
import { dateIn } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { BadParameters, orNotFound } from '../errors.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';

/**
 * Returns what the biller has in each currency, minor units, in real time or on a test clock; and up to which event it
 * is posted.
 * @throws BadParameters if the biller has no such test clock.
 */
export async function getBalance(
  db: Db,
  context: Pick<RequestContext, 'billerId' | 'livemode' | 'now' | 'timeZone'>,
  testClock: Id<'test_clock'> | undefined,
): Promise<{ data: BalanceRow[]; complete_up_to: number }> {
  const at = testClock === undefined ? withoutClock(context.now) : await frozenTimeOf(db, context, testClock);
  // Read first: what is posted meanwhile is in the balance and not yet in the number.
  const { posted } = await selectPosition(db, context);
  const today = dateIn(at, context.timeZone);
  return { data: await listBalances(db, context, { testClock: testClock ?? null, today }), complete_up_to: posted };
}

/**
 * Returns the time of a test clock that a query names.
 * @throws BadParameters if the biller has no such test clock.
 */
export async function frozenTimeOf(db: Db, tenant: Tenant, id: Id<'test_clock'>) {
  const clock = await selectClock(db, tenant, id);
  if (clock !== null) return clock.frozen_time;
  throw new BadParameters([fieldError('query/test_clock', 'resource_missing', `There is no test clock ${id}.`)]);
}

/**
 * Returns the row, on any test clock or none.
 * @throws NotFound
 */
export async function getBalanceTransaction(db: Db, tenant: Tenant, id: string): Promise<BalanceTransactionRow> {
  return orNotFound(await selectBalanceTransaction(db, tenant, id), 'balance transaction', id);
}

/**
 * Returns a page of rows, newest first by `created_at`.
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function listBalanceTransactions(
  db: Db,
  tenant: Tenant,
  filter: BalanceTransactionFilter,
  query: Pick<PageQuery, 'limit' | 'starting_after'>,
): Promise<Rows<BalanceTransactionRow>> {
  return rowsOfPage(db, 'balance_transactions', tenant, query, (page) =>
    listBalanceTransactionRows(db, tenant, filter, page),
  );
}

/**
 * Returns the payout, on any test clock or none.
 * @throws NotFound
 */
export async function getPayout(db: Db, tenant: Tenant, id: string): Promise<PayoutRow> {
  return orNotFound(await selectPayout(db, tenant, id), 'payout', id);
}

/**
 * Returns a page of payouts, newest first by `created_at`.
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function listPayouts(
  db: Db,
  tenant: Tenant,
  filter: PayoutFilter,
  query: Pick<PageQuery, 'limit' | 'starting_after'>,
): Promise<Rows<PayoutRow>> {
  return rowsOfPage(db, 'payouts', tenant, query, (page) => listPayoutRows(db, tenant, filter, page));
}

/**
 * Returns a page of the rows that a payout pays, or was to pay if it has failed, newest first by `created_at`.
 * @throws NotFound
 * @throws BadParameters when `starting_after` does not exist for this biller and mode.
 */
export async function listPayoutItems(
  db: Db,
  tenant: Tenant,
  id: string,
  query: Pick<PageQuery, 'limit' | 'starting_after'>,
): Promise<Rows<BalanceTransactionRow>> {
  const { id: payoutId, test_clock_id: clock } = await getPayout(db, tenant, id);
  return listBalanceTransactions(db, tenant, { payoutId, testClock: clock ?? undefined }, query);
}
