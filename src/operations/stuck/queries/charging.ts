import type { RealInstant } from '../../../platform/real-time.ts';
import type { StuckQuery } from './query.ts';

/** What the live processor has done and the database does not know. */
export interface UnknownToUs {
  charges: number;
  refunds: number;
  /** The reference of the oldest, with its amount and currency; null if there is none. */
  example: string | null;
}

/** Live charging, if it is held. */
export const heldCharging: StuckQuery<UnknownToUs> = {
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, true as livemode, held_at as since
    from live_charging
    where held_at <= ${before}`,
  facts: (db) => db`
    select count(*) filter (where kind = 'charge')::integer as charges,
      count(*) filter (where kind = 'refund')::integer as refunds,
      (array_agg(coalesce(reference, idempotency_key) || ' (' || amount || ' ' || currency || ')' order by found_at))[1]
        as example
    from unknown_movements u
    where case when u.kind = 'refund' then not exists (select from refunds where id = u.subject_id)
      else not exists (select from payment_attempts where id = u.subject_id) end`,
};

/** The comparison with the live processor, if there are live charges that it should have seen by now. */
export const lateProcessorComparison: StuckQuery<{ compared_at: RealInstant | null }> = {
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, true as livemode, min(a.opened_at) as since
    from payment_attempts a
    join payment_reservations r on r.attempt_id = a.id and r.livemode
    where a.opened_at <= ${before}
      and a.opened_at > coalesce((select compared_at from live_charging), '-infinity')
    having count(*) > 0`,
  facts: (db) => db`select compared_at from live_charging`,
};
