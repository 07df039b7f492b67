import type { MinorUnits } from '../../domain/units.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type BalanceTransactionRow, isOn, presented, rowsOf } from '../balance.ts';
import { isWithin, type ReportRows } from './report-rows.ts';

/** A movement of money, with the customer and what it was for. */
export interface BalanceReportRow extends BalanceTransactionRow {
  customer_name: string | null;
  customer_reference: string | null;
  /** How much of `gross` is tax. */
  tax: MinorUnits;
}

/** The rows of the books, oldest first. */
export const balanceReportRows: ReportRows<BalanceReportRow> = (db, scope, { after, limit }) => {
  const { tenant, testClock } = scope;
  const rows = db`
    ${rowsOf(db, tenant)} and ${isOn(db, testClock)} and ${isWithin(db, 'occurred_at', scope)} and ${isAfter(db, after)}
    order by occurred_at, position, id
    limit ${limit}`;
  return db<BalanceReportRow[]>`
    select p.*, c.name as customer_name, c.reference as customer_reference,
      coalesce(
        case p.type when 'payment' then told.tax_amount when 'return' then 0 - told.tax_amount
          when 'refund' then 0 - r.tax_amount when 'dispute' then 0 - u.tax_amount
          when 'dispute_reversal' then u.tax_amount end, 0) as tax
    from (${presented(db, rows)}) p
    left join lateral (${taxTold(db)} limit 1) told on p.type in ('payment', 'return')
    left join refunds r on r.id = p.source and r.biller_id = p.biller_id and r.livemode = p.livemode
    left join disputes u on u.id = p.source and u.biller_id = p.biller_id and u.livemode = p.livemode
    left join lateral (
      select name, reference from customers
      where id = p.customer_id and biller_id = p.biller_id and livemode = p.livemode limit 1
    ) c on true
    order by p.created_at, p.position, p.id`;
};

/**
 * The tax of the payment when the row `p` was posted, as its event told it. A payment that came back can be collected
 * again with another surcharge, and so with another tax. Before there was a tax, events told none.
 */
function taxTold(db: Db) {
  return db`
    select (e.data ->> 'tax_amount')::bigint as tax_amount
    from ledger_transactions t join events e on e.id = split_part(t.source_key, '.', 1)
    where t.id = p.id`;
}

/** The row before is read by its id: PostgreSQL may have its instant more exactly than JavaScript. */
function isAfter(db: Db, after: BalanceReportRow | null) {
  if (after === null) return db`true`;
  return db`(occurred_at, position, id) > (
    select c.occurred_at, c.position, c.id from balance_transactions c where c.id = ${after.id}
  )`;
}
