import { ownerOf } from '../../db/subject-statuses.ts';
import { type SubscriptionStatusRow, selectSubscriptionStatus } from '../../db/subscription-status.ts';
import { earliestInstant } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { deletedSubject, type StatusDetails, type SubjectStatus } from '../../messages/subject-status.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { endOfChallenge, stepOfDebit } from '../debits/debit-status.ts';

/**
 * Returns the status of a subscription. One that was deleted or canceled counts as ended, and so does one that waits to
 * be started: a start begins its workflow. If a bank has a debit of it, its workflow takes the steps of that first.
 */
export async function subscriptionStatus(db: Db, id: string): Promise<SubjectStatus> {
  const row = await selectSubscriptionStatus(db, id);
  if (row === null) return deletedSubject;
  const nextAt = nextInstant(row)?.getTime() ?? null;
  return {
    ...ownerOf(row),
    ended: isOver(row) && row.next_debit_at === null,
    state: row.state_reason === null ? row.state : `${row.state} (${row.state_reason})`,
    nextAt,
    nextDueAt: row.next_period_at?.getTime() ?? null,
    failedAttempts: row.failures ?? 0,
    next: nextInWords(row),
    lastError: row.period === null ? null : row.last_error_message,
    story: detailsOf(row),
  };
}

function isOver({ state, started_at: startedAt }: SubscriptionStatusRow): boolean {
  return state === 'canceled' || (state === 'pending' && startedAt === null);
}

function nextInstant({ wake_at: wakeAt, next_debit_at: debitAt }: SubscriptionStatusRow): CustomerInstant | null {
  return earliestInstant([wakeAt, debitAt]);
}

/** The next step, as a noun phrase: operators read it on the timer that waits for it. */
function nextInWords(row: SubscriptionStatusRow): string {
  const nextAt = nextInstant(row);
  const is = (date: CustomerInstant | null) => date !== null && date.getTime() === nextAt?.getTime();
  if (nextAt === null) return 'nothing is due';
  if (is(row.next_debit_at))
    return row.debit_outcome === null ? endOfChallenge : stepOfDebit({ outcome: row.debit_outcome });
  if (is(row.notice_at)) return 'the notice of the end of the trial';
  if (is(row.grace_ends_at)) return 'the end of the service that is not paid';
  if (is(row.next_attempt_at)) return `the retry of period ${row.period}, attempt ${(row.failures ?? 0) + 1}`;
  if (is(row.lapses_at)) return row.state === 'past_due' ? 'the end of its retries' : 'the end of the unpaid period';
  if (is(row.resume_at)) return 'the end of the pause';
  if (row.ends_at !== null || row.pauses_at !== null)
    return 'the next end of a period, or the end or pause that is planned';
  return `period ${row.next_number}`;
}

function detailsOf(row: SubscriptionStatusRow): StatusDetails {
  const { last_error_code: code, last_attempt_at: lastAt } = row;
  const isFailed = row.period !== null && code !== null && lastAt !== null;
  return {
    waitsFor: whatItWaitsFor(row),
    since: row.updated_at.getTime(),
    unpaid: null,
    lastFailure: isFailed ? { code, at: lastAt.getTime() } : null,
    ...(row.payment_intent_id === null ? {} : { paymentIntentId: row.payment_intent_id }),
  };
}

function whatItWaitsFor(row: SubscriptionStatusRow): string {
  if (nextInstant(row) !== null) return nextInWords(row);
  if (row.state === 'canceled') return 'nothing';
  if (row.period_status === 'processing') return `the outcome of the charge of period ${row.period}`;
  return row.state === 'pending' ? 'the biller, to start it' : 'the biller, to resume it or to cancel it';
}
