import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Period } from '../domain/subscriptions/subscription.ts';
import type { PeriodNumber } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';

export interface SubscriptionPeriodRow extends Period {
  subscription_id: Id<'subscription'>;
  /** When it was opened. */
  began_at: CustomerInstant;
}

/** The periods of a subscription that decide what it does next: the current one, and what is owed. Oldest first. */
export async function listOpenPeriods(db: Db, subscriptionId: string): Promise<SubscriptionPeriodRow[]> {
  return db<SubscriptionPeriodRow[]>`
    select * from subscription_periods
    where subscription_id = ${subscriptionId} and (
      status in ('processing', 'retrying', 'unpaid')
      or number = (select current_number from subscriptions where id = ${subscriptionId})
    )
    order by number`;
}

/** The same for the subscription that a payment intent belongs to, with the period that it pays. */
export async function listPeriodsOfIntent(db: Db, intentId: string): Promise<SubscriptionPeriodRow[]> {
  return db<SubscriptionPeriodRow[]>`
    select p.* from subscription_periods p
    join subscriptions s on s.id = p.subscription_id
    where s.id = (select subscription_id from payment_intents where id = ${intentId}) and (
      p.status in ('processing', 'retrying', 'unpaid') or p.number = s.current_number
      or p.payment_intent_id = ${intentId}
    )
    order by p.number`;
}

/** Begins a period. One of the same number that is void, since its first payment was declined, is replaced. */
export async function insertPeriod(tx: Tx, row: SubscriptionPeriodRow): Promise<void> {
  const { subscription_id, number, ...columns } = row;
  const stored = { ...columns, lines: jsonb(tx, row.lines), discounts: jsonb(tx, row.discounts) };
  await tx`
    insert into subscription_periods ${tx({ subscription_id, number, ...stored })}
    on conflict (subscription_id, number) do update set ${tx(stored)} where subscription_periods.status = 'void'`;
}

/** Changes a period. */
export async function updatePeriod(
  tx: Tx,
  subscriptionId: string,
  number: PeriodNumber,
  change: Partial<
    Pick<
      Period,
      | 'status'
      | 'changed_cents'
      | 'withheld_cents'
      | 'failures'
      | 'first_failed_at'
      | 'next_attempt_at'
      | 'last_result_at'
      | 'retry_asked_at'
      | 'challenge_ends_at'
      | 'lines'
      | 'amount_cents'
      | 'carried_cents'
      | 'credit_used_cents'
      | 'payment_intent_id'
      | 'is_given_back'
      | 'served_until'
      | 'gives_up_at'
      | 'lapsed_at'
    >
  >,
): Promise<void> {
  const { lines, ...columns } = change;
  const stored = lines === undefined ? columns : { ...columns, lines: jsonb(tx, lines) };
  await tx`
    update subscription_periods set ${tx(stored)} where subscription_id = ${subscriptionId} and number = ${number}`;
}

/** How many paid periods have begun. One whose first payment was declined does not count. */
export async function countPaidPeriods(db: Db, subscriptionId: string, before: PeriodNumber): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from subscription_periods
    where subscription_id = ${subscriptionId} and kind = 'paid' and number < ${before}`;
  return row?.count ?? 0;
}

/** A page of the periods of a subscription, newest first, with one extra row if more follow. */
export async function listPeriods(
  db: Db,
  subscriptionId: string,
  { limit, before }: { limit: number; before?: PeriodNumber | undefined },
): Promise<SubscriptionPeriodRow[]> {
  return db<SubscriptionPeriodRow[]>`
    select * from subscription_periods
    where subscription_id = ${subscriptionId} ${before === undefined ? db`` : db`and number < ${before}`}
    order by number desc
    limit ${limit + 1}`;
}
