import type { StuckQuery } from './query.ts';

/** What an overdue plan would do next. */
export interface OverduePlan {
  next_slot: number;
  next_due_at: Date | null;
  next_attempt_at: Date | null;
  /** The slot whose payment is to be retried. */
  retry_slot: number | null;
  failures: number | null;
  last_error_code: string | null;
}

/** A debit whose next step is overdue. */
export interface OverdueDebit {
  payment_intent_id: string;
  payment_plan_id: string | null;
  subscription_id: string | null;
  /** `accepted` waits for its hand-over, `submitted` for its result, `succeeded` for what may come back. */
  outcome: string;
  next_at: Date;
  expected_result_at: Date;
}

/**
 * Debits in real time with a step that is due and was not taken, and those about which the bank has not reported for a
 * day, however often it was asked.
 */
export const overdueDebits: StuckQuery<OverdueDebit> = {
  rows: (db, { before, now }) => db`
    select d.attempt_id as subject_id, d.biller_id, d.livemode,
      case when d.next_at <= ${before} then d.next_at else d.expected_result_at end as since
    from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where d.next_at is not null and d.test_clock_id is null and (
      d.next_at <= ${before}
      or a.outcome = 'submitted' and d.expected_result_at <= ${now}::timestamptz - interval '1 day'
    )`,
  facts: (db) => db`
    select d.payment_intent_id, d.payment_plan_id, d.subscription_id, a.outcome, d.next_at, d.expected_result_at
    from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where d.attempt_id = f.subject_id`,
};

/**
 * Plans whose `wake_at` has passed in real time. What had passed before activation counts from the activation. Plans of
 * a test clock are due only in an advance: see `slowAdvances`.
 */
export const overduePlans: StuckQuery<OverduePlan> = {
  rows: (db, { before }) => db`
    select id as subject_id, biller_id, livemode, greatest(wake_at, activated_at) as since
    from payment_plans
    where wake_at <= ${before} and activated_at <= ${before} and test_clock_id is null`,
  facts: (db) => db`
    select p.next_slot, p.next_due_at, p.next_attempt_at, s.slot as retry_slot, s.failures, i.last_error_code
    from payment_plans p
    left join lateral (
      select slot, failures, payment_intent_id from payment_plan_slots
      where payment_plan_id = p.id and status = 'retrying'
      order by next_attempt_at, slot
      limit 1
    ) s on true
    left join payment_intents i on i.id = s.payment_intent_id
    where p.id = f.subject_id`,
};

/**
 * Scheduled payments whose instant has passed in real time. If it had passed before the payment was made, it counts
 * from then.
 */
export const overdueScheduledPayments: StuckQuery<Record<never, never>> = {
  rows: (db, { before }) => db`
    select i.id as subject_id, i.biller_id, i.livemode, greatest(i.scheduled_at, i.created_at) as since
    from payment_intents i
    left join customers c on c.id = i.customer_id
    where i.scheduled_at <= ${before} and i.created_at <= ${before} and c.test_clock_id is null`,
  facts: (db) => db`select`,
};

/** An attempt whose outcome is not known yet. */
export interface OpenAttempt {
  attempt_id: string;
  number: number;
  source: 'confirm' | 'plan' | 'schedule' | 'subscription';
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
