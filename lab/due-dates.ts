import type { Db } from '../src/platform/postgres/connection.ts';

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
