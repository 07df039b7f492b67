import type { Funds } from '../domain/subscriptions/cover.ts';
import type { MinorUnits, PeriodNumber } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { SubscriptionPeriodRow } from './subscription-periods.ts';

type PeriodFunds = Funds &
  Pick<SubscriptionPeriodRow, 'number' | 'status' | 'carried_cents' | 'changed_cents' | 'withheld_cents'>;

/** A period with what its payments hold, or null. Refunds under way count as made. */
export async function selectPeriodFunds(
  db: Db,
  subscriptionId: string,
  number: PeriodNumber,
): Promise<PeriodFunds | null> {
  const [row] = await db<PeriodFunds[]>`
    with held as (
      select i.id, i.status, case when i.status = 'succeeded' then least(i.amount, i.total_amount - coalesce((
        select sum(r.amount) from refunds r
        where r.payment_intent_id = i.id and r.status <> 'failed' and not r.of_credit
      ), 0)) else 0 end as amount
      from payment_intents i where i.subscription_id = ${subscriptionId}
    )
    select p.number, p.status, p.carried_cents, p.changed_cents, p.withheld_cents,
      coalesce((select amount from held where id = p.payment_intent_id), 0)::bigint as opening_held,
      c.paid::bigint as changes_paid, c.held::bigint as changes_held, c.lost::bigint as credited_lost
    from subscription_periods p
    cross join lateral (
      select coalesce(sum(c.amount_cents) filter (where c.status = 'made'), 0) as paid,
        coalesce(sum(h.amount) filter (where c.status = 'made'), 0) as held,
        coalesce(sum(c.amount_cents - h.amount) filter (where c.status = 'credited'), 0) as lost
      from subscription_changes c join held h on h.id = c.payment_intent_id
      where c.subscription_id = p.subscription_id and c.period = p.number and h.status = 'succeeded'
    ) c
    where p.subscription_id = ${subscriptionId} and p.number = ${number}`;
  return row ?? null;
}

/** The number of the period that a payment of a subscription was for, itself or a change in it. Null if none. */
export async function selectPeriodOfPayment(db: Db, paymentIntentId: string): Promise<PeriodNumber | null> {
  const [row] = await db<{ number: PeriodNumber }[]>`
    select number from subscription_periods where payment_intent_id = ${paymentIntentId}
    union all select period from subscription_changes where payment_intent_id = ${paymentIntentId}`;
  return row?.number ?? null;
}

/** The numbers of the periods of a subscription that may have given credit. */
export async function listCreditedPeriods(db: Db, subscriptionId: string): Promise<PeriodNumber[]> {
  const rows = await db<{ number: PeriodNumber }[]>`
    select number from subscription_periods p
    where subscription_id = ${subscriptionId} and (changed_cents <> 0 or withheld_cents <> 0 or exists (
      select from subscription_changes c where c.subscription_id = p.subscription_id and c.period = p.number
    ))
    order by number`;
  return rows.map(({ number }) => number);
}

/** Records what is withheld of a period's credit. */
export async function updateWithheld(
  tx: Tx,
  subscriptionId: string,
  number: PeriodNumber,
  withheld: MinorUnits,
): Promise<void> {
  await tx`
    update subscription_periods set withheld_cents = ${withheld}
    where subscription_id = ${subscriptionId} and number = ${number}`;
}
