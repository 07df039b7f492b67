import type { MinorUnits } from '../../domain/units.ts';
import type { PayoutRow } from '../payouts.ts';
import { isOnClock, isWithin, type ReportRows } from './report-rows.ts';

/** A payout with the sums of its items, minor units. */
export interface PayoutReportRow extends PayoutRow {
  item_count: number;
  payments: MinorUnits;
  refunds: MinorUnits;
  returns: MinorUnits;
  adjustments: MinorUnits;
  fees: MinorUnits;
  net: MinorUnits;
}

/** The payouts that were made in a range, oldest first. */
export const payoutReportRows: ReportRows<PayoutReportRow> = (db, scope, { after, limit }) => {
  const { billerId, livemode } = scope.tenant;
  return db<PayoutReportRow[]>`
    select p.*, items.*
    from (
      select * from payouts
      where biller_id = ${billerId} and livemode = ${livemode} and ${isOnClock(db, 'test_clock_id', scope)}
        and ${isWithin(db, 'created_at', scope)}
        and ${
          after === null
            ? db`true`
            : db`(created_at, id) > (select b.created_at, b.id from payouts b where b.id = ${after.id})`
        }
      order by created_at, id
      limit ${limit}
    ) p
    cross join lateral (
      select count(*)::integer as item_count,
        coalesce(sum(t.gross) filter (where t.kind = 'payment'), 0)::bigint as payments,
        coalesce(sum(t.gross) filter (where t.kind = 'refund'), 0)::bigint as refunds,
        coalesce(sum(t.gross) filter (where t.kind = 'return'), 0)::bigint as returns,
        coalesce(sum(t.net) filter (where t.kind not in ('payment', 'refund', 'return')), 0)::bigint as adjustments,
        coalesce(sum(t.fee) filter (where t.kind in ('payment', 'refund', 'return')), 0)::bigint as fees,
        coalesce(sum(t.net), 0)::bigint as net
      from payout_items i
      cross join lateral (
        select kind, gross, fee, net from balance_transactions
        where id = i.transaction_id and biller_id = p.biller_id and livemode = p.livemode limit 1
      ) t
      where i.payout_id = p.id
    ) items
    order by p.created_at, p.id`;
};
