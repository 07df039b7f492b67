import type { MandateRow } from '../mandates.ts';
import { isOnClock, isWithin, type ReportRows } from './report-rows.ts';

/** A mandate with its customer and its account. */
export interface MandateReportRow extends MandateRow {
  customer_name: string;
  customer_reference: string | null;
  account_name: string | null;
  account_last4: string | null;
}

/** The mandates that were created in a range, oldest first. */
export const mandateReportRows: ReportRows<MandateReportRow> = (db, scope, { after, limit }) => {
  const { billerId, livemode } = scope.tenant;
  return db<MandateReportRow[]>`
    select d.*, c.name as customer_name, c.reference as customer_reference,
      m.instrument_data->>'account_name' as account_name, m.last4 as account_last4
    from (
      select * from mandates
      where biller_id = ${billerId} and livemode = ${livemode} and ${isOnClock(db, 'test_clock_id', scope)}
        and ${isWithin(db, 'created_at', scope)}
        and ${
          after === null
            ? db`true`
            : db`(created_at, id) > (select b.created_at, b.id from mandates b where b.id = ${after.id})`
        }
      order by created_at, id
      limit ${limit}
    ) d
    join customers c on c.id = d.customer_id and c.biller_id = d.biller_id and c.livemode = d.livemode
    join payment_methods m on m.id = d.payment_method_id and m.biller_id = d.biller_id and m.livemode = d.livemode
    order by d.created_at, d.id`;
};
