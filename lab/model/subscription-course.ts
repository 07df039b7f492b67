// The rules of a subscription, written a second time: nothing here is shared with the service, so an agreement of the
// two means something. All instants are epoch ms; the biller's zone is UTC.

import { dateOf, day, daysBetween } from './calendar.ts';
import type { Card, Off, SubscriptionTerms } from './subscription-asks.ts';
import {
  type Charge,
  discounted,
  halfUp,
  instantOf,
  never,
  owedFor,
  type Period,
  PeriodCalendar,
  type Span,
} from './subscription-periods.ts';

const retryDays = [1, 3, 5];
/** Days from the first failure to the end of a series of retries. */
export const seriesDays = 5;

interface Discount {
  off: Off | null;
  /** For how many more periods. */
  left: number;
}

/**
 * A subscription that was started at `now` with this price of a whole period (minor units), and whose first payment
 * succeeds. `advance` lets time pass.
 */
export class SubscriptionCourse {
  readonly terms: SubscriptionTerms;
  protected now: number;
  protected calendar: PeriodCalendar;
  protected next: { number: number; start: string };
  readonly all: Period[] = [];
  /** It ends with the current period, so nothing is retried. */
  protected isEndRequested = false;
  endsAt: string | null = null;
  pausesAt: string | null = null;
  protected resumesAt: string | null = null;
  #isAnnounced = false;
  protected pendingPrice: number | null = null;
  protected readonly charges: Charge[] = [];
  protected fee = 0;
  /** What earlier periods owe, for the next one. */
  #owed = 0;
  protected discount: Discount = { off: null, left: 0 };
  protected nextDiscount: Discount | null = null;
  readonly spans: Span[] = [];
  /** The payment from which all of the credit came; null if there is none, or it is not clear. */
  protected creditFrom: Charge | 'unclear' | null = null;
  /** Lines have been left to pay while there was credit. */
  protected isMixed = false;
  card: Card = 'good';
  /** The price of a whole period, minor units. */
  price: number;
  /** What the next period takes besides its price. Negative: credit. */
  account = 0;
  state = 'active';
  reason: string | null = null;
  inEffect = false;
  /** What the latest resume has let go. */
  waived = 0;
  /** Such as `2027-03-02 renewed`. */
  readonly told: string[] = [];

  constructor(terms: SubscriptionTerms, now: number, price: number) {
    this.terms = terms;
    this.price = price;
    this.now = now;
    const today = dateOf(now);
    const end = dateOf(Date.parse(today) + terms.trialDays * day);
    const hasTrial = terms.trialDays > 0;
    this.calendar = new PeriodCalendar(terms, end);
    this.next = { number: hasTrial ? 2 : 1, start: end };
    if (hasTrial) {
      this.state = 'trialing';
      const whole = terms.trialDays;
      this.all.push({ ...none, number: 1, start: today, end, whole, isTrial: true, status: 'paid' });
      this.settle('started');
    } else this.#begin(['started']);
    this.advance(now);
  }

  get paid(): number {
    return this.all.filter(({ isTrial, status }) => !isTrial && status === 'paid').length;
  }

  /** The price of the next period. */
  get nextPrice(): number {
    return this.pendingPrice ?? this.price;
  }

  /** Lets time pass, and does what is due on the way. */
  advance(to: number): void {
    for (;;) {
      const due = this.#due();
      const first = due.reduce((a, b) => (b.at < a.at ? b : a));
      if (first.at > to) break;
      this.now = Math.max(first.at, this.now);
      first.run();
    }
    this.now = to;
  }

  get current(): Period {
    return this.all.at(-1) as Period;
  }

  get unpaid(): Period | undefined {
    return this.all.find(({ status }) => status === 'retrying' || status === 'unpaid');
  }

  get graceEndsAt(): number {
    const first = this.state === 'past_due' ? this.unpaid?.firstFailedAt : null;
    return first == null ? -never : first + (this.paid > 0 ? this.terms.graceDays : 0) * day;
  }

  /** What comes next, in the order in which it is done at one instant. */
  #due(): { at: number; run: () => void }[] {
    const isTrial = this.state === 'trialing';
    const grace = this.graceEndsAt;
    const givesUpAt = this.state === 'past_due' ? this.unpaid?.givesUpAt : null;
    return [
      {
        at: isTrial && !this.#isAnnounced ? Date.parse(this.current.end) - 3 * day : never,
        run: () => {
          this.#isAnnounced = true;
          this.settle('trial_ending');
        },
      },
      { at: this.inEffect && grace > -never ? grace : never, run: () => this.settle() },
      { at: this.unpaid?.nextAt ?? never, run: () => this.attempt(this.unpaid as Period) },
      { at: givesUpAt ?? never, run: () => this.#giveUp() },
      { at: this.#boundaryAt(), run: () => this.#passBoundary() },
      // After an end on the same day: then nothing is resumed.
      { at: this.state === 'paused' ? instantOf(this.resumesAt) : never, run: () => this.begins('collect') },
    ];
  }

  #boundaryAt(): number {
    if (this.state === 'canceled') return never;
    const endsAt = instantOf(this.endsAt);
    if (this.state === 'paused') return endsAt;
    const stopsAt = Math.min(endsAt, instantOf(this.pausesAt));
    return this.unpaid === undefined ? Math.min(stopsAt, Date.parse(this.next.start)) : stopsAt;
  }

