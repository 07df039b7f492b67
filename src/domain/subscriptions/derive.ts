import { addDays, earliestInstant, type PlainDate, startOfDay } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { firstRetry } from '../recurring/recurring-payment.ts';
import { seriesEndsAt } from '../schemes/debit-dates.ts';
import type { MinorUnits } from '../units.ts';
import { owedAmount } from './owed.ts';
import { periodDates } from './periods.ts';
import type { OneOffItem } from './pricing.ts';
import {
  calendarOf,
  graceEnd,
  openPeriods,
  type Period,
  plannedPause,
  type SubscriptionTerms,
  type SubscriptionWithPeriods,
} from './subscription.ts';
import { unpaidFees } from './taking.ts';

/** What follows from a subscription and its periods at an instant. It is stored with its terms. */
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
  /** When dunning gives up after a final decline, or the unpaid period of a paused subscription is over. */
  lapses_at: CustomerInstant | null;
  /** What collecting would take for the past: for periods that are not paid. */
  owed_amount_cents: MinorUnits;
  /** The fees that unpaid periods have taken. */
  unpaid_one_off_items: OneOffItem[];
  /** Whether the customer may use the service now. */
  in_effect: boolean;
  /** Until when, if nothing else happens. Null if that is open, and while it is not in effect. */
  in_effect_until: CustomerInstant | null;
}

/** How many days before the end of a trial it is announced. */
const noticeDays = 3;

/**
 * Returns what follows from a subscription at this instant.
 *
 * Only a trial, a period that is paid, a bank debit that was accepted, and days of grace bring the service into effect.
 * Once it is, it stays so while it is renewed: until the payment of the next period has failed.
 * @param wasInEffect whether it was in effect, or the bank debit of its period was just accepted.
 */
export function derive(subscription: SubscriptionWithPeriods, at: CustomerInstant, wasInEffect: boolean): Derived {
  const { terms, current, timeZone } = subscription;
  const startOf = (date: PlainDate) => startOfDay(date, timeZone);
  const graceEndsAt = graceEnd(subscription);
  const isInGrace = graceEndsAt !== null && at < graceEndsAt;
  const inEffect = isInEffect(subscription, at, wasInEffect);
  const isOwing = openPeriods(subscription).length > 0;
  const isAnnounced = terms.state === 'trialing' && !terms.trial_notice_sent && current !== null;
  return {
    next_period_at: nextPeriodAt(subscription),
    next_attempt_at: firstRetry(subscription.periods)?.next_attempt_at ?? null,
    notice_at: isAnnounced ? startOf(addDays(current.end_date, -noticeDays)) : null,
    grace_ends_at: isInGrace ? graceEndsAt : null,
    resume_at: isOwing || terms.state !== 'paused' || terms.resumes_at === null ? null : startOf(terms.resumes_at),
    lapses_at: lapsesAt(subscription),
    owed_amount_cents: owedAmount(subscription, at),
    unpaid_one_off_items: unpaidFees(subscription),
    in_effect: inEffect,
    in_effect_until: inEffect ? untilWhen(subscription, graceEndsAt, at) : null,
  };
}

/** Returns whether a subscription is in effect at this instant: see `derive`. */
export function isInEffect(subscription: SubscriptionWithPeriods, at: CustomerInstant, wasInEffect: boolean): boolean {
  const { state } = subscription.terms;
  if (state !== 'past_due') {
    return state === 'trialing' || (state === 'active' && (wasInEffect || boughtUntil(subscription, at) !== null));
  }
  // At the instant at which dunning gives up, or an end or a pause is planned, no grace begins again.
  const until = earliestInstant([graceEnd(subscription), lapsesAt(subscription), ...plannedStops(subscription)]);
  return until !== null && at < until;
}

/** When the period boundary that the subscription waits for comes. */
function nextPeriodAt(subscription: SubscriptionWithPeriods): CustomerInstant | null {
  const { terms, current, timeZone } = subscription;
  const isOwing = openPeriods(subscription).length > 0;
  const startOf = (date: PlainDate) => startOfDay(date, timeZone);
  const { state, ends_at: endsAt } = terms;
  if (state === 'canceled') return null;
  if (state === 'pending') return terms.started_at !== null && !isOwing ? startOf(terms.start_date) : null;
  if (state === 'paused') return endsAt === null ? null : startOf(endsAt);
  const stopsAt = earliest(endsAt, terms.pauses_at);
  // The first period of a calendar does not wait for what is owed from before it.
  const isFirst = terms.current_number < terms.anchor_number;
  const isWaiting = isOwing && terms.state !== 'trialing' && !isFirst;
  const next = terms.next_number > terms.current_number ? nextStart(terms, current) : null;
  if (isWaiting) return stopsAt === null ? null : startOf(stopsAt);
  return next === null ? null : startOf(earliest(stopsAt, next) ?? next);
}

/** The date on which the next period begins. After a trial it begins where the trial ends. */
function nextStart(terms: SubscriptionTerms, current: Period | null): PlainDate | null {
  if (terms.anchor_start === null) return null;
  return terms.state === 'trialing' && current !== null
    ? current.end_date
    : periodDates(calendarOf(terms), terms.next_number).start;
}

/** When dunning gives up after a final decline, or the unpaid period of a paused subscription is over. */
function lapsesAt(subscription: SubscriptionWithPeriods): CustomerInstant | null {
  const { terms, current, timeZone } = subscription;
  const open = openPeriods(subscription);
  if (terms.state === 'past_due') {
    const givenUp = open.filter(({ status }) => status === 'unpaid' && !terms.cancel_requested);
    return earliestInstant(givenUp.map(({ gives_up_at: date }) => date));
  }
  const isPausedUnpaid = terms.state === 'paused' && terms.state_reason === 'payment_failed';
  const isOpen = open.some(({ lapsed_at: date }) => date === null) && open.every(({ status }) => status === 'unpaid');
  return isPausedUnpaid && isOpen && current !== null ? startOfDay(current.end_date, timeZone) : null;
}

/** Until when it is in effect if no payment comes and nothing else happens. */
function untilWhen(
  subscription: SubscriptionWithPeriods,
  graceEndsAt: CustomerInstant | null,
  at: CustomerInstant,
): CustomerInstant | null {
  const { terms, timeZone } = subscription;
  const stops = plannedStops(subscription);
  if (terms.state !== 'past_due') {
    const boughtAt = boughtUntil(subscription, at);
    return boughtAt && earliestInstant([boughtAt, ...stops]);
  }
  const givenUp = terms.cancel_requested
    ? []
    : openPeriods(subscription).map((p) => p.gives_up_at ?? seriesEndsAt(p, timeZone));
  return earliestInstant([graceEndsAt, ...stops, ...givenUp]);
}

/** When its planned end and its planned pause come. */
function plannedStops({ terms, timeZone }: SubscriptionWithPeriods): (CustomerInstant | null)[] {
  return [terms.ends_at, plannedPause(terms).pauses_at].map((date) =>
    date === null ? null : startOfDay(date, timeZone),
  );
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
