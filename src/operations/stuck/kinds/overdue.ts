import { unionAll } from '../../../db/subject-parts.ts';
import { subjectQueries } from '../../../db/subject-queries.ts';
import type { CustomerInstant } from '../../../domain/instants.ts';
import { slotInWords } from '../../../messages/slot-in-words.ts';
import type { SubjectKind } from '../../../messages/subject-kinds.ts';
import { workflowIdOf, workflowIdOfOwner } from '../../../messages/workflow-types.ts';
import { minute, type StuckKind, type StuckRow } from '../reading/find-stuck.ts';
import { opsCommand, recheckAfterFix } from '../reading/ops-command.ts';

/** Several times what the slowest healthy step takes, a restart of every process included. */
const after = 5 * minute;

/** What an overdue plan would do next. */
interface OverduePlan {
  next_slot: number;
  next_due_at: CustomerInstant | null;
  next_attempt_at: CustomerInstant | null;
  /** The slot whose payment is to be retried. */
  retry_slot: number | null;
  failures: number | null;
  last_error_code: string | null;
}

const plans = overdue<OverduePlan>('paymentPlan', {
  kind: 'plan_overdue',
  meaning: 'A plan’s payment or retry is due and was not made.',
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
  why({ next_slot: slot, retry_slot: retried, ...plan }) {
    const isRetry =
      plan.next_attempt_at !== null && Number(plan.next_attempt_at) <= Number(plan.next_due_at ?? Infinity);
    if (!isRetry || retried === null) return `${slotInWords(slot)} is due and was not attempted`;
    const times = `it has failed ${plan.failures} times, last with ${plan.last_error_code}`;
    return `the retry of ${slotInWords(retried)} was not made; ${times}`;
  },
});

/** What an overdue subscription would do next. */
interface OverdueSubscription {
  state: string;
  next_number: number;
  next_attempt_at: CustomerInstant | null;
  wake_at: CustomerInstant;
  last_error_code: string | null;
}

const subscriptions = overdue<OverdueSubscription>('subscription', {
  kind: 'subscription_overdue',
  meaning: 'A subscription’s next period, retry or other step is due and was not taken.',
  facts: (db) => db`
    select state, next_number, next_attempt_at, wake_at, last_error_code from subscriptions where id = f.subject_id`,
  why({ state, ...next }) {
    const isRetry = next.next_attempt_at !== null && Number(next.next_attempt_at) === Number(next.wake_at);
    if (isRetry) return `the retry of its unpaid period was not made; it has failed last with ${next.last_error_code}`;
    return `it is ${state}, and its next step was not taken: period ${next.next_number}, or the end of a trial, a pause or itself`;
  },
});

const scheduledPayments = overdue('scheduledPayment', {
  kind: 'scheduled_payment_overdue',
  meaning: 'A scheduled payment’s date has come, and it was not made.',
  facts: (db) => db`select`,
  why: () => 'its date has come and it was not attempted',
});

/** A debit whose next step is overdue. */
interface OverdueDebit {
  payment_intent_id: string;
  payment_plan_id: string | null;
  subscription_id: string | null;
  /** `accepted` waits for its hand-over, `submitted` for its result, `succeeded` for what may come back. */
  outcome: string;
  next_at: CustomerInstant;
  expected_result_at: CustomerInstant;
}

/** Also those about which the bank has not reported for a day, however often it was asked. */
const debits: StuckKind<OverdueDebit> = {
  kind: 'bank_debit_overdue',
  meaning: 'A bank debit was not handed over or asked about, or its bank has not reported for a day.',
  after,
  asksWorkflow: true,
  waitsForWrites: true,
  rows: (db, { before, now }) => db`
    ${subjectQueries.bankDebit.overdue(db, before)}
    union all
    select d.attempt_id, d.biller_id, d.livemode, d.expected_result_at
    from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where d.next_at > ${before} and d.test_clock_id is null and a.outcome = 'submitted'
      and d.expected_result_at <= ${now}::timestamptz - interval '1 day'`,
  facts: (db) => db`
    select d.payment_intent_id, d.payment_plan_id, d.subscription_id, a.outcome, d.next_at, d.expected_result_at
    from bank_debits d
    join payment_attempts a on a.id = d.attempt_id
    where d.attempt_id = f.subject_id`,
  say: ({ subject_id: id, livemode, ...debit }) => ({
    why: whyDebitOverdue(debit),
    remedy:
      `Start a worker, or ask ${livemode ? 'the live processor' : 'the processor'} about it; then ` +
      `${opsCommand('recheck', debit.payment_plan_id ?? debit.subscription_id ?? id)} (Web UI: Update recheck). The outcome is never guessed.`,
    workflowId: workflowIdOfOwner(debit) ?? workflowIdOf('bankDebit', id ?? ''),
  }),
};

function whyDebitOverdue({
  payment_intent_id: intentId,
  outcome,
  next_at: nextAt,
  expected_result_at: expectedAt,
}: OverdueDebit): string {
  if (outcome === 'accepted') return `the debit of ${intentId} was not handed to the bank at its cut-off`;
  if (outcome === 'succeeded')
    return `the bank was not asked at ${nextAt.toISOString()} about the debit of ${intentId}`;
  return `the bank has not reported on the debit of ${intentId}, which was expected at ${expectedAt.toISOString()}`;
}

/** Links and sessions. `waits`: it waited for a payment, and none is under way. */
const links: StuckKind<{ waits: boolean }> = {
  kind: 'link_overdue',
  meaning: 'A payment link or a checkout session is past its time, and has not ended. It takes no payment.',
  after,
  asksWorkflow: true,
  waitsForWrites: true,
  rows: (db, { before }) =>
    unionAll(db, [subjectQueries.paymentLink.overdue(db, before), subjectQueries.checkoutSession.overdue(db, before)]),
  facts: (db) => db`
    select wake_at is null as waits from payment_links where id = f.subject_id
    union all
    select wake_at is null from checkout_sessions where id = f.subject_id`,
  say: ({ subject_id: id, waits }) => ({
    why: waits ? 'it waited for a payment, and none is under way' : 'its time is over, and it has not ended',
    remedy: recheckAfterFix(id),
    workflowId: workflowIdOf(id?.startsWith('lnk_') ? 'paymentLink' : 'checkoutSession', id ?? ''),
  }),
};

const byKind = {
  paymentPlan: plans,
  subscription: subscriptions,
  scheduledPayment: scheduledPayments,
  bankDebit: debits,
  paymentLink: links,
  checkoutSession: links,
} satisfies Record<SubjectKind, StuckKind>;

/** What "overdue" means, by kind of subject. What is on a test clock is due only in an advance: see `advanceSlow`. */
export const overdueKinds: readonly StuckKind[] = [...new Set(Object.values(byKind))];

/** Returns how a kind of subject is overdue. Its workflow says why, and continues on a recheck. */
function overdue<Facts extends object>(
  subject: SubjectKind,
  { why, ...known }: Pick<StuckKind<Facts>, 'kind' | 'meaning' | 'facts'> & { why(row: StuckRow & Facts): string },
): StuckKind<Facts> {
  return {
    ...known,
    after,
    asksWorkflow: true,
    waitsForWrites: true,
    rows: (db, { before }) => subjectQueries[subject].overdue(db, before),
    say: (row) => ({
      why: why(row),
      remedy: recheckAfterFix(row.subject_id),
      workflowId: workflowIdOf(subject, row.subject_id ?? ''),
    }),
  };
}
