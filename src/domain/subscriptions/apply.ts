import { earliestInstant, startOfDay } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import { untried } from '../recurring/recurring-payment.ts';
import type { MinorUnits, PeriodNumber } from '../units.ts';
import { type AccountEntry, amountEntry, type CreditAccount, postAll } from './account.ts';
import { type Derived, derive, isInEffect } from './derive.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { isServedToEnd, owedFor, unpaidPeriods } from './owed.ts';
import { oneOffLine } from './pricing.ts';
import type { NewPeriod, PeriodChange, SubscriptionEventName, SubscriptionStepChange } from './steps.ts';
import {
  graceEnd,
  openPeriods,
  type Period,
  type SubscriptionTerms,
  type SubscriptionWithPeriods,
  withPeriods,
} from './subscription.ts';
import { restoreTaken } from './taking.ts';

/** What was let go by a change, for its events. Amounts in minor units. */
export interface LetGo {
  /** What was served and is not collected. */
  waived_amount_cents: MinorUnits;
  /** Fees and lines of changes that no period takes. */
  dropped_lines: PeriodLine[];
}

export const nothingLetGo: LetGo = { waived_amount_cents: 0, dropped_lines: [] };

/** A subscription after a change, and what follows from it. */
export interface Applied {
  subscription: SubscriptionWithPeriods;
  /** The columns of the subscription that change. */
  terms: Partial<SubscriptionTerms>;
  derived: Derived;
  /** The periods that begin: those of what is owed for former ones alone, and the one of the change. */
  begins: Period[];
  /** The periods that change. */
  periods: PeriodChange[];
  entries: AccountEntry[];
  events: SubscriptionEventName[];
  letGo: LetGo;
  /** The period that was paid, or null. */
  paid: Period | null;
}

/** What a change is compared with: what was derived before it, and the credit that events have told. */
export type Before = Pick<Derived, 'in_effect' | 'in_effect_until' | 'owed_amount_cents'> &
  Pick<CreditAccount, 'credit_balance_cents'>;

/**
 * Returns a subscription after a change, and what happened. Whatever the change, three rules hold:
 *
 * - if it is no longer in effect, its periods are served until the instant that was planned;
 * - what a period took goes back when it is void, or unpaid at the end, unless it was served to its end;
 * - the account is what its entries leave.
 *
 * If the change begins or ends that it is in effect, that is the last of its events.
 */
export function applyChange(
  subscription: SubscriptionWithPeriods,
  change: SubscriptionStepChange,
  { before, at }: { before: Before; at: CustomerInstant },
): Applied {
  const terms: SubscriptionTerms = { ...subscription.terms, ...change.terms };
  const begins = change.begins === undefined ? null : newPeriod(change.begins);
  const newOnes = [...(change.apart ?? []).map(newPeriod), ...(begins === null ? [] : [begins])];
  const last = newOnes.at(-1);
  if (last !== undefined) terms.current_number = last.number;
  const changed: Changes = new Map();
  for (const { number, change: one } of change.periods ?? []) merge(changed, number, one);
  const known = subscription.periods;
  const periods = () => {
    const own = known.map((period) => ({ ...period, ...changed.get(period.number) }));
    return [...own, ...newOnes];
  };
  const { timeZone } = subscription;
  const after = withPeriods(terms, periods(), timeZone);
  const wasInEffect = before.in_effect || change.isAccepted === true;
  endService(subscription, after, changed, { before, at, wasInEffect, stopsAt: change.stopsAt ?? at });
  const served = withPeriods(terms, periods(), timeZone);
  const { entries, letGo, ...back } = goBack(subscription, served, changed, change, at);
  const moved = [...(change.entries ?? []), ...entries];
  const account = {
    ...(moved.length === 0 ? {} : postAll(terms, moved)),
    ...(letGo.dropped_lines.length === 0 ? {} : { next_period_lines: [] }),
  };
  const final = withPeriods({ ...terms, ...back, ...account }, periods(), timeZone);
  const derived = derive(final, at, wasInEffect);
  if (begins !== null && !derived.in_effect) begins.served_until = startOfDay(begins.start_date, final.timeZone);
  const statusAfter = (number: PeriodNumber) =>
    number === begins?.number ? begins.status : changed.get(number)?.status;
  return {
    subscription: final,
    terms: { ...change.terms, ...(last && { current_number: last.number }), ...back, ...account },
    derived,
    begins: newOnes,
    periods: [...changed].map(([number, one]) => ({ number, change: one })),
    entries: moved,
    events: eventsOf(change, before, { ...derived, credit_balance_cents: final.terms.credit_balance_cents }, letGo),
    letGo: { ...letGo, waived_amount_cents: letGo.waived_amount_cents + (change.waived ?? 0) },
    paid: periods().find(({ number, kind }) => kind === 'paid' && statusAfter(number) === 'paid') ?? null,
  };
}

type Changes = Map<PeriodNumber, Partial<Period>>;

function merge(changes: Changes, number: PeriodNumber, change: Partial<Period>): void {
  changes.set(number, { ...changes.get(number), ...change });
}

