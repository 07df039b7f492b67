import fc from 'fast-check';
import { addDays, dateIn } from '../../../src/domain/calendar.ts';
import { nextRetryAt } from '../../../src/domain/dunning.ts';
import { addMs, type CustomerInstant, customerInstant } from '../../../src/domain/instants.ts';
import { firstRetry } from '../../../src/domain/recurring/recurring-payment.ts';
import { type AccountEntry, amountEntry } from '../../../src/domain/subscriptions/account.ts';
import { type Applied, applyChange, type Before, type LetGo } from '../../../src/domain/subscriptions/apply.ts';
import {
  changeFailed,
  changePaid,
  type ItemChange,
  type OpenChange,
  quoteChange,
} from '../../../src/domain/subscriptions/changes.ts';
import { derive } from '../../../src/domain/subscriptions/derive.ts';
import { type PeriodLine, type SubscriptionItem, sumOf } from '../../../src/domain/subscriptions/lines.ts';
import { periodDates, periodOf } from '../../../src/domain/subscriptions/periods.ts';
import type { Discount, OneOffItem } from '../../../src/domain/subscriptions/pricing.ts';
import { respondTo, type SubscriptionRequest } from '../../../src/domain/subscriptions/requests.ts';
import {
  announceTrialEnd,
  attemptOpened,
  collected,
  endPeriod,
  failed,
  giveUp,
  isOver,
  lapse,
  resume,
  returned,
  type SubscriptionStepChange,
} from '../../../src/domain/subscriptions/steps.ts';
import {
  calendarOf,
  openPeriods,
  type Period,
  type SubscriptionTerms,
  type SubscriptionWithPeriods,
} from '../../../src/domain/subscriptions/subscription.ts';
import { billed, replaceFees } from '../../../src/domain/subscriptions/taking.ts';

const dayMs = 86_400_000;
const begin = customerInstant('2027-01-31T00:00:00Z');

export const fresh: SubscriptionTerms = {
  state: 'pending',
  state_reason: null,
  items: [{ id: 'sbi_1', name: 'A', unit_amount_cents: 100, quantity: 1 }],
  next_items: null,
  billed_items: null,
  discounts: [],
  next_discounts: null,
  one_off_items: [],
  change_payment_intent_id: null,
  next_period_lines: [],
  credit_balance_cents: 0,
  frequency_type: 'monthly',
  frequency_period: 1,
  start_date: '2027-01-31',
  anchor_day: null,
  anchor_start: null,
  anchor_number: 1,
  trial_days: null,
  trial_end_date: null,
  trial_end_behaviour: 'pause',
  failure_behaviour: 'retry',
  unpaid_behaviour: 'pause',
  grace_days: 7,
  effective_on: 'settled',
  started_at: null,
  current_number: 0,
  next_number: 1,
  ends_at: null,
  cancel_requested: false,
  cancel_planned: false,
  ends_at_before_cancel: null,
  pauses_at: null,
  resumes_at: null,
  resume_anchor_day: null,
  cut_number: null,
  cut_at: null,
  trial_notice_sent: false,
  paid_periods: 0,
};

/** How a charge ends: paid, declined, or declined for good. */
export type Outcome = boolean | 'final';

/** What happened at an instant. */
interface Told {
  at: number;
  what: string;
  inEffect: boolean;
  /** Until when it is in effect, epoch ms; null if that is open. */
  until: number | null;
}

/** A subscription in memory, with a processor that follows a list of outcomes: what the services do, without rows. */
export class Simulated {
  subscription: SubscriptionWithPeriods;
  before: Before = { in_effect: false, in_effect_until: null, owed_amount_cents: 0, credit_balance_cents: 0 };
  now = begin;
  readonly told: Told[] = [];
  readonly periods = new Map<number, Period>();
  readonly entries: AccountEntry[] = [];
  /** What its events have told to be let go. */
  readonly letGo: LetGo[] = [];
  /** The numbers of the periods that its changes have told to be paid. */
  readonly paid: number[] = [];
  readonly outcomes: Outcome[];
  /** The change whose charge is under way. */
  open: OpenChange | null = null;
  readonly quotes: { amount: number; lines: PeriodLine[] }[] = [];
  paidForChanges = 0;
  hasComeBack = false;
  refunded = 0;

  constructor(terms: Partial<SubscriptionTerms>, outcomes: Outcome[]) {
    this.subscription = { terms: { ...fresh, ...terms }, current: null, periods: [], timeZone: 'UTC' };
    this.outcomes = [...outcomes];
  }

  get inEffect(): boolean {
    return this.before.in_effect;
  }

