import type { StuckQuery } from './query.ts';

/** What an overdue subscription would do next. */
export interface OverdueSubscription {
  state: string;
  next_number: number;
  next_attempt_at: Date | null;
  wake_at: Date;
  last_error_code: string | null;
}

/** Subscriptions whose `wake_at` has passed in real time. Those of a test clock are due only in an advance. */
export const overdueSubscriptions: StuckQuery<OverdueSubscription> = {
  rows: (db, { before }) => db`
    select id as subject_id, biller_id, livemode, wake_at as since
    from subscriptions
    where wake_at <= ${before} and test_clock_id is null and updated_at <= ${before}`,
  facts: (db) => db`
    select state, next_number, next_attempt_at, wake_at, last_error_code from subscriptions where id = f.subject_id`,
};
