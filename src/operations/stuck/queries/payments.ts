import type { AttemptSource } from '../../../db/payment-attempts.ts';
import type { StuckQuery } from './query.ts';

/** An attempt whose outcome is not known yet. */
export interface OpenAttempt {
  attempt_id: string;
  number: number;
  source: AttemptSource;
  payment_plan_id: string | null;
  subscription_id: string | null;
}

/** Payments that were opened and whose processor has not responded since. */
export const processingPayments: StuckQuery<OpenAttempt> = {
  rows: (db, { before }) => db`
    select i.id as subject_id, i.biller_id, i.livemode, a.opened_at as since
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    where a.outcome = 'processing' and a.opened_at <= ${before}`,
  facts: (db) => db`
    select a.id as attempt_id, a.number, a.source, i.payment_plan_id, i.subscription_id
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    where a.payment_intent_id = f.subject_id and a.outcome = 'processing'`,
};

/** Refunds that were opened and whose processor has not responded since. */
export const processingRefunds: StuckQuery<{ payment_intent_id: string }> = {
  rows: (db, { before }) => db`
    select id as subject_id, biller_id, livemode, opened_at as since
    from refunds
    where status = 'processing' and opened_at <= ${before}`,
  facts: (db) => db`select payment_intent_id from refunds where id = f.subject_id`,
};