  /** The change with the period that it begins, which is charged, as the services do it. */
  apply(change: SubscriptionStepChange): void {
    const { begins } = change;
    const full = begins === undefined ? change : billed(this.subscription, { ...change, begins }, this.now);
    this.store(applyChange(this.subscription, full, this.#now()));
    if (full.begins?.status === 'processing') this.charge(full.begins.number);
  }

  store({ subscription, periods, begins, derived, events, entries, letGo, paid }: Applied): void {
    this.subscription = subscription;
    for (const { number, change } of periods) {
      const known = this.periods.get(number);
      if (known !== undefined) this.periods.set(number, { ...known, ...change });
    }
    for (const period of begins) this.periods.set(period.number, period);
    this.entries.push(...entries);
    this.letGo.push(letGo);
    if (paid !== null) this.paid.push(paid.number);
    this.before = { ...derived, credit_balance_cents: subscription.terms.credit_balance_cents };
    const until = derived.in_effect_until?.getTime() ?? null;
    for (const what of events) {
      this.told.push({ at: this.now.getTime(), what, inEffect: this.inEffect, until });
    }
  }

  #now(): { before: Before; at: CustomerInstant } {
    return { before: this.before, at: this.now };
  }

  charge(number: number, dueAt = this.now): void {
    const outcome = this.outcomes.shift() ?? true;
    if (outcome === true) this.apply(collected(this.subscription, { number }, this.now));
    else this.decline(number, outcome === 'final', dueAt);
  }

  decline(number: number, isFinal: boolean, dueAt: CustomerInstant): void {
    const { failures = 0, first_failed_at: first = null } = this.periods.get(number) ?? {};
    const firstFailedAt = first ?? this.now;
    const at = nextRetryAt(failures + 1, firstFailedAt, 'UTC');
    const series = { failures: failures + 1, first_failed_at: firstFailedAt, last_result_at: null };
    const step =
      at === null || isFinal ? ({ kind: 'suspend', isFinal: at !== null } as const) : ({ kind: 'retry', at } as const);
    this.apply(failed(this.subscription, { number }, { series, step }, dueAt));
  }

  /** The bank takes the payment of a period back. Its retries begin. */
  comeBack(number: number): void {
    const period = this.periods.get(number);
    if (period?.status !== 'paid' || period.kind === 'trial' || period.amount_cents === 0) return;
    this.hasComeBack = true;
    const known = this.subscription.periods.filter((other) => other.number !== number);
    const periods = [...known, period].toSorted((a, b) => a.number - b.number);
    const found = { ...this.subscription, periods };
    const series = { failures: 1, first_failed_at: this.now, last_result_at: null };
    const at = nextRetryAt(1, this.now, 'UTC') ?? this.now;
    const change = returned(found, period, { series, step: { kind: 'retry', at } }, this.now);
    this.store(applyChange(found, change, this.#now()));
  }

  ask(request: SubscriptionRequest): boolean {
    const change = respondTo(request, this.subscription, this.now);
    if ('refused' in change) return false;
    this.apply(change);
    this.runUntil(this.now);
    return true;
  }

  /** Plans an end or a pause with a later period. Returns its date, or null if it is refused. */
  plan({ what, periods, pausedDays }: Extract<Deed, { do: 'plan' }>): string | null {
    const { terms, current } = this.subscription;
    if (current === null || terms.anchor_start === null) return null;
    const { number } = periodOf(calendarOf(terms), current.end_date);
    const date = periods === 0 ? current.end_date : periodDates(calendarOf(terms), number + periods - 1).end;
    const resumesAt = pausedDays === null ? null : addDays(date, pausedDays);
    const done = this.ask(
      what === 'pause'
        ? { name: 'pause', from: date, resumesAt, anchorDay: null }
        : { name: 'cancel', when: { on: date } },
    );
    return done ? date : null;
  }

  /** A change with its charge: the outcome comes at once, or by `settle`. Returns whether it was not refused. */
  change(wanted: ItemChange, outcome: boolean | 'later'): boolean {
    const quoted = quoteChange(wanted, this.subscription, this.now);
    if ('refused' in quoted || this.open !== null) return false;
    const { amount, lines } = quoted.quote;
    if (amount === 0) {
      this.apply(quoted.change);
      return true;
    }
    this.quotes.push({ amount, lines });
    const { items, proration } = wanted;
    const period = this.subscription.terms.current_number;
    this.open = { items, proration, period, lines: quoted.own, amount_cents: amount, payment_intent_id: null };
    if (outcome !== 'later') this.settle(outcome);
    return true;
  }

  /** The outcome of the charge of a change. */
  settle(isPaid: boolean): void {
    const { open } = this;
    if (open === null) return;
    this.open = null;
    if (isPaid) this.paidForChanges += open.amount_cents;
    this.apply(isPaid ? changePaid(this.subscription, open).change : changeFailed());
  }

  /** An update of what the next period sells. */
  sell(change: Partial<SubscriptionTerms>): void {
    this.subscription = { ...this.subscription, terms: { ...this.subscription.terms, ...change } };
  }

  /** Fees that replace all that are not paid, as an update sets them. */
  fee(items: OneOffItem[]): void {
    if (this.subscription.terms.state === 'canceled') return;
    const { waiting, periods, entries } = replaceFees(this.subscription, items);
    const [first] = openPeriods(this.subscription);
    const changes = periods.map(({ period: { number }, change }) => ({ number, change }));
    this.apply({ terms: { one_off_items: waiting }, periods: changes, entries, events: [] });
    const own = changes.find(({ number }) => number === first?.number);
    if (own?.change.amount_cents === 0) this.apply(collected(this.subscription, own, this.now));
  }

  /** Pays credit out. */
  refund(part: number): void {
    const { credit_balance_cents: credit, current_number: number } = this.subscription.terms;
    const amount = Math.floor((credit * part) / 10);
    this.refunded += amount;
    this.apply({ entries: amountEntry('paid_out', number, 'Refund of credit', amount), events: [] });
  }

  /** What the customer owes for later periods, minus what it has in hand. */
  balance(): number {
    const { next_period_lines: lines, credit_balance_cents: credit } = this.subscription.terms;
    return sumOf(lines) - credit;
  }

  runUntil(target: CustomerInstant): void {
    for (;;) {
      const d = derive(this.subscription, this.now, this.inEffect);
      const due = (
        [
          [d.notice_at, () => this.apply(announceTrialEnd())],
          [d.grace_ends_at, () => this.apply({ events: [] })],
          [d.next_attempt_at, (at) => this.retry(at)],
          [d.lapses_at, (at) => this.lapse(at)],
          // After an end on the same day: then nothing is resumed.
          [d.resume_at, () => this.resumeOrEnd()],
          [d.next_period_at, () => this.apply(endPeriod(this.subscription, this.now, { hasMethod: true }))],
        ] as readonly [CustomerInstant | null, (at: CustomerInstant) => void][]
      )
        .flatMap(([at, run]) => (at === null || at > target ? [] : [{ at, run }]))
        .toSorted((a, b) => Number(a.at) - Number(b.at))[0];
      if (due === undefined) break;
      if (due.at > this.now) this.now = due.at;
      due.run(due.at);
    }
    this.now = target;
  }

  retry(dueAt: CustomerInstant): void {
    const period = firstRetry(this.subscription.periods);
    if (period === null) throw new Error('nothing is retried');
    this.apply(attemptOpened(period));
    this.charge(period.number, dueAt);
  }

  lapse(dueAt: CustomerInstant): void {
    const isDunning = this.subscription.terms.state === 'past_due';
    this.apply(isDunning ? giveUp(this.subscription, dueAt) : lapse(this.subscription, this.now));
  }

  resumeOrEnd(): void {
    const { terms, timeZone } = this.subscription;
    if (isOver(terms, dateIn(this.now, timeZone))) {
      this.apply(endPeriod(this.subscription, this.now, { hasMethod: true }));
    } else this.apply(resume(this.subscription, this.now));
  }

  /** The whole course in words, for comparison. */
  summary() {
    const periods = [...this.periods.values()].map(({ number, start_date, end_date, status, served_until }) => [
      number,
      start_date,
      end_date,
      status,
      served_until?.getTime() ?? null,
    ]);
    const { state, credit_balance_cents: credit, next_period_lines: waiting } = this.subscription.terms;
    return { periods, told: this.told, state, credit, waiting };
  }
}

export type Deed =
  | { do: 'ask'; request: SubscriptionRequest }
  /** Asks for an end or a pause with the current period, or so many later. */
  | { do: 'plan'; what: 'cancel' | 'pause'; periods: number; pausedDays: number | null }
  | { do: 'change'; wanted: ItemChange; outcome: boolean | 'later' }
  | { do: 'settle'; isPaid: boolean }
  | { do: 'refund'; part: number }
  /** The bank takes back the payment of the current period, or of one that is so many before it. */
  | { do: 'comeBack'; before: number }
  /** Fees for the next period, or discounts from the next period on, as an update sets them. */
  | { do: 'fee'; items: OneOffItem[] }
  | { do: 'discount'; discounts: Discount[] }
  | { do: 'pass'; days: number };

const item: fc.Arbitrary<SubscriptionItem> = fc.record({
  id: fc.constant('sbi_1' as const),
  name: fc.constantFrom('A', 'B'),
  unit_amount_cents: fc.integer({ min: 1, max: 9_999 }),
  quantity: fc.integer({ min: 1, max: 3 }),
});
export const changes: fc.Arbitrary<ItemChange> = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  when: fc.constantFrom('now' as const, 'now' as const, 'period_end' as const),
  proration: fc.constantFrom('days' as const, 'days' as const, 'none' as const),
  collect: fc.constantFrom('now' as const, 'next_period' as const),
});

const requests: fc.Arbitrary<SubscriptionRequest> = fc.oneof(
  fc.constant({ name: 'start' as const }),
  fc.record({
    name: fc.constant('pause' as const),
    from: fc.constant(null),
    resumesAt: fc.nat(60).map((days) => (days < 20 ? null : addDays('2027-01-31', 5 * days))),
    anchorDay: fc.constant(null),
  }),
  fc.record({
    name: fc.constant('resume' as const),
    unpaid: fc.constantFrom('collect' as const, 'collect' as const, 'waive' as const),
    isOwedApart: fc.boolean(),
  }),
  fc.constantFrom('period_end' as const, 'now' as const).map((when) => ({ name: 'cancel' as const, when })),
  fc.constant({ name: 'uncancel' as const }),
  fc.constant({ name: 'retry_now' as const }),
);
const fees: fc.Arbitrary<OneOffItem[]> = fc.array(
  fc.record({
    name: fc.constantFrom('Joining fee', 'Towel'),
    unit_amount_cents: fc.integer({ min: 1, max: 2_000 }),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 2 },
);
const someLeft = fc.option(fc.integer({ min: 1, max: 4 }), { nil: null });
export const discountLists: fc.Arbitrary<Discount[]> = fc.array(
  fc.oneof(
    fc.record({
      name: fc.constant('Percent'),
      percent_off: fc.integer({ min: 1, max: 100 }),
      amount_off_cents: fc.constant(null),
      periods_left: someLeft,
    }),
    fc.record({
      name: fc.constant('Amount'),
      percent_off: fc.constant(null),
      amount_off_cents: fc.integer({ min: 1, max: 12_000 }),
      periods_left: someLeft,
    }),
  ),
  { maxLength: 3 },
);
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: requests.map((request) => ({ do: 'ask' as const, request })) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('change' as const),
        wanted: changes,
        outcome: fc.constantFrom(true, true, false, 'later' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('plan' as const),
        what: fc.constantFrom('cancel' as const, 'pause' as const),
        periods: fc.nat(4),
        pausedDays: fc.option(fc.integer({ min: 1, max: 50 }), { nil: null }),
      }),
    },
    { weight: 1, arbitrary: fc.boolean().map((isPaid) => ({ do: 'settle' as const, isPaid })) },
    { weight: 1, arbitrary: fees.map((items) => ({ do: 'fee' as const, items })) },
    { weight: 1, arbitrary: discountLists.map((discounts) => ({ do: 'discount' as const, discounts })) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 10 }).map((part) => ({ do: 'refund' as const, part })) },
    { weight: 1, arbitrary: fc.nat(1).map((before) => ({ do: 'comeBack' as const, before })) },
    { weight: 3, arbitrary: fc.nat(45).map((days) => ({ do: 'pass' as const, days })) },
  ),
  { maxLength: 16 },
);
const terms = fc.record({
  frequency_type: fc.constantFrom('weekly' as const, 'monthly' as const),
  anchor_day: fc.constant(null),
  trial_days: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
  unpaid_behaviour: fc.constantFrom('pause' as const, 'cancel' as const),
  grace_days: fc.nat(9),
  one_off_items: fees,
  discounts: discountLists,
});
/** The terms of a subscription, what is asked of it, and the outcomes of its charges. */
export interface Lived {
  terms: Partial<SubscriptionTerms>;
  deeds: Deed[];
  outcomes: Outcome[];
}

export const courses: fc.Arbitrary<Lived> = fc.record({
  terms,
  deeds,
  outcomes: fc.array(fc.constantFrom(true, true, true, false, false, false, 'final' as const), { maxLength: 12 }),
});

export function live({ terms: own, deeds: all, outcomes }: Lived): Simulated {
  const subject = new Simulated(own, outcomes);
  subject.ask({ name: 'start' });
  for (const deed of all) {
    if (deed.do === 'ask') subject.ask(deed.request);
    else if (deed.do === 'plan') subject.plan(deed);
    else if (deed.do === 'change') subject.change(deed.wanted, deed.outcome);
    else if (deed.do === 'settle') subject.settle(deed.isPaid);
    else if (deed.do === 'refund') subject.refund(deed.part);
    else if (deed.do === 'comeBack') subject.comeBack(subject.subscription.terms.current_number - deed.before);
    else if (deed.do === 'fee') subject.fee(deed.items);
    else if (deed.do === 'discount') subject.sell({ next_discounts: deed.discounts });
    else subject.runUntil(addMs(subject.now, deed.days * dayMs));
  }
  return subject;
}
