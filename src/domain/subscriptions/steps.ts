import { addDays, dateIn, type PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { attempted, type Failure } from '../recurring/recurring-payment.ts';
import { seriesEndsAt } from '../schemes/debit-dates.ts';
import type { MinorUnits, PeriodNumber } from '../units.ts';
import { type AccountEntry, entry } from './account.ts';
import { sumOf } from './lines.ts';
import { isUnderWay, owedFor, owedLines, owedParts, unpaidPeriods } from './owed.ts';
import { type PeriodDates, periodDates, periodOf, withEnd } from './periods.ts';
import {
  calendarOf,
  openPeriods,
  type Period,
  type StateReason,
  type SubscriptionTerms,
  type SubscriptionWithPeriods,
} from './subscription.ts';

/** The end of the name of an event of a subscription, `subscription.…`. */
export type SubscriptionEventName =
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

/** A period that begins. It has no statement until it is billed. */
export type NewPeriod = PeriodDates &
  Pick<Period, 'kind'> &
  Partial<Omit<Period, 'number' | 'start_date' | 'end_date'>>;

/** A period that begins with its statement. */
export type BilledPeriod = NewPeriod & Pick<Period, 'lines' | 'amount_cents'>;

/** A change of a period, by its number. */
export interface PeriodChange {
  number: PeriodNumber;
  change: Partial<Period>;
}

/** What a step changes. Nothing is written here: the caller stores it, and charges a period that begins. */
export interface SubscriptionStepChange {
  terms?: Partial<SubscriptionTerms>;
  /** Changes of periods that have begun. */
  periods?: PeriodChange[];
  /** A period that begins. A paid one is to be charged: see `billed`. */
  begins?: NewPeriod;
  /** What is owed for former periods and has payments of its own, which are due at once. They come before `begins`. */
  apart?: BilledPeriod[];
  /** The bank debit of the current period was accepted: that is enough to be in effect. */
  isAccepted?: boolean;
  /** What moves on the account. */
  entries?: AccountEntry[];
  /** What is owed and let go by name, minor units. Undefined if nothing is let go. */
  waived?: MinorUnits;
  /** When the service was to end, if the change ends it. By default the instant of the change. */
  stopsAt?: CustomerInstant;
  events: SubscriptionEventName[];
}

/** A change by which a period begins. */
export type BeginningChange = SubscriptionStepChange & Required<Pick<SubscriptionStepChange, 'begins'>>;

/**
 * Starts a subscription that waits for that, or the one whose start date has come. Without a trial its first period
 * begins, and is to be charged. A start date that has passed moves to this day.
 */
export function start({ terms, timeZone }: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const today = dateIn(at, timeZone);
  const start_date = terms.start_date > today ? terms.start_date : today;
  const started = { started_at: at, start_date };
  if (start_date > today) return { terms: started, events: [] };
  const trialEnd = trialEndOf(terms, start_date);
  if (trialEnd === null) {
    const anchor = { anchor_start: start_date, anchor_number: 1, next_number: 2 };
    const first = periodDates(calendarOf({ ...terms, ...anchor }), 1);
    return { terms: { ...started, ...anchor }, begins: { ...first, kind: 'paid' }, events: [] };
  }
  const anchor = { anchor_start: trialEnd, anchor_number: 2, next_number: 2 };
  return {
    terms: { ...started, ...anchor, state: 'trialing' },
    begins: { number: 1, start: start_date, end: trialEnd, kind: 'trial' },
    events: ['started'],
  };
}

/** Returns the first day after the trial of a subscription that starts on this day. Null without a trial. */
export function trialEndOf(
  terms: Pick<SubscriptionTerms, 'trial_days' | 'trial_end_date'>,
  start: PlainDate,
): PlainDate | null {
  if (terms.trial_days !== null) return addDays(start, terms.trial_days);
  return terms.trial_end_date !== null && terms.trial_end_date > start ? terms.trial_end_date : null;
}

/** Whether the day on which a subscription ends has come. `today` is biller-local. */
export function isOver({ ends_at: endsAt }: Pick<SubscriptionTerms, 'ends_at'>, today: PlainDate): boolean {
  return endsAt !== null && endsAt <= today;
}

/**
 * The end of the period that runs has come, or the start date of a subscription that waits for it: the subscription
 * ends, or pauses, or its next period begins.
 */
export function endPeriod(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  { hasMethod }: { hasMethod: boolean },
): SubscriptionStepChange {
  const { terms, current, timeZone } = subscription;
  const today = dateIn(at, timeZone);
  if (terms.state === 'pending') return start(subscription, at);
  if (isOver(terms, today)) return cancelNow(subscription, 'ended');
  if (terms.pauses_at !== null && terms.pauses_at <= today) return pauseNow(subscription, 'requested');
  const isTrialOver = terms.state === 'trialing' && current !== null;
  if (isTrialOver && !hasMethod && terms.trial_end_behaviour !== 'charge') {
    const reason = 'no_payment_method';
    return terms.trial_end_behaviour === 'pause' ? pauseNow(subscription, reason) : cancelNow(subscription, reason);
  }
  const { next_number: number } = terms;
  const calendar = withEnd(calendarOf(terms), number, terms.ends_at);
  const { cut_number, cut_at } = calendar;
  // What is owed from before the first period of a calendar may have failed already.
  const state = terms.state === 'past_due' ? 'past_due' : 'active';
  return {
    terms: { billed_items: null, state, state_reason: null, next_number: number + 1, cut_number, cut_at },
    begins: { ...periodDates(calendar, number), kind: 'paid' },
    events: terms.next_items === null ? ['renewed'] : ['renewed', 'changed'],
  };
}

/** An attempt to collect an open period is opened. */
export function attemptOpened({ number }: Period): SubscriptionStepChange {
  return { periods: [{ number, change: attempted }], events: [] };
}

/**
 * An open period was collected. Periods that have fully passed meanwhile are never billed. While another is open, the
 * state stays as it is.
 */
export function collected(
  subscription: SubscriptionWithPeriods,
  { number }: Pick<Period, 'number'>,
  at: CustomerInstant,
): SubscriptionStepChange {
  const { terms, timeZone } = subscription;
  const paid = { paid_periods: terms.paid_periods + 1 };
  const change = { status: 'paid', next_attempt_at: null, gives_up_at: null } as const;
  const periods = [{ number, change }];
  const active = { ...paid, state: 'active', state_reason: null } as const;
  if (terms.state === 'pending') return { terms: active, periods, events: ['started', 'period_paid'] };
  const isRecovered =
    terms.state === 'past_due' || (terms.state === 'paused' && terms.state_reason === 'payment_failed');
  if (!isRecovered || openPeriods(subscription).some((other) => other.number !== number)) {
    // A pause has waited for this payment. Nothing happens before it.
    const isLate = terms.resumes_at !== null && terms.resumes_at <= dateIn(at, timeZone);
    const resumes = isLate ? { resumes_at: addDays(dateIn(at, timeZone), 1) } : {};
    return { terms: { ...paid, ...resumes }, periods, events: ['period_paid'] };
  }
  const contains = periodOf(calendarOf(terms), dateIn(at, timeZone)).number;
  const next_number = Math.max(terms.next_number, contains);
  // The end of a pause that was planned for later stays.
  const resumes = terms.pauses_at === null ? { resumes_at: null } : {};
  return { terms: { ...active, ...resumes, next_number }, periods, events: ['recovered', 'period_paid'] };
}

/**
 * An open period was not collected. A first payment leaves no debt: the subscription stays pending, and can be started
 * again. After that it is past due while dunning retries, and pauses or ends when dunning gives up. A final decline
 * ends the retries; the days that they would have had stay, so that a new method can pay.
 * @param dueAt when the attempt was due, or the bank has reported.
 */
export function failed(
  subscription: SubscriptionWithPeriods,
  { number }: Pick<Period, 'number'>,
  { series, step }: Failure,
  dueAt: CustomerInstant,
): SubscriptionStepChange {
  const { terms } = subscription;
  const own = (change: Partial<Period>) => [{ number, change: { ...series, next_attempt_at: null, ...change } }];
  if (terms.state === 'pending') {
    const again = { started_at: null, anchor_start: null, next_number: 1, current_number: 0 };
    const discounts = terms.next_discounts === null ? {} : { discounts: terms.next_discounts, next_discounts: null };
    return { terms: { ...again, ...discounts }, periods: own({ status: 'void' }), events: [] };
  }
  const periods = own({ status: 'unpaid' });
  const isCollecting = terms.state === 'active' || terms.state === 'past_due';
  // The subscription was paused or canceled meanwhile, or its end was requested: nothing tries again.
  if (!isCollecting) return { periods, events: [] };
  const pastDue: Pick<SubscriptionStepChange, 'terms' | 'events' | 'stopsAt'> =
    terms.state === 'active'
      ? { terms: { state: 'past_due' }, events: ['past_due'], stopsAt: dueAt }
      : { events: [], stopsAt: dueAt };
  if (terms.cancel_requested) return { ...pastDue, periods };
  if (step.kind === 'retry') {
    return { ...pastDue, periods: own({ status: 'retrying', next_attempt_at: step.at, gives_up_at: null }) };
  }
  const lastRetryAt = seriesEndsAt(series, subscription.timeZone);
  if (step.isFinal) return { ...pastDue, periods: own({ status: 'unpaid', gives_up_at: lastRetryAt }) };
  const ended = giveUp(subscription, dueAt);
  return { ...ended, periods: [...(ended.periods ?? []), ...periods] };
}

/** Dunning gives up: the subscription pauses or ends. `dueAt` is when it was to give up. */
export function giveUp(subscription: SubscriptionWithPeriods, dueAt: CustomerInstant): SubscriptionStepChange {
  const end = subscription.terms.unpaid_behaviour === 'pause' ? pauseNow : cancelNow;
  return { ...end(subscription, 'payment_failed'), stopsAt: dueAt };
}

/** The unpaid periods of a paused subscription are over: their payments end, and what was served is owed. */
export function lapse(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  return { periods: changeOpen(subscription, { lapsed_at: at }), events: [] };
}

/** The trial ends in three days, or at once. */
export function announceTrialEnd(): SubscriptionStepChange {
  return { terms: { trial_notice_sent: true }, events: ['trial_ending'] };
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
  const { terms, current, timeZone } = subscription;
  const goesOn = current?.status === 'paid' && isUnderWay(subscription, at);
  const next = terms.next_number > terms.current_number ? terms.next_number : terms.current_number + 1;
  const parts = isOwedApart && unpaid === 'collect' ? owedParts(subscription, at) : [];
  const apart = parts.map(({ start_date: start, end_date: end, ...part }, index): BilledPeriod => {
    return {
      number: next + index,
      start,
      end,
      kind: 'paid',
      amount_cents: sumOf(part.lines),
      ...part,
      ...retriedAt(at),
    };
  });
  const number = next + apart.length;
  const anchor = {
    anchor_start: dateIn(at, timeZone),
    anchor_number: number,
    anchor_day: anchorDay,
    next_number: number,
    cut_number: null,
    cut_at: null,
  };
  const unpaidOnes = unpaidPeriods(subscription);
  const served = unpaidOnes
    .map((period) => entry('owed', period.number, owedLines(subscription, period, at)))
    .filter(({ lines }) => lines.length > 0);
  const letGo = () => ({ waived: sumOf(unpaidOnes.flatMap((period) => owedFor(subscription, period, at))) });
  return {
    terms: {
      ...(goesOn ? {} : anchor),
      state: 'active',
      state_reason: null,
      pauses_at: null,
      resumes_at: null,
      resume_anchor_day: null,
    },
    ...(unpaid === 'waive' ? letGo() : apart.length > 0 ? { apart } : { entries: served }),
    periods: changeOpen(subscription, { status: 'void', next_attempt_at: null }),
    events: ['resumed'],
  };
}

/** Retries every unpaid payment at once, the older first. */
export function retryAll(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const isUnpaid = ({ status }: Period) => status === 'unpaid' || status === 'retrying';
  return { periods: changeOpen(subscription, retriedAt(at), isUnpaid), events: [] };
}

/** Returns a retry that was asked for, and is due at once. */
export function retriedAt(at: CustomerInstant): Partial<Period> {
  return { status: 'retrying', next_attempt_at: at, retry_asked_at: at };
}

/** Ends a subscription. Retries end with it; a charge that is under way is still recorded. */
export function cancelNow(subscription: SubscriptionWithPeriods, reason: StateReason): SubscriptionStepChange {
  return {
    terms: { state: 'canceled', state_reason: reason, pauses_at: null, resumes_at: null, resume_anchor_day: null },
    periods: withoutRetries(subscription),
    events: ['canceled'],
  };
}

/**
 * Pauses a subscription. Retries end with it; a charge that is under way is still recorded. Only a pause that was
 * requested ends on its own.
 */
function pauseNow(subscription: SubscriptionWithPeriods, reason: StateReason): SubscriptionStepChange {
  const resumes = reason === 'requested' ? {} : { resumes_at: null, resume_anchor_day: null };
  return {
    terms: { state: 'paused', state_reason: reason, pauses_at: null, ...resumes },
    periods: withoutRetries(subscription),
    events: ['paused'],
  };
}

/** Returns the end of the retries of all open periods. */
export function withoutRetries(subscription: SubscriptionWithPeriods): PeriodChange[] {
  const change = { status: 'unpaid', next_attempt_at: null } as const;
  return changeOpen(subscription, change, ({ status }) => status === 'retrying');
}

/**
 * These payments were canceled before any money was on its way, because the subscription ends. Their periods are
 * unpaid, and nothing tries them again. A first payment leaves no debt.
 */
export function withdrawn(subscription: SubscriptionWithPeriods, intentIds: readonly string[]): SubscriptionStepChange {
  const status = subscription.terms.state === 'pending' ? 'void' : 'unpaid';
  const change = { status, next_attempt_at: null, challenge_ends_at: null } as const;
  const isWithdrawn = ({ payment_intent_id: id }: Period) => id !== null && intentIds.includes(id);
  return { periods: changeOpen(subscription, change, isWithdrawn), events: [] };
}

/** A debit came back after its period had counted as paid. What follows is as after a failure. */
export function returned(
  subscription: SubscriptionWithPeriods,
  period: Pick<Period, 'number'>,
  failure: Failure,
  at: CustomerInstant,
): SubscriptionStepChange {
  const change = failed(subscription, period, failure, at);
  return { ...change, terms: { ...change.terms, paid_periods: subscription.terms.paid_periods - 1 } };
}

/** Returns the same change of the open periods, of all or of those that `isMeant` says. */
function changeOpen(
  subscription: SubscriptionWithPeriods,
  change: Partial<Period>,
  isMeant: (period: Period) => boolean = () => true,
): PeriodChange[] {
  return openPeriods(subscription)
    .filter(isMeant)
    .map(({ number }) => ({ number, change }));
}
