import { addDays, dateIn, type PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { seriesEndsAt } from '../schemes/debit-dates.ts';
import type { MinorUnits, PeriodNumber } from '../units.ts';
import { type AccountEntry, entry } from './account.ts';
import { type Course, calendarOf, type Period, type StateReason, type SubscriptionWithPeriods } from './course.ts';
import { sumOf } from './lines.ts';
import { isUnderWay, type OwedPart, owedFor, owedLines, owedParts, unpaidPeriods } from './owed.ts';
import { type PeriodDates, periodDates, periodOf, withEnd } from './periods.ts';

/** What happened to a subscription. Each is the end of an event's name, `subscription.…`. */
export type Happening =
  | 'started'
  | 'renewed'
  | 'trial_ending'
  | 'past_due'
  | 'recovered'
  | 'paused'
  | 'pause_scheduled'
  | 'pause_removed'
  | 'resumed'
  | 'canceled'
  | 'cancel_scheduled'
  | 'cancel_removed'
  | 'changed'
  | 'change_scheduled'
  | 'change_removed'
  | 'change_failed'
  | 'period_paid'
  | 'updated'
  | 'in_effect_changed';

/** What a step changes. Nothing is written here: the caller stores it, and charges a period that begins. */
export interface SubscriptionStepChange {
  course?: Partial<Course>;
  /** Changes of the owed period. */
  owed?: Partial<Period>;
  /** Changes of the others that are owed. */
  others?: { number: PeriodNumber; change: Partial<Period> }[];
  /** Changes of the current period. */
  current?: Partial<Period>;
  /** A period that begins. A paid one is to be charged. */
  begins?: PeriodDates & { kind: Period['kind'] };
  /** What is owed for former periods and has payments of its own, which are due at once. They come before `begins`. */
  apart?: (OwedPart & Pick<Period, 'number' | 'payment_intent_id'>)[];
  /** The bank debit of the current period was accepted: that is enough to be in effect. */
  isAccepted?: boolean;
  /** What moves on the account. */
  entries?: AccountEntry[];
  /** What is owed and let go by name, minor units. Undefined if nothing is let go. */
  waived?: MinorUnits;
  /** When the service was to end, if the change ends it. By default the instant of the change. */
  stopsAt?: CustomerInstant;
  happenings: Happening[];
}

/**
 * Starts a subscription that waits for that, or the one whose start date has come. Without a trial its first period
 * begins, and is to be charged. A start date that has passed moves to this day.
 */
export function start({ course, timeZone }: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const today = dateIn(at, timeZone);
  const start_date = course.start_date > today ? course.start_date : today;
  const started = { started_at: at, start_date };
  if (start_date > today) return { course: started, happenings: [] };
  const trialEnd = trialEndOf(course, start_date);
  if (trialEnd === null) {
    const anchor = { anchor_start: start_date, anchor_number: 1, next_number: 2 };
    const first = periodDates(calendarOf({ ...course, ...anchor }), 1);
    return { course: { ...started, ...anchor }, begins: { ...first, kind: 'paid' }, happenings: [] };
  }
  const anchor = { anchor_start: trialEnd, anchor_number: 2, next_number: 2 };
  return {
    course: { ...started, ...anchor, state: 'trialing' },
    begins: { number: 1, start: start_date, end: trialEnd, kind: 'trial' },
    happenings: ['started'],
  };
}

/** Returns the first day after the trial of a subscription that starts on this day. Null without a trial. */
export function trialEndOf(course: Pick<Course, 'trial_days' | 'trial_end_date'>, start: PlainDate): PlainDate | null {
  if (course.trial_days !== null) return addDays(start, course.trial_days);
  return course.trial_end_date !== null && course.trial_end_date > start ? course.trial_end_date : null;
}

/** Whether the day on which a subscription ends has come. `today` is biller-local. */
export function isOver({ ends_at: endsAt }: Pick<Course, 'ends_at'>, today: PlainDate): boolean {
  return endsAt !== null && endsAt <= today;
}

/** A boundary has come: the subscription ends, or pauses, or its next period begins. */
export function passBoundary(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  { hasMethod }: { hasMethod: boolean },
): SubscriptionStepChange {
  const { course, current, timeZone } = subscription;
  const today = dateIn(at, timeZone);
  if (course.state === 'pending') return start(subscription, at);
  if (isOver(course, today)) return cancelNow(subscription, 'ended');
  if (course.pauses_at !== null && course.pauses_at <= today) return pauseNow(subscription, 'requested');
  const isTrialOver = course.state === 'trialing' && current !== null;
  if (isTrialOver && !hasMethod && course.trial_end_behaviour !== 'charge') {
    const reason = 'no_payment_method';
    return course.trial_end_behaviour === 'pause' ? pauseNow(subscription, reason) : cancelNow(subscription, reason);
  }
  const { next_number: number } = course;
  const calendar = withEnd(calendarOf(course), number, course.ends_at);
  const { cut_number, cut_at } = calendar;
  // What is owed from before the first period of a calendar may have failed already.
  const state = course.state === 'past_due' ? 'past_due' : 'active';
  return {
    course: { billed_items: null, state, state_reason: null, next_number: number + 1, cut_number, cut_at },
    begins: { ...periodDates(calendar, number), kind: 'paid' },
    happenings: course.next_items === null ? ['renewed'] : ['renewed', 'changed'],
  };
}

/** An attempt to collect the owed period is opened. */
export function attemptOpened(): SubscriptionStepChange {
  return { owed: { status: 'processing', next_attempt_at: null }, happenings: [] };
}

/**
 * The owed period was collected. Periods that have fully passed meanwhile are never billed. While another is owed, the
 * state stays as it is.
 */
export function collected(
  { course, others, timeZone }: SubscriptionWithPeriods,
  at: CustomerInstant,
): SubscriptionStepChange {
  const paid = { paid_periods: course.paid_periods + 1 };
  const owed = { status: 'paid', next_attempt_at: null, gives_up_at: null } as const;
  const active = { ...paid, state: 'active', state_reason: null } as const;
  if (course.state === 'pending') return { course: active, owed, happenings: ['started', 'period_paid'] };
  const isRecovered =
    course.state === 'past_due' || (course.state === 'paused' && course.state_reason === 'payment_failed');
  if (!isRecovered || others.length > 0) {
    // A pause has waited for this payment. Nothing happens before it.
    const isLate = course.resumes_at !== null && course.resumes_at <= dateIn(at, timeZone);
    const resumes = isLate ? { resumes_at: addDays(dateIn(at, timeZone), 1) } : {};
    return { course: { ...paid, ...resumes }, owed, happenings: ['period_paid'] };
  }
  const contains = periodOf(calendarOf(course), dateIn(at, timeZone)).number;
  const next_number = Math.max(course.next_number, contains);
  // The end of a pause that was planned for later stays.
  const resumes = course.pauses_at === null ? { resumes_at: null } : {};
  return { course: { ...active, ...resumes, next_number }, owed, happenings: ['recovered', 'period_paid'] };
}

/** A failed payment, and what dunning makes of it. */
export interface Failure {
  series: Pick<Period, 'failures' | 'first_failed_at' | 'last_result_at'>;
  /** `isFinal`: the decline ends the retries with this method, and not the days that they would have had. */
  step: { kind: 'retry'; at: CustomerInstant } | { kind: 'suspend'; isFinal: boolean };
  /** When the attempt was due, or the bank has reported. */
  dueAt: CustomerInstant;
}

/**
 * The owed period was not collected. A first payment leaves no debt: the subscription stays pending, and can be started
 * again. After that it is past due while dunning retries, and pauses or ends when dunning gives up. A final decline
 * ends the retries; the days that they would have had stay, so that a new method can pay.
 */
export function failed(
  subscription: SubscriptionWithPeriods,
  { series, step, dueAt }: Failure,
): SubscriptionStepChange {
  const { course } = subscription;
  if (course.state === 'pending') {
    const again = { started_at: null, anchor_start: null, next_number: 1, current_number: 0 };
    const discounts = course.next_discounts === null ? {} : { discounts: course.next_discounts, next_discounts: null };
    return {
      course: { ...again, ...discounts },
      owed: { ...series, status: 'void', next_attempt_at: null },
      happenings: [],
    };
  }
  const unpaid = { ...series, status: 'unpaid', next_attempt_at: null } as const;
  const isCollecting = course.state === 'active' || course.state === 'past_due';
  // The subscription was paused or canceled meanwhile, or its end was requested: nothing tries again.
  if (!isCollecting) return { owed: unpaid, happenings: [] };
  const pastDue: Pick<SubscriptionStepChange, 'course' | 'happenings' | 'stopsAt'> =
    course.state === 'active'
      ? { course: { state: 'past_due' }, happenings: ['past_due'], stopsAt: dueAt }
      : { happenings: [], stopsAt: dueAt };
  if (course.cancel_requested) return { ...pastDue, owed: unpaid };
  if (step.kind === 'retry') {
    const retried = { ...series, status: 'retrying', next_attempt_at: step.at, gives_up_at: null } as const;
    return { ...pastDue, owed: retried };
  }
  if (step.isFinal)
    return { ...pastDue, owed: { ...unpaid, gives_up_at: seriesEndsAt(series, subscription.timeZone) } };
  return { ...giveUp(subscription, dueAt), owed: unpaid };
}

/** Dunning gives up: the subscription pauses or ends. `dueAt` is when it was to give up. */
export function giveUp(subscription: SubscriptionWithPeriods, dueAt: CustomerInstant): SubscriptionStepChange {
  const end = subscription.course.unpaid_behaviour === 'pause' ? pauseNow : cancelNow;
  return { ...end(subscription, 'payment_failed'), stopsAt: dueAt };
}

/** The unpaid periods of a paused subscription are over: their payments end, and what was served is owed. */
export function lapse({ owed, others }: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  return {
    ...(owed === null ? {} : { owed: { lapsed_at: at } }),
    others: others.map(({ number }) => ({ number, change: { lapsed_at: at } })),
    happenings: [],
  };
}

/** The trial ends in three days, or at once. */
export function announceTrialEnd(): SubscriptionStepChange {
  return { course: { trial_notice_sent: true }, happenings: ['trial_ending'] };
}

/** How a pause ends. */
export interface Resuming {
  /** The day of the month on which the periods after the new one begin: that one is then short. */
  anchorDay: number | null;
  /** Whether what was served and not paid is collected, or let go. */
  unpaid: 'collect' | 'waive';
  /** Whether what is collected of it has payments of its own, before that of the new period. By default it has not. */
  isOwedApart?: boolean;
}

/**
 * A pause ends: a new period begins on this day, and the calendar is counted from here. What was unpaid is void; what
 * was served of it is owed, and the new period takes it, or payments of their own that come first. If the current
 * period is paid and not over, it goes on.
 */
export function resume(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  { anchorDay, unpaid, isOwedApart = false }: Resuming = { anchorDay: null, unpaid: 'collect' },
): SubscriptionStepChange {
  const { course, current, timeZone, owed, others } = subscription;
  const goesOn = current?.status === 'paid' && isUnderWay(subscription, at);
  const next = course.next_number > course.current_number ? course.next_number : course.current_number + 1;
  const parts = isOwedApart && unpaid === 'collect' ? owedParts(subscription, at) : [];
  const apart = parts.map((part, index) => ({ ...part, number: next + index, payment_intent_id: null }));
  const number = next + apart.length;
  const anchor = {
    anchor_start: dateIn(at, timeZone),
    anchor_number: number,
    anchor_day: anchorDay,
    next_number: number,
    cut_number: null,
    cut_at: null,
  };
  const periods = unpaidPeriods(subscription);
  const served = periods
    .map((period) => entry('owed', period.number, owedLines(subscription, period, at)))
    .filter(({ lines }) => lines.length > 0);
  const letGo = () => ({ waived: sumOf(periods.flatMap((period) => owedFor(subscription, period, at))) });
  return {
    course: {
      ...(goesOn ? {} : anchor),
      state: 'active',
      state_reason: null,
      pauses_at: null,
      resumes_at: null,
      resume_anchor_day: null,
    },
    ...(unpaid === 'waive' ? letGo() : apart.length > 0 ? { apart } : { entries: served }),
    ...(owed === null ? {} : { owed: { status: 'void', next_attempt_at: null } }),
    others: others.map((other) => ({ number: other.number, change: { status: 'void', next_attempt_at: null } })),
    happenings: ['resumed'],
  };
}

/** Retries every unpaid payment at once, the older first. */
export function retryAll(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const { owed, others } = subscription;
  const retried = retriedAt(at);
  const isUnpaid = ({ status }: Period) => status === 'unpaid' || status === 'retrying';
  return {
    ...(owed !== null && isUnpaid(owed) ? { owed: retried } : {}),
    others: others.filter(isUnpaid).map(({ number }) => ({ number, change: retried })),
    happenings: [],
  };
}

/** Returns a retry that was asked for, and is due at once. */
export function retriedAt(at: CustomerInstant): Partial<Period> {
  return { status: 'retrying', next_attempt_at: at, retry_asked_at: at };
}

/** Ends a subscription. Retries end with it; a charge that is under way is still recorded. */
export function cancelNow(subscription: SubscriptionWithPeriods, reason: StateReason): SubscriptionStepChange {
  return {
    course: { state: 'canceled', state_reason: reason, pauses_at: null, resumes_at: null, resume_anchor_day: null },
    ...stopsRetries(subscription),
    happenings: ['canceled'],
  };
}

/**
 * Pauses a subscription. Retries end with it; a charge that is under way is still recorded. Only a pause that was
 * requested ends on its own.
 */
function pauseNow(subscription: SubscriptionWithPeriods, reason: StateReason): SubscriptionStepChange {
  const resumes = reason === 'requested' ? {} : { resumes_at: null, resume_anchor_day: null };
  return {
    course: { state: 'paused', state_reason: reason, pauses_at: null, ...resumes },
    ...stopsRetries(subscription),
    happenings: ['paused'],
  };
}

/** Ends the retries of all that is owed. */
export function stopsRetries({
  owed,
  others,
}: SubscriptionWithPeriods): Pick<SubscriptionStepChange, 'owed' | 'others'> {
  const change = { status: 'unpaid', next_attempt_at: null } as const;
  const isRetried = ({ status }: Period) => status === 'retrying';
  return {
    ...(owed !== null && isRetried(owed) ? { owed: change } : {}),
    others: others.filter(isRetried).map(({ number }) => ({ number, change })),
  };
}

/**
 * These payments were canceled before any money was on its way, because the subscription ends. Their periods are
 * unpaid, and nothing tries them again. A first payment leaves no debt.
 */
export function withdrawn(
  { course, owed, others }: SubscriptionWithPeriods,
  intentIds: readonly string[],
): SubscriptionStepChange {
  const status = course.state === 'pending' ? 'void' : 'unpaid';
  const change = { status, next_attempt_at: null, challenge_ends_at: null } as const;
  const isWithdrawn = ({ payment_intent_id: id }: Period) => id !== null && intentIds.includes(id);
  return {
    ...(owed !== null && isWithdrawn(owed) ? { owed: change } : {}),
    others: others.filter(isWithdrawn).map(({ number }) => ({ number, change })),
    happenings: [],
  };
}

/** A debit came back after its period had counted as paid. What follows is as after a failure. */
export function returned(subscription: SubscriptionWithPeriods, failure: Failure): SubscriptionStepChange {
  const change = failed(subscription, failure);
  return { ...change, course: { ...change.course, paid_periods: subscription.course.paid_periods - 1 } };
}
