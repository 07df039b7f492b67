import { dateIn, type PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { retryDueAt } from '../schemes/debit-dates.ts';
import { isCollectedAsIs, isUnderWay } from './owed.ts';
import { lastDate } from './periods.ts';
import {
  cancelNow,
  isOver,
  type PeriodChange,
  type Resuming,
  resume,
  retriedAt,
  retryAll,
  type SubscriptionStepChange,
  start,
  withoutRetries,
} from './steps.ts';
import {
  endsNear,
  openPeriods,
  type Period,
  plannedPause,
  type SubscriptionState,
  type SubscriptionTerms,
  type SubscriptionWithPeriods,
} from './subscription.ts';

/** What a biller can ask of a subscription. */
export type SubscriptionRequest =
  | { name: 'start' }
  /** `from` is an end of a period; null: that of the current one. */
  | { name: 'pause'; from: PlainDate | null; resumesAt: PlainDate | null; anchorDay: number | null }
  /** `anchorDay` is the day of the month on which periods begin after a pause; by default that of the resume. */
  | ({ name: 'resume' } & Partial<Resuming>)
  /** `on` is an end of a period. */
  | { name: 'cancel'; when: 'period_end' | 'now' | { on: PlainDate } }
  | { name: 'uncancel' }
  | { name: 'retry_now' };

/** Why a request is refused, as a sentence. */
export interface SubscriptionRefusal {
  refused: string;
  /** The field of the request that is wrong; otherwise it is the state of the subscription. */
  field?: 'from' | 'resumes_at' | 'at' | 'anchor_day';
}

/**
 * Returns what a request changes at this instant, or why it is refused. A request that would change nothing is refused.
 */
export function respondTo(
  request: SubscriptionRequest,
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
): SubscriptionStepChange | SubscriptionRefusal {
  const { terms } = subscription;
  if (!allowedStates[request.name].includes(terms.state)) return notNow(request.name, subscription, at);
  switch (request.name) {
    case 'start':
      if (openPeriods(subscription).length > 0)
        return { refused: 'Its first payment is under way. Wait for the outcome.' };
      if (terms.started_at !== null) return { refused: `It has been started, and begins on ${terms.start_date}.` };
      return start(subscription, at);
    case 'pause':
      return planPause(subscription, request, at);
    case 'resume':
      return resumeNow(subscription, request, at);
    case 'cancel':
      if (request.when === 'now') return cancelNow(subscription, 'requested');
      return request.when === 'period_end'
        ? cancelAtEnd(subscription, at)
        : cancelOn(subscription, request.when.on, at);
    case 'uncancel':
      return uncancel(subscription, at);
    case 'retry_now':
      return retryNow(subscription, at);
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
  { name: 'pause', from: null, resumesAt: null, anchorDay: null },
  { name: 'resume' },
  { name: 'cancel', when: 'period_end' },
  { name: 'uncancel' },
  { name: 'retry_now' },
];

/** The refusal of a request that the state does not allow: it names the requests that would not be refused now. */
function notNow(
  name: SubscriptionRequest['name'],
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
): SubscriptionRefusal {
  const { state } = subscription.terms;
  const inThisState = plainRequests.filter((other) => allowedStates[other.name].includes(state));
  const allowed = inThisState
    .filter((other) => !('refused' in respondTo(other, subscription, at)))
    .map(({ name }) => name);
  const choice = allowed.length === 0 ? 'It has ended for good' : `Allowed now: ${allowed.join(', ')}`;
  return { refused: `It is ${state} and cannot be changed by ${name}. ${choice}.` };
}

function resumeNow(
  subscription: SubscriptionWithPeriods,
  { anchorDay = null, unpaid = 'collect', isOwedApart = false }: Partial<Resuming>,
  at: CustomerInstant,
): SubscriptionStepChange | SubscriptionRefusal {
  const { terms } = subscription;
  if (terms.state === 'paused') {
    if (openPeriods(subscription).some(({ status }) => status === 'processing'))
      return { refused: 'Its unpaid period is being charged. Wait for the outcome.' };
    if (isOver(terms, dateIn(at, subscription.timeZone)))
      return { refused: `It ends on ${terms.ends_at}. Withdraw that with uncancel first.` };
    const noDay = refuseAnchorDay(terms, anchorDay);
    if (noDay !== null) return noDay;
    const isCollected = unpaid === 'collect' && isCollectedAsIs(subscription, at);
    if (!isCollected) return resume(subscription, at, { anchorDay, unpaid, isOwedApart });
    if (anchorDay === null) return retryAll(subscription, at);
    const refused = 'anchor_day must be left out: its period is still under way, so its periods stay as they are.';
    return { refused, field: 'anchor_day' };
  }
  if (plannedPause(terms).pauses_at === null) return { refused: 'It is not paused, and no pause is planned.' };
  if (anchorDay !== null) {
    const refused = 'anchor_day must be left out: its pause has not begun, so its periods stay as they are.';
    return { refused, field: 'anchor_day' };
  }
  return { terms: { pauses_at: null, resumes_at: null, resume_anchor_day: null }, events: ['pause_removed'] };
}

function refuseAnchorDay(
  { frequency_type: type }: SubscriptionTerms,
  anchorDay: number | null,
): SubscriptionRefusal | null {
  if (anchorDay === null || type !== 'weekly') return null;
  return { refused: 'anchor_day is a day of the month: a weekly subscription has none.', field: 'anchor_day' };
}

function planPause(
  subscription: SubscriptionWithPeriods,
  { from, resumesAt, anchorDay }: Extract<SubscriptionRequest, { name: 'pause' }>,
  at: CustomerInstant,
): SubscriptionStepChange | SubscriptionRefusal {
  const { terms, current, timeZone } = subscription;
  const today = dateIn(at, timeZone);
  const notAnEnd = from === null ? null : refuseNoEnd('from', from, subscription, today);
  if (notAnEnd !== null) return notAnEnd;
  const pauses_at = from ?? current?.end_date ?? today;
  if (pauses_at <= today) return { refused: 'Its next period is about to begin. Try again in a moment.' };
  if (terms.ends_at !== null && terms.ends_at <= pauses_at) {
    const refused = `It ends on ${terms.ends_at}, so there is nothing to pause.`;
    return from === null ? { refused } : { refused, field: 'from' };
  }
  if (resumesAt !== null && resumesAt <= pauses_at) {
    return { refused: `resumes_at must be after ${pauses_at}, when the pause begins.`, field: 'resumes_at' };
  }
  if (resumesAt !== null && resumesAt > lastDate) {
    return { refused: `resumes_at must not be after ${lastDate}.`, field: 'resumes_at' };
  }
  if (anchorDay !== null && resumesAt === null) {
    return { refused: 'anchor_day needs resumes_at. Give it to the resume instead.', field: 'anchor_day' };
  }
  const noDay = refuseAnchorDay(terms, anchorDay);
  if (noDay !== null) return noDay;
  const pause = { pauses_at, resumes_at: resumesAt, resume_anchor_day: anchorDay };
  return { terms: pause, events: ['pause_scheduled'] };
}

/** Returns why a date is no end of a period to come, or null. */
function refuseNoEnd(
  field: 'from' | 'at',
  date: PlainDate,
  subscription: SubscriptionWithPeriods,
  today: PlainDate,
): SubscriptionRefusal | null {
  if (date > lastDate) return { refused: `${field} must not be after ${lastDate}.`, field };
  const [nearest, next] = endsNear(subscription, date, today);
  if (nearest === date) return null;
  return {
    refused: `${field} must be on the end of a period: the nearest to come are ${nearest} and ${next}.`,
    field,
  };
}

function cancelAtEnd(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const { terms, current, timeZone } = subscription;
  const isRunning = terms.state !== 'pending' && terms.state !== 'paused';
  if (!isRunning || current === null || current.end_date <= dateIn(at, timeZone))
    return cancelNow(subscription, 'requested');
  return {
    terms: {
      ends_at: current.end_date,
      cancel_requested: true,
      cancel_planned: false,
      ends_at_before_cancel: endByTerms(terms),
    },
    periods: withoutRetries(subscription),
    events: ['cancel_scheduled'],
  };
}

/**
 * Sets the end of a later period. Until then everything continues as before, retries too: those that an earlier
 * cancellation has ended come back.
 */
function cancelOn(
  subscription: SubscriptionWithPeriods,
  date: PlainDate,
  at: CustomerInstant,
): SubscriptionStepChange | SubscriptionRefusal {
  const { terms, current, timeZone } = subscription;
  if (terms.state === 'pending' || terms.state === 'paused') {
    return { refused: `It is ${terms.state}, and no period is under way: it can only be canceled at once.` };
  }
  const notAnEnd = refuseNoEnd('at', date, subscription, dateIn(at, timeZone));
  if (notAnEnd !== null) return notAnEnd;
  if (date === current?.end_date) return cancelAtEnd(subscription, at);
  const byTerms = endByTerms(terms);
  if (byTerms !== null && byTerms < date) return { refused: `It ends on ${byTerms} already.`, field: 'at' };
  return {
    terms: { ends_at: date, cancel_requested: false, cancel_planned: true, ends_at_before_cancel: byTerms },
    periods: retriesAgain(subscription, at),
    events: ['cancel_scheduled'],
  };
}

/** The end that the terms have set, whatever a cancellation has put in its place. */
function endByTerms({
  cancel_requested: isAtEnd,
  cancel_planned: isLater,
  ...terms
}: SubscriptionTerms): PlainDate | null {
  return isAtEnd || isLater ? terms.ends_at_before_cancel : terms.ends_at;
}

/**
 * Takes an end back. What a cancellation has replaced comes back: retries, a pause that was planned, an end by the
 * terms. Without a cancellation it is the end by the terms that is taken back.
 */
function uncancel(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
): SubscriptionStepChange | SubscriptionRefusal {
  const { terms } = subscription;
  if (terms.ends_at === null) return { refused: 'It has no planned end to withdraw.' };
  const withdrawn = { cancel_requested: false, cancel_planned: false, ends_at_before_cancel: null };
  return {
    terms: { ends_at: terms.ends_at_before_cancel, ...withdrawn },
    periods: retriesAgain(subscription, at),
    events: ['cancel_removed'],
  };
}

/** The retries that a cancellation has ended. After a final decline there are none. */
function retriesAgain(subscription: SubscriptionWithPeriods, at: CustomerInstant): PeriodChange[] {
  const { terms, timeZone } = subscription;
  if (terms.state !== 'past_due') return [];
  return openPeriods(subscription)
    .filter(({ status, gives_up_at: givesUpAt }) => status === 'unpaid' && givesUpAt === null)
    .map((period) => ({ number: period.number, change: retriedAgain(period, timeZone, at) }));
}

/** The retry that dunning gives, or at once if its time has passed. */
function retriedAgain(period: Period, timeZone: string, at: CustomerInstant): Partial<Period> {
  const dueAt = retryDueAt(period, timeZone);
  return dueAt === null || dueAt < at ? retriedAt(at) : { status: 'retrying', next_attempt_at: dueAt };
}

function retryNow(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
): SubscriptionStepChange | SubscriptionRefusal {
  const { terms } = subscription;
  const [first] = openPeriods(subscription);
  if (first?.status === 'processing') return { refused: 'Its unpaid period is being charged. Wait for the outcome.' };
  if (first === undefined) return { refused: 'It has no unpaid period.' };
  if (terms.cancel_requested)
    return { refused: 'It is canceled at the end of its period. Withdraw that with uncancel first.' };
  if (first.lapsed_at !== null || (terms.state_reason === 'payment_failed' && !isUnderWay(subscription, at)))
    return { refused: 'Its unpaid period is over. Resume it: a new period begins and takes what is owed.' };
  return retryAll(subscription, at);
}
