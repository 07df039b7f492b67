import type { StuckQuery } from './query.ts';

/** A link or a session whose time is over. `waits`: it waited for a payment, and none is under way. */
export interface OverdueLink {
  waits: boolean;
}

/** Links and sessions in real time that are past their time and have not ended. */
export const overdueLinks: StuckQuery<OverdueLink> = {
  rows: (db, { before }) => db`
    select id as subject_id, biller_id, livemode, wake_at as since
    from payment_links where wake_at <= ${before} and test_clock_id is null
    union all
    select id, biller_id, livemode, wake_at
    from checkout_sessions where wake_at <= ${before} and test_clock_id is null
    union all
    select l.id, l.biller_id, l.livemode, l.expires_at
    from payment_links l
    where l.status = 'open' and l.wake_at is null and l.expires_at <= ${before} and l.test_clock_id is null
      and not exists (select from checkout_sessions s where s.payment_link_id = l.id and s.status = 'processing')`,
  facts: (db) => db`
    select wake_at is null as waits from payment_links where id = f.subject_id
    union all
    select wake_at is null from checkout_sessions where id = f.subject_id`,
};
