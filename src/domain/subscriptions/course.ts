import { addDays, addLocalDays, earliestInstant, type PlainDate, startOfDay } from '../calendar.ts';
import type { FailureBehaviour } from '../dunning.ts';
import type { Id } from '../ids.ts';
import type { CustomerInstant } from '../instants.ts';
import type { Days, MinorUnits, PeriodNumber } from '../units.ts';
import type { CreditAccount } from './account.ts';
import type { PeriodLine, SubscriptionItem } from './lines.ts';
import { type PeriodCalendar, periodDates } from './periods.ts';
import type { Sold } from './pricing.ts';

export type SubscriptionState = 'pending' | 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';

/** Why a subscription is paused or canceled. */
export type StateReason = 'requested' | 'payment_failed' | 'no_payment_method' | 'ended' | 'customer_deleted';

/** A trial is `paid`: nothing is owed for it. `void`: nothing is owed, and it was not bought. */
export type PeriodStatus = 'processing' | 'paid' | 'retrying' | 'unpaid' | 'void';

/** The terms of a subscription, and how far it has come. Dates are biller-local. */
export interface Course extends Omit<PeriodCalendar, 'anchor_start'>, CreditAccount, Sold {
  state: SubscriptionState;
  state_reason: StateReason | null;
  /** What the days that are left of the current period were charged for. Null: the items; they differ after a change
   * without proration. */
  billed_items: SubscriptionItem[] | null;
  /** The payment of a change that is under way. Null if none is. */
  change_payment_intent_id: Id<'payment_intent'> | null;
  start_date: PlainDate;
  trial_days: Days | null;
  trial_end_date: PlainDate | null;
  trial_end_behaviour: 'charge' | 'pause' | 'cancel';
  failure_behaviour: FailureBehaviour;
  unpaid_behaviour: 'pause' | 'cancel';
  grace_days: Days;
  effective_on: 'settled' | 'submitted';
  /** When it was asked to start. Null before, and again if the first payment was declined. */
  started_at: CustomerInstant | null;
  anchor_start: PlainDate | null;
  /** The period that has begun last; 0 if none has. */
  current_number: PeriodNumber;
  /** The period that begins next. Periods that passed while one was unpaid are left out. */
  next_number: PeriodNumber;
  /** The day on which it ends, the first without service. */
  ends_at: PlainDate | null;
  /** It ends with its current period, by a request and not by its terms: retries end. */
  cancel_requested: boolean;
  /** It ends with a later period, by a request: until then it continues as before, with retries. */
  cancel_planned: boolean;
  /** The end that the terms had set before it was canceled. An uncancel gives it back. */
  ends_at_before_cancel: PlainDate | null;
  /** A pause that was planned. It stays while a cancellation stands in its place: an uncancel gives it back. */
  pauses_at: PlainDate | null;
  resumes_at: PlainDate | null;
  trial_notice_sent: boolean;
  /** Paid periods that were collected, minus those that came back. Trials do not count. */
  paid_periods: number;
}

/** A period that has begun. */
export interface Period {
  number: PeriodNumber;
  start_date: PlainDate;
  end_date: PlainDate;
  kind: 'trial' | 'paid';
  status: PeriodStatus;
  lines: PeriodLine[];
  amount_cents: MinorUnits;
  /** The part of the amount that comes from the account of the subscription: a credit is negative. */
  carried_cents: MinorUnits;
  /** The sum of the lines of the changes that were made in it. */
  changed_cents: MinorUnits;
  /** The part of the credit of its changes that its payments no longer hold. */
  withheld_cents: MinorUnits;
  payment_intent_id: Id<'payment_intent'> | null;
  failures: number;
  first_failed_at: CustomerInstant | null;
  next_attempt_at: CustomerInstant | null;
  /** When the bank reported the last failure of the series. Null if that was no debit under a mandate. */
  last_result_at: CustomerInstant | null;
  /** When a retry at once was requested. Such a retry is due then, and not when dunning says. */
  retry_asked_at: CustomerInstant | null;
  /** Until when the payer has time for the challenge of the bank. Null without one. */
  challenge_ends_at: CustomerInstant | null;
}

/** A subscription with the periods that decide what it does next. */
export interface SubscriptionWithPeriods {
  course: Course;
  /** The period that has begun last. Null before the first. */
  current: Period | null;
  /** The period that is being collected or is unpaid, usually the current one. Null if nothing is owed. */
  owed: Period | null;
  /** Further periods that are owed: a bank has taken the debit of one back while that of the next was under way. */
  others: Period[];
  timeZone: string;
}

/** What follows from a subscription and its periods at an instant. It is stored with the course. */
export interface Derived {
  /**
   * When the next period begins, or the subscription ends or pauses instead. Null while it waits for something else.
   */
  next_period_at: CustomerInstant | null;
  next_attempt_at: CustomerInstant | null;
  /** When the trial's end is announced: three days before. */
  notice_at: CustomerInstant | null;
  /** When the service ends although retries go on. */
  grace_ends_at: CustomerInstant | null;
  /** When a pause ends on its own. Null while a period is owed: the end of the pause would leave that void. */
  resume_at: CustomerInstant | null;
  /** Whether the customer may use the service now. */
  in_effect: boolean;
  /** Until when, if nothing else happens. Null if that is open, and while it is not in effect. */
  in_effect_until: CustomerInstant | null;
}

/** Returns the pause that is planned. There is none while the subscription ends before it, by a cancellation. */
export function plannedPause({ ends_at: endsAt, pauses_at, resumes_at }: Planned): Omit<Planned, 'ends_at'> {
  const isReplaced = pauses_at !== null && endsAt !== null && endsAt <= pauses_at;
  return isReplaced ? { pauses_at: null, resumes_at: null } : { pauses_at, resumes_at };
}
type Planned = Pick<Course, 'ends_at' | 'pauses_at' | 'resumes_at'>;