  #passBoundary(): void {
    const today = dateOf(this.now);
    if (this.endsAt !== null && this.endsAt <= today) this.stop('canceled', 'ended');
    else if (this.pausesAt !== null && this.pausesAt <= today) this.stop('paused', 'requested');
    else this.#begin(this.pendingPrice === null ? ['renewed'] : ['renewed', 'changed']);
  }

  /** Where a period that begins on a date ends, and what it costs of the price of a whole one. */
  protected cut(start: string, price: number, calendar = this.calendar) {
    const { before, after } = calendar.around(start);
    const end = this.endsAt !== null && this.endsAt > start && this.endsAt < after ? this.endsAt : after;
    const whole = daysBetween(before, after);
    return { end, whole, price: halfUp((price * daysBetween(start, end)) / whole) };
  }

  #begin(happenings: string[]): void {
    const { number, start } = this.next;
    const ordinal = this.all.filter(({ isTrial }) => !isTrial).length;
    const { outcomes } = this.terms;
    this.price = this.nextPrice;
    this.pendingPrice = null;
    const { off, left } = this.nextDiscount ?? this.discount;
    this.discount = { off, left: Math.max(0, left - 1) };
    this.nextDiscount = null;
    const cut = this.cut(start, discounted(this.price, left > 0 ? off : null));
    const due = cut.price + this.fee + this.#owed + this.account;
    const rest = Math.min(0, due);
    const period: Period = {
      ...none,
      ...cut,
      ...{ number, start, fee: this.fee, owed: this.#owed, took: this.account - rest, amount: Math.max(0, due) },
      ...{ isTrial: false, status: 'paid', off: left > 0 ? off : null },
      outcomes: outcomes === null ? null : (outcomes[Math.min(ordinal, outcomes.length - 1)] ?? []),
    };
    this.account = rest;
    if (rest === 0) this.creditFrom = null;
    this.fee = 0;
    this.#owed = 0;
    period.isCharging = period.amount > 0;
    this.all.push(period);
    this.next = { number: number + 1, start: period.end };
    this.state = 'active';
    this.reason = null;
    if (!period.isCharging) {
      this.settle(...happenings, 'period_paid');
      return;
    }
    this.settle(...happenings);
    period.charge = { amount: period.amount, isPaid: false };
    this.charges.push(period.charge);
    this.attempt(period);
  }

  /** Whether the next attempt of a period would succeed, and whether a failure would be for good. */
  protected outcomeOf({ outcomes, attempts }: Pick<Period, 'outcomes' | 'attempts'>) {
    if (outcomes === null) return { isPaid: this.card === 'good', isFinal: this.card === 'expired' };
    return { isPaid: outcomes[Math.min(attempts, outcomes.length - 1)] ?? true, isFinal: false };
  }

  protected attempt(period: Period): void {
    const { isPaid, isFinal } = this.outcomeOf(period);
    const wasCollecting = this.state === 'active' || this.state === 'past_due';
    const couldRecover = this.state === 'past_due' || (this.state === 'paused' && this.reason === 'payment_failed');
    period.attempts += 1;
    period.nextAt = null;
    period.isCharging = false;
    if (isPaid) {
      Object.assign(period, { status: 'paid', givesUpAt: null });
      if (period.charge !== null) Object.assign(period.charge, { isPaid: true, amount: period.amount });
      if (!couldRecover) {
        this.settle('period_paid');
        return;
      }
      this.state = 'active';
      this.reason = null;
      if (this.pausesAt === null) this.resumesAt = null;
      this.next = this.nextAfterToday();
      this.settle('recovered', 'period_paid');
      return;
    }
    period.status = 'unpaid';
    period.failures += 1;
    period.firstFailedAt ??= this.now;
    if (!wasCollecting) return;
    const wasActive = this.state === 'active';
    const days = retryDays[period.failures - 1];
    const isGivenUp = this.terms.behaviour === 'stop' || days === undefined;
    if (isGivenUp && !this.isEndRequested) {
      this.#giveUp();
      return;
    }
    this.state = 'past_due';
    if (!this.isEndRequested && isFinal) period.givesUpAt = period.firstFailedAt + seriesDays * day;
    else if (!this.isEndRequested) {
      period.status = 'retrying';
      period.nextAt = period.firstFailedAt + (days ?? 0) * day;
    }
    this.settle(...(wasActive ? ['past_due'] : []));
  }

  /** The next period once what is unpaid is paid: those that have fully passed are never billed. */
  protected nextAfterToday(): { number: number; start: string } {
    let { number, start } = this.next;
    while (this.cut(start, 0).end <= dateOf(this.now)) {
      start = this.cut(start, 0).end;
      number += 1;
    }
    return { number, start };
  }

  #giveUp(): void {
    this.stop(this.terms.unpaid === 'pause' ? 'paused' : 'canceled', 'payment_failed');
  }

  protected stop(state: 'paused' | 'canceled', reason: string): void {
    this.state = state;
    this.reason = reason;
    this.pausesAt = null;
    // Only a pause that was asked for ends on its own.
    if (state === 'canceled' || reason !== 'requested') this.resumesAt = null;
    this.endRetries();
    this.settle(state);
    if (state === 'canceled') this.#drop();
  }

  /** After an end nothing is taken; credit that an unpaid period has used comes back, unless that was served. */
  #drop(): void {
    const { unpaid } = this;
    const isBack = unpaid !== undefined && !this.owedFor(unpaid).isWhole;
    if (isBack && unpaid.took < 0) this.creditFrom = 'unclear';
    this.account = Math.min(0, this.account) + (isBack ? Math.min(0, unpaid.took) : 0);
    this.fee = 0;
  }

  protected owedFor(period: Period) {
    return owedFor(period, this.spans, this.now);
  }

  protected endRetries(): void {
    if (this.unpaid !== undefined) Object.assign(this.unpaid, { status: 'unpaid', nextAt: null, givesUpAt: null });
  }

  /** What a resume that begins a new period would take, besides its items and what waits: without changing anything. */
  protected backFrom(period: Period | undefined) {
    if (period === undefined) return { fee: 0, took: 0, owed: 0, isBack: false };
    const { isWhole, amount: owed } = this.owedFor(period);
    return isWhole
      ? { fee: 0, took: 0, owed, isBack: false }
      : { fee: period.fee, took: period.took, owed, isBack: true };
  }

  /** The discount of the next period, once an unpaid one has given its month back. */
  protected discountAfter(isBack: boolean): Discount {
    if (this.nextDiscount !== null) return this.nextDiscount;
    const { off, left } = this.discount;
    return { off, left: left + (isBack && this.unpaid?.off != null ? 1 : 0) };
  }

  /** Begins a new period today; what was unpaid is void. */
  protected begins(unpaid: 'collect' | 'waive'): void {
    const today = dateOf(this.now);
    const period = this.unpaid;
    this.waived = 0;
    if (period !== undefined) {
      const back = this.backFrom(period);
      const discount = this.discountAfter(back.isBack);
      if (this.nextDiscount === null) this.discount = discount;
      Object.assign(period, { status: 'void', nextAt: null, givesUpAt: null });
      if (back.took < 0) this.creditFrom = 'unclear';
      this.account += back.took;
      this.fee += back.fee;
      if (unpaid === 'collect') this.#owed += back.owed;
      else this.waived = back.owed;
    }
    this.next = { number: Math.max(this.next.number, this.current.number + 1), start: today };
    this.calendar = new PeriodCalendar(this.terms, today);
    this.state = 'active';
    this.reason = null;
    this.pausesAt = null;
    this.resumesAt = null;
    this.settle('resumed');
  }

  /** Whether an unpaid period of a paused subscription is paid by a resume: it still runs, and was served. */
  get runsUnpaid(): boolean {
    const { unpaid } = this;
    return unpaid !== undefined && dateOf(this.now) < unpaid.end && this.owedFor(unpaid).served > 0;
  }

  /** What collecting would take for the past. */
  get owed(): number {
    const { unpaid } = this;
    if (unpaid === undefined || this.state === 'canceled') return 0;
    return this.state === 'past_due' || this.runsUnpaid ? unpaid.amount : this.owedFor(unpaid).amount;
  }

  /** Whether this instant is paid for. */
  get #isBought(): boolean {
    const last = this.all.at(-1);
    return last?.status === 'paid' && !last.isCharging && this.now < Date.parse(last.end);
  }

  /** What has happened, and whether the customer may use the service after it. */
  protected settle(...happenings: string[]): void {
    const before = this.inEffect;
    // The service goes on while it is renewed, and begins only once it is paid.
    const isActive = this.state === 'active' && (before || this.#isBought);
    // Grace does not outlast a planned end or pause.
    const graceEndsAt = Math.min(this.graceEndsAt, instantOf(this.endsAt), instantOf(this.pausesAt));
    this.inEffect = isActive || this.state === 'trialing' || this.now < graceEndsAt;
    const changed = before === this.inEffect ? [] : ['in_effect_changed'];
    if (changed.length > 0 && this.inEffect) this.spans.push({ from: this.now, to: null });
    else if (changed.length > 0) (this.spans.at(-1) as Span).to = this.now;
    for (const what of [...happenings, ...changed]) this.told.push(`${dateOf(this.now)} ${what}`);
  }
}

const none = {
  ...{ price: 0, fee: 0, owed: 0, took: 0, amount: 0, charge: null, isCharging: false, attempts: 0, outcomes: null },
  ...{ failures: 0, firstFailedAt: null, nextAt: null, givesUpAt: null, isCorrected: false, off: null },
};
