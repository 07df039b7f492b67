import { type AccountEvent, accountEventTypes } from '../../domain/statements/account.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { TenantKey } from '../tenant.ts';

export type AccountEventRow = AccountEvent & { sequence: number };

/** The events of customers that change their accounts, before an instant, in their order, after a number. */
export async function listAccountEvents(
  db: Db,
  { billerId, livemode }: TenantKey,
  customerIds: readonly string[],
  { before, after, limit }: { before: Date; after: number; limit: number },
): Promise<AccountEventRow[]> {
  return db<AccountEventRow[]>`
    select e.sequence, e.created_at as at, e.event_type as type, e.customer_id, e.subject_id as source,
      d->>'currency' as currency,
      case when e.event_type like 'payment_intent.%' then e.subject_id else d->>'payment_intent_id' end
        as payment_intent_id,
      case when e.event_type like 'payment_plan.%' then e.subject_id
        else coalesce(d->>'payment_plan_id', i.payment_plan_id) end as payment_plan_id,
      case when e.event_type like 'subscription.%' then e.subject_id
        else coalesce(d->>'subscription_id', i.subscription_id) end as subscription_id,
      d->>'payment_link_id' as payment_link_id,
      coalesce(d->>'amount', '0')::bigint as base,
      coalesce(d->>'returned_amount', d->>'total_amount', d->>'amount', '0')::bigint as total,
      coalesce(d->>'returned_tax_amount', d->>'tax_amount', '0')::bigint as tax,
      coalesce(d->>'owed_amount_cents', '0')::bigint as owed,
      case when e.event_type in ('subscription.canceled', 'subscription.resumed')
        then coalesce(d->>'waived_amount_cents', '0')::bigint else 0 end as waived,
      coalesce(d->>'credit_balance_cents', '0')::bigint as credit
    from (
      select * from events
      where biller_id = ${billerId} and livemode = ${livemode} and customer_id = any(${[...customerIds]})
        and sequence > ${after} and created_at < ${before}
        and (event_type = any(${[...accountEventTypes]}) or event_type like 'subscription.%')
      order by sequence
      limit ${limit}
    ) e
    cross join lateral (select e.data::jsonb as d) told
    left join payment_intents i on e.event_type = 'refund.succeeded' and i.id = d->>'payment_intent_id'
    order by e.sequence`;
}
