import type { Currency } from '../domain/currencies.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { isListed, type PaymentIntentFilter } from './payment-intents.ts';
import { type DateRange, isOnPage, type TenantKey } from './tenant.ts';

/** Sums of the payments of one currency, each of a field that the API shows. */
export interface PaymentTotals {
  currency: Currency;
  payments: number;
  amount: MinorUnits;
  surcharge: MinorUnits;
  total: MinorUnits;
  refunded: MinorUnits;
  returned: MinorUnits;
  net_collected: MinorUnits;
}

/**
 * The sums of the payments of a filter, by currency. Null if there are more than `most`: to count them takes longer
 * than a page may.
 */
export async function sumPayments(
  db: Db,
  tenant: TenantKey,
  filter: PaymentIntentFilter,
  dates: readonly DateRange[],
  most: number,
): Promise<PaymentTotals[] | null> {
  const rows = await db<PaymentTotals[]>`
    select currency, count(*) as payments, sum(amount)::bigint as amount, sum(surcharge_amount)::bigint as surcharge,
      sum(total_amount)::bigint as total, sum(total_refunded_amount)::bigint as refunded,
      sum(total_returned_amount)::bigint as returned,
      (sum(case when status = 'succeeded' then total_amount else 0 end) - sum(total_refunded_amount))::bigint
        as net_collected
    from (
      select * from payment_intents
      where ${isListed(db, tenant, filter)} and ${isOnPage(db, 'payment_intents', tenant, { limit: most, dates })}
      limit ${most + 1}
    ) listed
    group by currency
    order by currency`;
  return rows.reduce((sum, { payments }) => sum + payments, 0) > most ? null : rows;
}
