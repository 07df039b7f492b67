import type { Currency } from '../../domain/currencies.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { MinorUnits } from '../../domain/units.ts';
import { isOnClock, isWithin, type ReportRows } from './report-rows.ts';

/** An attempt that failed, or a payment that came back, as its event told it, and what has become of the payment. */
export interface FailedPaymentRow {
  event_id: string;
  sequence: number;
  failed_at: CustomerInstant;
  kind: 'failed' | 'returned';
  payment_intent_id: string;
  attempt: number | null;
  currency: Currency;
  amount: MinorUnits;
  code: string | null;
  message: string | null;
  bank_code: string | null;
  payment_method_type: string | null;
  payment_method_last4: string | null;
  customer_id: string | null;
  customer_name: string | null;
  customer_reference: string | null;
  payment_plan_id: string | null;
  subscription_id: string | null;
  will_retry: boolean | null;
  next_attempt_at: string | null;
  status: string | null;
  collected_at: CustomerInstant | null;
}

/** The failures of a range, oldest first. */
export const failedPaymentRows: ReportRows<FailedPaymentRow> = (db, scope, { after, limit }) => {
  const { billerId, livemode } = scope.tenant;
  return db<FailedPaymentRow[]>`
    select e.id as event_id, e.sequence, e.created_at as failed_at,
      case e.event_type when 'payment_intent.failed' then 'failed' else 'returned' end as kind,
      e.subject_id as payment_intent_id, (e.data->>'attempt')::integer as attempt, e.data->>'currency' as currency,
      coalesce(e.data->>'returned_amount', e.data->>'total_amount')::bigint as amount,
      e.data->'last_payment_error'->>'code' as code, e.data->'last_payment_error'->>'message' as message,
      (
        select d.bank_code from payment_attempts a join bank_debits d on d.attempt_id = a.id
        where a.payment_intent_id = e.subject_id and a.number = (e.data->>'attempt')::integer
      ) as bank_code,
      m.type as payment_method_type, m.last4 as payment_method_last4,
      e.customer_id, c.name as customer_name, c.reference as customer_reference, i.payment_plan_id, i.subscription_id,
      (e.data->>'will_retry')::boolean as will_retry, e.data->>'next_attempt_at' as next_attempt_at,
      i.status, i.collected_at
    from (
      select * from events
      where biller_id = ${billerId} and livemode = ${livemode} and ${isOnClock(db, 'test_clock_id', scope)}
        and event_type in ('payment_intent.failed', 'payment_intent.returned')
        and ${isWithin(db, 'created_at', scope)}
        and ${
          after === null
            ? db`true`
            : db`(created_at, sequence) > (select b.created_at, b.sequence from events b where b.id = ${after.event_id})`
        }
      order by created_at, sequence
      limit ${limit}
    ) e
    left join payment_intents i on i.id = e.subject_id and i.biller_id = e.biller_id and i.livemode = e.livemode
    left join payment_methods m on m.id = e.data->>'payment_method_id'
      and m.biller_id = e.biller_id and m.livemode = e.livemode
    left join customers c on c.id = e.customer_id and c.biller_id = e.biller_id and c.livemode = e.livemode
    order by e.created_at, e.sequence`;
};