/** Notes until when periods were served, if the service ends; and that it goes on, if it begins again. */
function endService(
  subscription: SubscriptionWithPeriods,
  after: SubscriptionWithPeriods,
  changes: Changes,
  {
    before,
    at,
    wasInEffect,
    stopsAt,
  }: { before: Before; at: CustomerInstant; wasInEffect: boolean; stopsAt: CustomerInstant },
): void {
  const inEffect = isInEffect(after, at, wasInEffect);
  if (before.in_effect === inEffect) return;
  const planned = [before.in_effect_until, graceEnd(subscription), graceEnd(after)];
  const until = inEffect ? null : earliestInstant([stopsAt, at, ...planned]);
  for (const { number, kind, end_date: end, served_until: servedUntil } of after.periods) {
    const isConcerned = inEffect ? startOfDay(end, after.timeZone) > at : servedUntil === null;
    const isKnown = kind === 'paid' && subscription.periods.some((period) => period.number === number);
    if (isConcerned && isKnown) merge(changes, number, { served_until: until });
  }
}

interface Back extends Partial<Pick<SubscriptionTerms, 'one_off_items' | 'discounts'>> {
  entries: AccountEntry[];
  letGo: LetGo;
}

/** What goes back of periods that are void now, or unpaid as the subscription ends, and what is dropped at its end. */
function goBack(
  subscription: SubscriptionWithPeriods,
  after: SubscriptionWithPeriods,
  changes: Changes,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): Back {
  const { terms } = after;
  const hasEnded = terms.state === 'canceled';
  const entries: AccountEntry[] = [];
  const dropped: PeriodLine[] = [];
  let { one_off_items, discounts } = terms;
  for (const before of subscription.periods.toSorted((a, b) => b.number - a.number)) {
    const { number } = before;
    const period = { ...before, ...changes.get(number) };
    const isVoid = period.status === 'void' && before.status !== 'void';
    if (period.kind === 'trial' || !(isVoid || (hasEnded && period.status === 'unpaid'))) continue;
    if (isVoid) {
      const undone = 0 - period.changed_cents;
      entries.push(...amountEntry('undone', number, `Changes in period ${number}, which is not billed`, undone));
    }
    if (period.is_given_back || isServedToEnd(after, period, at)) continue;
    const back = restoreTaken({ one_off_items, discounts }, period, {
      hasEnded,
      isOwedGone: change.waived !== undefined || change.apart !== undefined,
    });
    ({ one_off_items, discounts } = back);
    entries.push(...back.entries);
    dropped.push(...back.dropped);
    merge(changes, number, { is_given_back: true });
  }
  const isLanded =
    openPeriods(after).every(({ status }) => status !== 'processing') && terms.change_payment_intent_id === null;
  if (hasEnded && isLanded) {
    const { next_period_lines: waiting } = postAll(terms, [...(change.entries ?? []), ...entries]);
    dropped.push(...waiting, ...one_off_items.map(oneOffLine));
    entries.push(...amountEntry('dropped', terms.current_number, 'What waited at the end', 0 - sumOf(waiting)));
    one_off_items = [];
  }
  const isEnd = hasEnded && subscription.terms.state !== 'canceled';
  const unpaid = isEnd ? unpaidPeriods(after).filter(({ status }) => status === 'unpaid') : [];
  const waived = unpaid.reduce((sum, period) => sum + sumOf(owedFor(after, period, at)), 0);
  return {
    entries,
    letGo: { waived_amount_cents: waived, dropped_lines: dropped },
    ...(one_off_items === terms.one_off_items ? {} : { one_off_items }),
    ...(discounts === terms.discounts || change.terms?.discounts !== undefined ? {} : { discounts }),
  };
}

/** Until when it is in effect, what is owed and the credit are told by each event. If there is none, by `updated`. */
function eventsOf(
  { events }: SubscriptionStepChange,
  before: Before,
  after: Before,
  { dropped_lines: dropped }: LetGo,
): SubscriptionEventName[] {
  if (before.in_effect !== after.in_effect) return [...events, 'in_effect_changed'];
  const isTold =
    before.in_effect_until?.getTime() === after.in_effect_until?.getTime() &&
    before.owed_amount_cents === after.owed_amount_cents &&
    before.credit_balance_cents === after.credit_balance_cents &&
    dropped.length === 0;
  return events.length > 0 || isTold ? events : ['updated'];
}

/** A period that has taken nothing from the account, and whose payment nobody has tried. */
const fresh = {
  ...{ status: 'paid', carried_cents: 0, credit_used_cents: 0, discounts: [] },
  ...{ payment_intent_id: null, ...untried, retry_asked_at: null, gives_up_at: null, lapsed_at: null },
  ...{ changed_cents: 0, withheld_cents: 0, is_given_back: false, served_until: null },
} satisfies Partial<Period>;

/** @throws Error if the period begins without its statement: it would be given away (`billed`). */
function newPeriod({ start, end, lines, amount_cents: amount, ...period }: NewPeriod): Period {
  if (lines === undefined || amount === undefined) throw new Error(`period ${period.number} begins and is not billed`);
  return { ...fresh, start_date: start, end_date: end, lines, amount_cents: amount, ...period };
}

/** What a forecast takes as the state before the change. */
const supposed: Before = { in_effect: true, in_effect_until: null, owed_amount_cents: 0, credit_balance_cents: 0 };

/** Returns a copy of a subscription as a change would make it, to foretell what comes after. */
export function foretell(
  subscription: SubscriptionWithPeriods,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): SubscriptionWithPeriods {
  return applyChange(subscription, change, { before: supposed, at }).subscription;
}
