import type { Currency } from '../domain/currencies.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { BalanceTransactionType } from '../domain/ledger/balance-transactions.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { isOn } from './balance.ts';
import type { TenantKey } from './tenant.ts';

/** What one type of movement came to in a month, minor units. */
interface MonthlyMovements {
  type: BalanceTransactionType;
  count: number;
  gross: MinorUnits;
  fee: MinorUnits;
  net: MinorUnits;
}

/** The month of a biller in one currency, minor units. What it opens and closes with is taken and not paid out. */
export interface MonthRow {
  currency: Currency;
  opening: MinorUnits;
  closing: MinorUnits;
  movements: MonthlyMovements[];
}

/**
 * What moved from `from` on and before `to`, by currency and type, in real time or on a test clock; and what there was
 * before and after. It is counted back from the balance, so a month costs what has moved since it began.
 */
export async function listMonth(
  db: Db,
  { billerId, livemode }: TenantKey,
  { testClock, from, to }: { testClock: Id<'test_clock'> | null; from: CustomerInstant; to: CustomerInstant },
): Promise<MonthRow[]> {
  return db<MonthRow[]>`
    with moved as (
      select t.currency, t.kind as type, t.occurred_at < ${to} as is_within, count(*)::integer as count,
        sum(coalesce(p.amount, 0) + coalesce(f.amount, 0)) as gross, sum(coalesce(f.amount, 0) + told_fee) as fee,
        sum(coalesce(p.amount, 0) - told_fee) as net
      from balance_transactions t
      left join ledger_entries p on p.transaction_id = t.id and p.account = 'processor'
      left join ledger_entries f on f.transaction_id = t.id and f.account = 'fees'
      where biller_id = ${billerId} and livemode = ${livemode} and ${isOn(db, testClock)} and occurred_at >= ${from}
      group by 1, 2, 3
    ), by_currency as (
      select currency, sum(net) filter (where is_within) as within, sum(net) filter (where not is_within) as later,
        jsonb_agg(jsonb_build_object('type', type, 'count', count, 'gross', gross, 'fee', fee, 'net', net)
          order by type) filter (where is_within) as movements
      from moved group by currency
    ), present as (
      select currency, sum(amount) filter (where account = 'processor') as amount
      from ledger_balances
      where biller_id = ${billerId} and livemode = ${livemode} and ${isOn(db, testClock)}
      group by currency
    )
    select currency,
      (coalesce(amount, 0) - coalesce(later, 0) - coalesce(within, 0))::bigint as opening,
      (coalesce(amount, 0) - coalesce(later, 0))::bigint as closing,
      coalesce(movements, '[]') as movements
    from present left join by_currency using (currency)
    order by currency`;
}