/** How many days before the end of a trial it is announced. */
const noticeDays = 3;

/** Whether something is still collected or owed for the period. */
export function isOwed({ status }: Pick<Period, 'status'>): boolean {
  return status === 'processing' || status === 'retrying' || status === 'unpaid';
}

/**
 * Returns the owed period that comes first, and the others: what is retried first, then what is unpaid, then what is
 * under way.
 */
export function owedOf<T extends Period>(periods: readonly T[]): { owed: T | null; others: T[] } {
  const rank = { retrying: 0, unpaid: 1, processing: 2, paid: 3, void: 3 } as const;
  const [owed = null, ...others] = periods
    .filter(isOwed)
    .toSorted(
      (a, b) =>
        rank[a.status] - rank[b.status] || Number(a.next_attempt_at) - Number(b.next_attempt_at) || a.number - b.number,
    );
  return { owed, others };
}

/** Returns the calendar of the periods. @throws RangeError if the subscription has no anchor yet. */
export function calendarOf(course: Course): PeriodCalendar {
  if (course.anchor_start === null) throw new RangeError('the subscription has not started');
  return { ...course, anchor_start: course.anchor_start };
}

/**
 * Returns what follows from a subscription at this instant.
 *
 * Only a trial, a period that is paid, a bank debit that was accepted, and days of grace bring the service into effect.
 * Once it is, it stays so while it is renewed: until the payment of the next period has failed.
 * @param wasInEffect whether it was in effect, or the bank debit of its period was just accepted.
 */
export function derive(subscription: SubscriptionWithPeriods, at: CustomerInstant, wasInEffect: boolean): Derived {
  const { course, current, timeZone } = subscription;
  const startOf = (date: PlainDate) => startOfDay(date, timeZone);
  const graceEndsAt = graceEnd(subscription);
  const isInGrace = graceEndsAt !== null && at < graceEndsAt;
  const isActive = course.state === 'active' && (wasInEffect || boughtUntil(subscription, at) !== null);
  const inEffect = course.state === 'trialing' || isActive || isInGrace;
  const isOwing = allOwed(subscription).length > 0;
  const isAnnounced = course.state === 'trialing' && !course.trial_notice_sent && current !== null;
  return {
    next_period_at: nextPeriodAt(subscription),
    next_attempt_at: earliestInstant(allOwed(subscription).map(({ next_attempt_at: date }) => date)),
    notice_at: isAnnounced ? startOf(addDays(current.end_date, -noticeDays)) : null,
    grace_ends_at: isInGrace ? graceEndsAt : null,
    resume_at: isOwing || course.state !== 'paused' || course.resumes_at === null ? null : startOf(course.resumes_at),
    in_effect: inEffect,
    in_effect_until: inEffect ? untilWhen(subscription, graceEndsAt, at) : null,
  };
}

/** Returns all periods that are owed. */
export function allOwed({ owed, others }: Pick<SubscriptionWithPeriods, 'owed' | 'others'>): Period[] {
  return [...(owed === null ? [] : [owed]), ...others];
}

/** When the period boundary that the subscription waits for comes. */
function nextPeriodAt({ course, current, owed, timeZone }: SubscriptionWithPeriods): CustomerInstant | null {
  const startOf = (date: PlainDate) => startOfDay(date, timeZone);
  const { state, ends_at: endsAt } = course;
  if (state === 'canceled') return null;
  if (state === 'pending') return course.started_at !== null && owed === null ? startOf(course.start_date) : null;
  if (state === 'paused') return endsAt === null ? null : startOf(endsAt);
  const stopsAt = earliest(endsAt, course.pauses_at);
  const isOpen = owed !== null && course.state !== 'trialing';
  const next = course.next_number > course.current_number ? nextStart(course, current) : null;
  if (isOpen) return stopsAt === null ? null : startOf(stopsAt);
  return next === null ? null : startOf(earliest(stopsAt, next) ?? next);
}

/** The date on which the next period begins. After a trial it begins where the trial ends. */
function nextStart(course: Course, current: Period | null): PlainDate | null {
  if (course.anchor_start === null) return null;
  return course.state === 'trialing' && current !== null
    ? current.end_date
    : periodDates(calendarOf(course), course.next_number).start;
}

/**
 * When the service ends while a payment is retried. Null if it is not past due. It has no grace before a first payment.
 */
function graceEnd(subscription: SubscriptionWithPeriods): CustomerInstant | null {
  const { course, timeZone } = subscription;
  const firstFailedAt = earliestInstant(allOwed(subscription).map(({ first_failed_at: date }) => date));
  if (course.state !== 'past_due' || firstFailedAt === null) return null;
  const days = course.paid_periods > 0 ? course.grace_days : 0;
  return addLocalDays(firstFailedAt, days, timeZone);
}

function untilWhen(
  subscription: SubscriptionWithPeriods,
  graceEndsAt: CustomerInstant | null,
  at: CustomerInstant,
): CustomerInstant | null {
  return subscription.course.state === 'past_due' ? graceEndsAt : boughtUntil(subscription, at);
}

/** The end of the current period, if it is a trial or paid, and not over. */
function boughtUntil({ current, timeZone }: SubscriptionWithPeriods, at: CustomerInstant): CustomerInstant | null {
  const isBought = current !== null && (current.kind === 'trial' || current.status === 'paid');
  const endsAt = isBought ? startOfDay(current.end_date, timeZone) : null;
  return endsAt !== null && at < endsAt ? endsAt : null;
}

function earliest(a: PlainDate | null, b: PlainDate | null): PlainDate | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
