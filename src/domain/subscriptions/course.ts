import { addLocalDays, earliestInstant, type PlainDate } from '../calendar.ts';
import type { FailureBehaviour } from '../dunning.ts';
import type { Id } from '../ids.ts';
import type { CustomerInstant } from '../instants.ts';
import type { Days, MinorUnits, PeriodNumber } from '../units.ts';
import type { CreditAccount } from './account.ts';
import type { PeriodLine, SubscriptionItem } from './lines.ts';
import type { PeriodCalendar } from './periods.ts';
import type { Discount, Sold } from './pricing.ts';

export type SubscriptionState = 'pending' | 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';

/** Why a subscription is paused or canceled. */
export type StateReason = 'requested' | 'payment_failed' | 'no_payment_method' | 'ended' | 'customer_deleted';

/** A trial is `paid`: nothing is owed for it. `void`: nothing is owed, and it was not bought. */
type PeriodStatus = 'processing' | 'paid' | 'retrying' | 'unpaid' | 'void';

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
  /** The day of the month on which periods begin after that pause. Null: that of its end. */
  resume_anchor_day: number | null;
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
  /** The credit that it used. */
  credit_used_cents: MinorUnits;
  /** The discounts that hold in it, with the periods that are left after it. */
  discounts: Discount[];
  /** Whether what it took went back, since it is not paid. */
  is_given_back: boolean;
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
  /**
   * Until when it was in effect: the instant that was planned, not the one at which that was recorded. Null while that
   * is open, and if nothing has ended it before the period did.
   */
  served_until: CustomerInstant | null;
  /** After a final decline: when its retries would have ended. Until then it stays past due. */
  gives_up_at: CustomerInstant | null;
  /** When it ended unpaid while paused for that. Its payment cannot be confirmed since. */
  lapsed_at: CustomerInstant | null;
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

/** Returns the pause that is planned. There is none while the subscription ends before it, by a cancellation. */
export function plannedPause({ ends_at: endsAt, pauses_at, resumes_at }: Planned): Omit<Planned, 'ends_at'> {
  const isReplaced = pauses_at !== null && endsAt !== null && endsAt <= pauses_at;
  return isReplaced ? { pauses_at: null, resumes_at: null } : { pauses_at, resumes_at };
}
type Planned = Pick<Course, 'ends_at' | 'pauses_at' | 'resumes_at'>;

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

/** Returns a subscription with these of its periods: the one that has begun last, and what is owed. */
export function withPeriods<P extends Period>(
  course: Course,
  periods: readonly P[],
  timeZone: string,
): SubscriptionWithPeriods {
  const current = periods.findLast(({ number }) => number === course.current_number) ?? null;
  return { course, current, ...owedOf(periods), timeZone };
}

/** Returns a subscription with this period as the one that a payment is about, if it is owed. */
export function about(subscription: SubscriptionWithPeriods, number: PeriodNumber): SubscriptionWithPeriods {
  const all = allOwed(subscription);
  const owed = all.find((period) => period.number === number) ?? null;
  return { ...subscription, owed, others: all.filter((period) => period !== owed) };
}

/** Returns the calendar of the periods. @throws RangeError if the subscription has no anchor yet. */
export function calendarOf(course: Course): PeriodCalendar {
  if (course.anchor_start === null) throw new RangeError('the subscription has not started');
  return { ...course, anchor_start: course.anchor_start };
}

/** Returns all periods that are owed. */
export function allOwed({ owed, others }: Pick<SubscriptionWithPeriods, 'owed' | 'others'>): Period[] {
  return [...(owed === null ? [] : [owed]), ...others];
}

/**
 * Returns when the service ends while a payment is retried. Null if it is not past due. It has no grace before a first
 * payment.
 */
export function graceEnd(subscription: SubscriptionWithPeriods): CustomerInstant | null {
  const { course, timeZone } = subscription;
  const firstFailedAt = earliestInstant(allOwed(subscription).map(({ first_failed_at: date }) => date));
  if (course.state !== 'past_due' || firstFailedAt === null) return null;
  const days = course.paid_periods > 0 ? course.grace_days : 0;
  return addLocalDays(firstFailedAt, days, timeZone);
}
