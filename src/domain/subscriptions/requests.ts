import { dateIn, type PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { retryDueAt } from '../schemes/debit-dates.ts';
import { allOwed, type Period, plannedPause, type Situation, type SubscriptionState } from './course.ts';
import { lastDate } from './periods.ts';
import { type Change, cancelNow, resume, start, stopsRetries } from './steps.ts';

/** What a biller can ask of a subscription. */
export type SubscriptionRequest =
  | { name: 'start' }
  | { name: 'pause'; resumesAt: PlainDate | null }
  | { name: 'resume' }
  | { name: 'cancel'; when: 'period_end' | 'now' }
  | { name: 'uncancel' }
  | { name: 'retry_now' };

/** Why a request is refused, as a sentence. */
export interface Refusal {
  refused: string;
  /** The field of the request that is wrong; otherwise it is the state of the subscription. */
  field?: 'resumes_at';
}

/**
 * Returns what a request changes at this instant, the customer's time, or why it is refused. A request that would
 * change nothing is refused.
 */
export function respondTo(request: SubscriptionRequest, situation: Situation, at: CustomerInstant): Change | Refusal {
  const { course, owed } = situation;
  if (!allowedStates[request.name].includes(course.state)) return notNow(request.name, situation, at);
  switch (request.name) {
    case 'start':
      if (owed !== null) return { refused: 'Its first payment is under way. Wait for the outcome.' };
      if (course.started_at !== null) return { refused: `It has been started, and begins on ${course.start_date}.` };
      return start(situation, at);
    case 'pause':
      return pauseAtEnd(situation, request.resumesAt, at);
    case 'resume':
      if (course.state === 'paused') {
        if (allOwed(situation).some(({ status }) => status === 'processing'))
          return { refused: 'Its unpaid period is being charged. Wait for the outcome.' };
        return resume(situation, at);
      }
      if (plannedPause(course).pauses_at === null) return { refused: 'It is not paused, and no pause is planned.' };
      return { course: { pauses_at: null, resumes_at: null }, happenings: ['pause_removed'] };
    case 'cancel':
      return request.when === 'now' ? cancelNow(situation, 'requested') : cancelAtEnd(situation, at);
    case 'uncancel':
      return uncancel(situation, at);
    case 'retry_now':
      return retryNow(situation, at);
  }
}

/** The states in which each request can be made, in the order of a subscription's life. */
const allowedStates: Record<SubscriptionRequest['name'], readonly SubscriptionState[]> = {
  start: ['pending'],
  pause: ['trialing', 'active'],
  resume: ['trialing', 'active', 'paused'],
  cancel: ['pending', 'trialing', 'active', 'past_due', 'paused'],
  uncancel: ['pending', 'trialing', 'active', 'past_due', 'paused'],
  retry_now: ['past_due', 'paused'],
};

/** Each request as it is made without parameters. */
const plainRequests: readonly SubscriptionRequest[] = [
  { name: 'start' },
  { name: 'pause', resumesAt: null },
  { name: 'resume' },
  { name: 'cancel', when: 'period_end' },
  { name: 'uncancel' },
  { name: 'retry_now' },
];

/** The refusal of a request that the state does not allow: it names the requests that would not be refused now. */
function notNow(name: SubscriptionRequest['name'], situation: Situation, at: CustomerInstant): Refusal {
  const { state } = situation.course;
  const inThisState = plainRequests.filter((other) => allowedStates[other.name].includes(state));
  const allowed = inThisState
    .filter((other) => !('refused' in respondTo(other, situation, at)))
    .map(({ name }) => name);
  const choice = allowed.length === 0 ? 'It has ended for good' : `Allowed now: ${allowed.join(', ')}`;
  return { refused: `It is ${state} and cannot be changed by ${name}. ${choice}.` };
}

function pauseAtEnd(
  { course, current, timeZone }: Situation,
  resumesAt: PlainDate | null,
  at: CustomerInstant,
): Change | Refusal {
  const today = dateIn(at, timeZone);
  if (current === null || current.end_date <= today) {
    return { refused: 'Its next period is about to begin. Try again in a moment.' };
  }
  const pauses_at = current.end_date;
  if (course.ends_at !== null && course.ends_at <= pauses_at) {
    return { refused: `It ends on ${course.ends_at}, so there is nothing to pause.` };
  }
  if (resumesAt !== null && resumesAt <= pauses_at) {
    return { refused: `resumes_at must be after ${pauses_at}, when the pause begins.`, field: 'resumes_at' };
  }
  if (resumesAt !== null && resumesAt > lastDate) {
    return { refused: `resumes_at must not be after ${lastDate}.`, field: 'resumes_at' };
  }
  return { course: { pauses_at, resumes_at: resumesAt }, happenings: ['pause_scheduled'] };
}

function cancelAtEnd(situation: Situation, at: CustomerInstant): Change {
  const { course, current, timeZone } = situation;
  const isRunning = course.state !== 'pending' && course.state !== 'paused';
  if (!isRunning || current === null || current.end_date <= dateIn(at, timeZone))
    return cancelNow(situation, 'requested');
  return {
    course: {
      ends_at: current.end_date,
      cancel_requested: true,
      ...(course.cancel_requested ? {} : { ends_at_before_cancel: course.ends_at }),
    },
    ...stopsRetries(situation),
    happenings: ['cancel_scheduled'],
  };
}

/**
 * Takes an end back. What a cancellation has replaced comes back: retries, a pause that was planned, an end by the
 * terms. Without a cancellation it is the end by the terms that is taken back.
 */
function uncancel({ course, owed, others }: Situation, at: CustomerInstant): Change | Refusal {
  if (course.ends_at === null) return { refused: 'It has no planned end to withdraw.' };
  const isRetried = (period: Period) => course.state === 'past_due' && period.status === 'unpaid';
  return {
    course: { ends_at: course.ends_at_before_cancel, ends_at_before_cancel: null, cancel_requested: false },
    ...(owed !== null && isRetried(owed) ? { owed: retriedAgain(owed, at) } : {}),
    others: others.filter(isRetried).map((period) => ({ number: period.number, change: retriedAgain(period, at) })),
    happenings: ['cancel_removed'],
  };
}

/** The retry that dunning gives, or at once if its time has passed. */
function retriedAgain(period: Period, at: CustomerInstant): Partial<Period> {
  const dueAt = retryDueAt(period);
  return dueAt === null || dueAt < at ? retriedAt(at) : { status: 'retrying', next_attempt_at: dueAt };
}

function retryNow({ course, owed }: Situation, at: CustomerInstant): Change | Refusal {
  if (owed?.status === 'processing') return { refused: 'Its unpaid period is being charged. Wait for the outcome.' };
  if (owed === null) return { refused: 'It has no unpaid period.' };
  if (course.cancel_requested)
    return { refused: 'It is canceled at the end of its period. Withdraw that with uncancel first.' };
  return { owed: retriedAt(at), happenings: [] };
}

/** A retry that was asked for, and is due at once. */
function retriedAt(at: CustomerInstant): Partial<Period> {
  return { status: 'retrying', next_attempt_at: at, retry_asked_at: at };
}
