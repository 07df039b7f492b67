import type { Fragment } from 'postgres';
import type { AttemptSource } from '../../../db/payment-attempts.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { StuckQuery, StuckThreshold } from './query.ts';

/** An attempt whose outcome is not known yet. */
export interface OpenAttempt {
  attempt_id: string;
  number: number;
  source: AttemptSource;
  payment_plan_id: string | null;
  subscription_id: string | null;
}

/**
 * Opened since before `before`; or in the future, by a process whose clock is ahead: its age is then unknown. The age
 * of one by a process whose clock is behind is too great, and it is found at once.
 */
const wasOpened = (db: Db, openedAt: Fragment, { before, now }: StuckThreshold) =>
  db`(${openedAt} <= ${before} or ${openedAt} > ${now}::timestamptz + make_interval(secs => ${toleratedSeconds}))`;
const toleratedSeconds = 5;

const sinceOf = (db: Db, openedAt: Fragment, { now }: StuckThreshold) =>
  db`case when ${openedAt} <= ${now} then ${openedAt} end as since`;

/** Payments that were opened, and to which the processor has not responded since. */
export const processingPayments: StuckQuery<OpenAttempt> = {
  rows: (db, threshold) => db`
    select i.id as subject_id, i.biller_id, i.livemode, ${sinceOf(db, db`a.opened_at`, threshold)}
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    where a.outcome = 'processing' and ${wasOpened(db, db`a.opened_at`, threshold)}`,
  facts: (db) => db`
    select a.id as attempt_id, a.number, a.source, i.payment_plan_id, i.subscription_id
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    where a.payment_intent_id = f.subject_id and a.outcome = 'processing'`,
};

/** Refunds that were opened, and to which the processor has not responded since. */
export const processingRefunds: StuckQuery<{ payment_intent_id: string }> = {
  rows: (db, threshold) => db`
    select id as subject_id, biller_id, livemode, ${sinceOf(db, db`opened_at`, threshold)}
    from refunds
    where status = 'processing' and ${wasOpened(db, db`opened_at`, threshold)}`,
  facts: (db) => db`select payment_intent_id from refunds where id = f.subject_id`,
};
