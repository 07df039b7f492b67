import type { Fund } from '../domain/subscriptions/cover.ts';
import type { MinorUnits, PeriodNumber } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { isSinceLost } from './disputes.ts';
import type { SubscriptionPeriodRow } from './subscription-periods.ts';

/** A payment of a period that has succeeded, with the credit that its refunds have paid out. */
interface PaymentFund extends Fund {
  id: string;
  charge: number;
  paid_out: MinorUnits;
}

export interface PeriodFunds
  extends Pick<SubscriptionPeriodRow, 'number' | 'status' | 'carried_cents' | 'changed_cents' | 'withheld_cents'> {
  /** Newest first. */
  funds: PaymentFund[];
}

/** A period with its payments, or null. Refunds under way count as made. */
export async function selectPeriodFunds(
  db: Db,
  subscriptionId: string,
  number: PeriodNumber,
): Promise<PeriodFunds | null> {
  const [row] = await db<PeriodFunds[]>`${periodFunds(db, subscriptionId)} and p.number = ${number}`;
  return row ?? null;
}

/** The periods of a subscription that may have given credit, with their payments. Refunds under way count as made. */
export async function listPeriodFunds(db: Db, subscriptionId: string): Promise<PeriodFunds[]> {
  return db<PeriodFunds[]>`${periodFunds(db, subscriptionId)} and ${mayHaveGivenCredit(db)} order by p.number`;
}

function periodFunds(db: Db, subscriptionId: string) {
  return db`
    select p.number, p.status, p.carried_cents, p.changed_cents, p.withheld_cents, coalesce((
      select jsonb_agg(jsonb_build_object('id', i.id, 'charge', i.subscription_charge, 'kind', f.kind,
        'paid', i.amount, 'held', least(i.amount, i.total_amount - r.amount), 'paid_out', r.credit)
        order by i.subscription_charge desc)
      from (
        select p.payment_intent_id as id, 'opening' as kind
        union all
        select c.payment_intent_id, case c.status when 'made' then 'change' else 'credited' end
        from subscription_changes c
        where c.subscription_id = p.subscription_id and c.period = p.number and c.status in ('made', 'credited')
      ) f
      join payment_intents i on i.id = f.id and i.status = 'succeeded'
      cross join lateral (
        select coalesce(sum(r.amount - r.credit_cents) filter (where ${isSinceLost(db)}), 0) as amount,
          coalesce(sum(r.credit_cents), 0) as credit
        from refunds r where r.payment_intent_id = i.id and r.status <> 'failed'
      ) r
    ), '[]') as funds
    from subscription_periods p where p.subscription_id = ${subscriptionId}`;
}

function mayHaveGivenCredit(db: Db) {
  return db`(p.changed_cents <> 0 or p.withheld_cents <> 0 or exists (
      select from subscription_changes c where c.subscription_id = p.subscription_id and c.period = p.number
    ))`;
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
    where subscription_id = ${subscriptionId} and ${mayHaveGivenCredit(db)}
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
