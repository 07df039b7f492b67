import type { Db, Tx } from '../src/platform/postgres/connection.ts';

/**
 * The `set` list of an update that makes weekly plans fall due at `at`. A run cannot wait for the midnight that a
 * calendar gives, so the calendar is moved with the date: the next slot is on that day (UTC). Slots that have come keep
 * their dates.
 */
export function fallsDueAt(db: Db, at: Date) {
  return db`
    next_due_at = ${at}, first_date = null,
    start_date = (${at}::timestamptz at time zone 'UTC')::date - 7 * frequency_period * next_slot`;
}

/** Makes the retry of a slot fall due at `at`, as if its payment had failed the days before that dunning gives. */
export async function letRetryFallDue(db: Db, planId: string, slot: number, at: Date): Promise<void> {
  await db`
    with moved as (
      update payment_plan_slots
      set next_attempt_at = ${at},
        first_failed_at = ${at}::timestamptz - make_interval(secs => 86400.0 * (array[1, 3, 5])[failures])
      where payment_plan_id = ${planId} and slot = ${slot}
    )
    update payment_plans set next_attempt_at = ${at} where id = ${planId}`;
}

/**
 * Lets the next period of weekly subscriptions begin at `at`, and moves their calendar with it: the current period ends
 * on that day, and those before it adjoin. Returns what it moved.
 */
export async function letPeriodBegin(
  tx: Tx,
  ids: readonly string[],
  at: Date,
): Promise<{ id: string; livemode: boolean }[]> {
  const own = () => tx`
    subscriptions s join billers b on b.id = s.biller_id
    cross join lateral (
      select (${at}::timestamptz at time zone b.time_zone)::date as day, 7 * s.frequency_period as days
    ) c`;
  // Aside at first: no two may overlap, and PostgreSQL looks at each row that it changes.
  await tx`
    update subscription_periods p
    set start_date = date '1900-01-01' + c.days * p.number, end_date = date '1900-01-01' + c.days * (p.number + 1)
    from ${own()}
    where s.id in ${tx(ids)} and p.subscription_id = s.id`;
  await tx`
    update subscription_periods p
    set start_date = c.day - c.days * (s.current_number - p.number + 1),
      end_date = c.day - c.days * (s.current_number - p.number)
    from ${own()}
    where s.id in ${tx(ids)} and p.subscription_id = s.id`;
  return tx<{ id: string; livemode: boolean }[]>`
    update subscriptions u
    set next_period_at = ${at}, anchor_start = c.day - c.days * (s.current_number - s.anchor_number + 1), anchor_day = null
    from ${own()}
    where s.id in ${tx(ids)} and u.id = s.id
    returning u.id, u.livemode`;
}
