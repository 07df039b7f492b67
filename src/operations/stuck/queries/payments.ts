import type { Fragment } from 'postgres';
import type { AttemptSource } from '../../../db/payment-attempts.ts';
import type { MinorUnits } from '../../../domain/units.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { AttemptedIntent } from '../../../services/payments/charge-records.ts';
import type { StuckQuery, StuckThreshold } from './query.ts';

/** An attempt whose outcome is not known yet. Null what only its row knows: that is lost. */
export interface OpenAttempt extends AttemptedIntent {
  attempt_id: string | null;
  number: number;
  source: AttemptSource | null;
  /** What the payer pays. */
  total_amount: MinorUnits;
  currency: string;
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

/**
 * Payments that were opened, and to which the processor has not responded since; also those that have lost their last
 * attempt: nothing asks about them. The index of lists finds these without reading others.
 */
export const processingPayments: StuckQuery<OpenAttempt> = {
  rows: (db, threshold) => db`
    select i.id as subject_id, i.biller_id, i.livemode, ${sinceOf(db, db`a.opened_at`, threshold)}
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    where a.outcome = 'processing' and ${wasOpened(db, db`a.opened_at`, threshold)}
    union all
    select i.id, i.biller_id, i.livemode, case when c.test_clock_id is null then i.updated_at end
    from billers b
    cross join (values (true), (false)) as m (livemode)
    cross join lateral (
      select id, biller_id, livemode, customer_id, attempt_count, updated_at from payment_intents
      where biller_id = b.id and livemode = m.livemode and status = 'processing' offset 0
    ) i
    left join customers c on c.id = i.customer_id
    where i.attempt_count > 0 and (c.test_clock_id is not null or ${wasOpened(db, db`i.updated_at`, threshold)})
      and not exists (
        select from payment_attempts a where a.payment_intent_id = i.id and a.number = i.attempt_count
      )`,
  facts: (db) => db`
    select a.id as attempt_id, coalesce(a.number, i.attempt_count) as number, a.source, i.id, i.payment_plan_id,
      i.payment_plan_slot, i.subscription_id, i.subscription_charge, i.total_amount, i.currency
    from payment_intents i
    left join payment_attempts a on a.payment_intent_id = i.id and a.outcome = 'processing'
    where i.id = f.subject_id`,
};

/** Refunds that were opened, and to which the processor has not responded since. */
export const processingRefunds: StuckQuery<{ payment_intent_id: string }> = {
  rows: (db, threshold) => db`
    select id as subject_id, biller_id, livemode, ${sinceOf(db, db`opened_at`, threshold)}
    from refunds
    where status = 'processing' and ${wasOpened(db, db`opened_at`, threshold)}`,
  facts: (db) => db`select payment_intent_id from refunds where id = f.subject_id`,
};
