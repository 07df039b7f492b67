import { earliestInstant, startOfDay } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits, PeriodNumber } from '../units.ts';
import { type AccountEntry, amountEntry, postAll } from './account.ts';
import { allOwed, type Course, graceEnd, type Period, type SubscriptionWithPeriods, withPeriods } from './course.ts';
import { type Derived, derive, isInEffect } from './derive.ts';
import { type PeriodLine, sumOf } from './lines.ts';
import { isServedToEnd, owedFor, unpaidPeriods } from './owed.ts';
import { oneOffLine } from './pricing.ts';
import { type Happening, retriedAt, type SubscriptionStepChange } from './steps.ts';
import { restoreTaken, type Taking } from './taking.ts';

/** A period that begins, with its statement and its payment. */
export type BegunPeriod = Pick<
  Period,
  'status' | 'lines' | 'amount_cents' | 'carried_cents' | 'credit_used_cents' | 'discounts' | 'payment_intent_id'
>;

/** A trial: it costs nothing, and takes nothing. */
export const trialPeriod: BegunPeriod = {
  status: 'paid',
  lines: [],
  amount_cents: 0,
  carried_cents: 0,
  credit_used_cents: 0,
  discounts: [],
  payment_intent_id: null,
};

/** What was let go by a change, for its events. Amounts in minor units. */
export interface LetGo {
  /** What was served and is not collected. */
  waived_amount_cents: MinorUnits;
  /** Fees and lines of changes that no period takes. */
  dropped_lines: PeriodLine[];
}

/** A subscription after a change, and what follows from it. */
export interface Applied {
  subscription: SubscriptionWithPeriods;
  /** The columns of the subscription that change. */
  course: Partial<Course>;
  derived: Derived;
  /** The periods that begin: those of what is owed for former ones alone, and the one of the change. */
  begins: Period[];
  /** The periods that change. */
  periods: { number: PeriodNumber; change: Partial<Period> }[];
  entries: AccountEntry[];
  happenings: Happening[];
  letGo: LetGo;
  /** The period that was paid, or null. */
  paid: Period | null;
}

/** What a change is compared with: what was derived before it. */
export type Before = Pick<Derived, 'in_effect' | 'in_effect_until' | 'owed_amount_cents'>;

/** Returns a period that was opened as `begun`. */
export function begunBy(
  { lines, amount_cents, carried_cents, credit_used_cents, sold }: Taking,
  how: Pick<Period, 'status' | 'payment_intent_id'>,
): BegunPeriod {
  return { lines, amount_cents, carried_cents, credit_used_cents, discounts: sold.discounts, ...how };
}

/**
 * Returns a subscription after a change, and what happened. Whatever the change, three rules hold:
 *
 * - if it is no longer in effect, its periods are served until the instant that was planned;
 * - what a period took goes back when it is void, or unpaid at the end, unless it was served to its end;
 * - the account is what its entries leave.
 *
 * If the change begins or ends that it is in effect, that is the last of its happenings.
 * @param begun the period that the change begins.
 */
export function applyChange(
  subscription: SubscriptionWithPeriods,
  change: SubscriptionStepChange,
  begun: BegunPeriod | null,
  { before, at }: { before: Before; at: CustomerInstant },
): Applied {
  const course: Course = { ...subscription.course, ...change.course };
  const begins = change.begins && begun ? newPeriod(change.begins, begun) : null;
  const apart = (change.apart ?? []).map((part) => owedPeriod(part, at));
  const newOnes = begins === null ? apart : [...apart, begins];
  const last = newOnes.at(-1);
  if (last !== undefined) course.current_number = last.number;
  const changed = changesOf(subscription, change);
  const known = knownPeriods(subscription);
  const periods = () => {
    const own = known.map((period) => ({ ...period, ...changed.get(period.number) }));
    return [...own, ...newOnes];
  };
  const { timeZone } = subscription;
  const after = withPeriods(course, periods(), timeZone);
  const wasInEffect = before.in_effect || change.isAccepted === true;
  endService(subscription, after, changed, { before, at, wasInEffect, stopsAt: change.stopsAt ?? at });
  const served = withPeriods(course, periods(), timeZone);
  const { entries, letGo, ...back } = goBack(subscription, served, changed, change, at);
  const moved = [...(change.entries ?? []), ...entries];
  const account = {
    ...(moved.length === 0 ? {} : postAll(course, moved)),
    ...(letGo.dropped_lines.length === 0 ? {} : { next_period_lines: [] }),
  };
  const final = withPeriods({ ...course, ...back, ...account }, periods(), timeZone);
  const derived = derive(final, at, wasInEffect);
  if (begins !== null && !derived.in_effect) begins.served_until = startOfDay(begins.start_date, final.timeZone);
  return {
    subscription: final,
    course: { ...change.course, ...(last && { current_number: last.number }), ...back, ...account },
    derived,
    begins: newOnes,
    periods: [...changed].map(([number, one]) => ({ number, change: one })),
    entries: moved,
    happenings: happeningsOf(change, before, derived, letGo),
    letGo: { ...letGo, waived_amount_cents: letGo.waived_amount_cents + (change.waived ?? 0) },
    paid: begins?.kind === 'paid' && begins.status === 'paid' ? begins : paidOf(final, subscription.owed, changed),
  };
}

