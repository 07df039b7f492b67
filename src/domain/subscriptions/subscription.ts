import { addLocalDays, earliestInstant, type PlainDate } from '../calendar.ts';
import type { FailureBehaviour } from '../dunning.ts';
import type { Id } from '../ids.ts';
import type { CustomerInstant } from '../instants.ts';
import type { RecurringPayment } from '../recurring/recurring-payment.ts';
import type { Days, MinorUnits, PeriodNumber } from '../units.ts';
import type { CreditAccount } from './account.ts';
import type { PeriodLine, SubscriptionItem } from './lines.ts';
import { type PeriodCalendar, periodOf } from './periods.ts';
import type { Discount, Sold } from './pricing.ts';

export type SubscriptionState = 'pending' | 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';

/** Why a subscription is paused or canceled. */
export type StateReason = 'requested' | 'payment_failed' | 'no_payment_method' | 'ended' | 'customer_deleted';

/** A trial is `paid`: nothing is owed for it. `void`: nothing is owed, and it was not bought. */
type PeriodStatus = 'processing' | 'paid' | 'retrying' | 'unpaid' | 'void';

/** The row of a subscription: its terms, its state and how far it has come. Dates are biller-local. */
export interface SubscriptionTerms extends Omit<PeriodCalendar, 'anchor_start'>, CreditAccount, Sold {
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
export interface Period extends RecurringPayment {
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
  /** When a retry at once was requested. Such a retry is due then, and not when dunning says. */
  retry_asked_at: CustomerInstant | null;
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
  terms: SubscriptionTerms;
  /** The period that has begun last. Null before the first. */
  current: Period | null;
  /**
   * The current period, those that are open, and the one that a charge is about, oldest first. More than one is open if
   * a bank has taken the debit of one back while that of the next was under way, or if what is owed is collected apart.
   */
  periods: readonly Period[];
  timeZone: string;
}

/** Returns the pause that is planned. There is none while the subscription ends before it, by a cancellation. */
export function plannedPause({ ends_at: endsAt, pauses_at, resumes_at }: Planned): Omit<Planned, 'ends_at'> {
  const isReplaced = pauses_at !== null && endsAt !== null && endsAt <= pauses_at;
  return isReplaced ? { pauses_at: null, resumes_at: null } : { pauses_at, resumes_at };
}
type Planned = Pick<SubscriptionTerms, 'ends_at' | 'pauses_at' | 'resumes_at'>;

/** Whether something is still collected or owed for the period. */
export function isOpen({ status }: Pick<Period, 'status'>): boolean {
  return status === 'processing' || status === 'retrying' || status === 'unpaid';
}

/** Returns the open periods: what is retried first, then what is unpaid, then what is under way. */
export function openPeriods({ periods }: Pick<SubscriptionWithPeriods, 'periods'>): Period[] {
  const rank = { retrying: 0, unpaid: 1, processing: 2, paid: 3, void: 3 } as const;
  return periods
    .filter(isOpen)
    .toSorted(
      (a, b) =>
        rank[a.status] - rank[b.status] || Number(a.next_attempt_at) - Number(b.next_attempt_at) || a.number - b.number,
    );
}

/** Returns a subscription with those of its periods, oldest first, that are open, and the one that has begun last. */
export function withPeriods(
  terms: SubscriptionTerms,
  all: readonly Period[],
  timeZone: string,
): SubscriptionWithPeriods {
  const periods = all.filter((period) => isOpen(period) || period.number === terms.current_number);
  return { terms, periods, current: currentOf(terms, periods), timeZone };
}

/** Returns the period that has begun last, of these. Null before the first. */
export function currentOf(
  { current_number: current }: Pick<SubscriptionTerms, 'current_number'>,
  periods: readonly Period[],
): Period | null {
  return periods.findLast(({ number }) => number === current) ?? null;
}

/** Returns the calendar of the periods. @throws RangeError if the subscription has no anchor yet. */
export function calendarOf(terms: SubscriptionTerms): PeriodCalendar {
  if (terms.anchor_start === null) throw new RangeError('the subscription has not started');
  return { ...terms, anchor_start: terms.anchor_start };
}

/**
 * Returns when the service ends while a payment is retried. Null if it is not past due. It has no grace before a first
 * payment.
 */
export function graceEnd(subscription: SubscriptionWithPeriods): CustomerInstant | null {
  const { terms, timeZone } = subscription;
  const firstFailedAt = earliestInstant(openPeriods(subscription).map(({ first_failed_at: date }) => date));
  if (terms.state !== 'past_due' || firstFailedAt === null) return null;
  const days = terms.paid_periods > 0 ? terms.grace_days : 0;
  return addLocalDays(firstFailedAt, days, timeZone);
}

/**
 * Returns the two ends of periods that are nearest to a date, the earlier first, of those after `today`. If the date
 * is such an end itself, that is the first. All dates are biller-local.
 * @throws RangeError if the subscription has no anchor yet, and past the year 9999.
 */
export function endsNear(
  { terms, current }: Pick<SubscriptionWithPeriods, 'terms' | 'current'>,
  date: PlainDate,
  today: PlainDate,
): [PlainDate, PlainDate] {
  const calendar = calendarOf(terms);
  const isRunning = current !== null && current.end_date > today;
  const first = isRunning ? current.end_date : periodOf(calendar, today).end;
  const from = date > first ? periodOf(calendar, date).start : first;
  return [from, periodOf(calendar, from).end];
}