type Changes = Map<PeriodNumber, Partial<Period>>;

function changesOf(
  { owed, current }: SubscriptionWithPeriods,
  change: Pick<SubscriptionStepChange, 'owed' | 'others' | 'current'>,
): Changes {
  const changes: Changes = new Map();
  const add = (number: PeriodNumber, one: Partial<Period>) => changes.set(number, { ...changes.get(number), ...one });
  if (current !== null && change.current) add(current.number, change.current);
  if (owed !== null && change.owed) add(owed.number, change.owed);
  for (const other of change.others ?? []) add(other.number, other.change);
  return changes;
}

function knownPeriods({ owed, others, current }: SubscriptionWithPeriods): Period[] {
  const all = allOwed({ owed, others });
  return current === null || all.some(({ number }) => number === current.number) ? all : [...all, current];
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
  for (const period of knownPeriods(after)) {
    const isOpen = inEffect ? startOfDay(period.end_date, after.timeZone) > at : period.served_until === null;
    const isKnown = period.kind === 'paid' && knownPeriods(subscription).some(({ number }) => number === period.number);
    if (isOpen && isKnown) changes.set(period.number, { ...changes.get(period.number), served_until: until });
  }
}

interface Back extends Partial<Pick<Course, 'one_off_items' | 'discounts'>> {
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
  const { course } = after;
  const hasEnded = course.state === 'canceled';
  const entries: AccountEntry[] = [];
  const dropped: PeriodLine[] = [];
  let { one_off_items, discounts } = course;
  for (const { number } of knownPeriods(subscription).toSorted((a, b) => b.number - a.number)) {
    const before = knownPeriods(subscription).find((period) => period.number === number);
    if (before === undefined) continue;
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
    changes.set(number, { ...changes.get(number), is_given_back: true });
  }
  const isLanded =
    allOwed(after).every(({ status }) => status !== 'processing') && course.change_payment_intent_id === null;
  if (hasEnded && isLanded) {
    const { next_period_lines: waiting } = postAll(course, [...(change.entries ?? []), ...entries]);
    dropped.push(...waiting, ...one_off_items.map(oneOffLine));
    entries.push(...amountEntry('dropped', course.current_number, 'What waited at the end', 0 - sumOf(waiting)));
    one_off_items = [];
  }
  const isEnd = hasEnded && subscription.course.state !== 'canceled';
  const unpaid = isEnd ? unpaidPeriods(after).filter(({ status }) => status === 'unpaid') : [];
  const waived = unpaid.reduce((sum, period) => sum + sumOf(owedFor(after, period, at)), 0);
  return {
    entries,
    letGo: { waived_amount_cents: waived, dropped_lines: dropped },
    ...(one_off_items === course.one_off_items ? {} : { one_off_items }),
    ...(discounts === course.discounts || change.course?.discounts !== undefined ? {} : { discounts }),
  };
}

/** Until when it is in effect and what is owed are told by each event. If there is none, by `updated`. */
function happeningsOf(
  { happenings }: SubscriptionStepChange,
  before: Before,
  derived: Derived,
  { dropped_lines: dropped }: LetGo,
): Happening[] {
  if (before.in_effect !== derived.in_effect) return [...happenings, 'in_effect_changed'];
  const isTold =
    before.in_effect_until?.getTime() === derived.in_effect_until?.getTime() &&
    before.owed_amount_cents === derived.owed_amount_cents &&
    dropped.length === 0;
  return happenings.length > 0 || isTold ? happenings : ['updated'];
}

function paidOf({ current }: SubscriptionWithPeriods, owed: Period | null, changes: Changes): Period | null {
  if (owed === null) return null;
  const after = owed.number === current?.number ? current : { ...owed, ...changes.get(owed.number) };
  return after.status === 'paid' ? after : null;
}

function newPeriod(
  { number, start, end, kind }: NonNullable<SubscriptionStepChange['begins']>,
  begun: BegunPeriod,
): Period {
  const series = { failures: 0, first_failed_at: null, next_attempt_at: null, last_result_at: null };
  const untried = { changed_cents: 0, withheld_cents: 0, ...series, retry_asked_at: null, challenge_ends_at: null };
  const served = { is_given_back: false, served_until: null, gives_up_at: null, lapsed_at: null };
  return { number, start_date: start, end_date: end, kind, ...begun, ...untried, ...served };
}

/** A period of what is owed alone: its payment is due at once. */
function owedPeriod(
  { served_until, lines, ...part }: NonNullable<SubscriptionStepChange['apart']>[number],
  at: CustomerInstant,
): Period {
  const { number, start_date: start, end_date: end, payment_intent_id } = part;
  const nothingTaken = { carried_cents: 0, credit_used_cents: 0, discounts: [] };
  const statement = { lines, amount_cents: sumOf(lines), ...nothingTaken };
  const begun = { status: 'retrying', ...statement, payment_intent_id } as const;
  return { ...newPeriod({ number, start, end, kind: 'paid' }, begun), ...retriedAt(at), served_until };
}
