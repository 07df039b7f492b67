// What a biller or a payer may ask of a subscription, and what it does then.

import { dateOf, day, daysBetween } from './calendar.ts';
import type { Ask, LaterEnd } from './subscription-asks.ts';
import { SubscriptionCourse, seriesDays } from './subscription-course.ts';
import {
  type Charge,
  discounted,
  halfUp,
  instantOf,
  never,
  type Period,
  PeriodCalendar,
} from './subscription-periods.ts';

const retryDays = [1, 3, 5];

/** The model of a subscription. `isClear` says whether the rules decide what a request does. */
export class Subscription extends SubscriptionCourse {
  /** What the latest change was to cost now, and with the next period; `next` is null where the rules do not say. */
  quoted: { amount: number; next: number | null } = { amount: 0, next: 0 };

  /** Does what was asked. Returns false, and nothing has changed, if it is refused. */
  request(asked: Ask): boolean {
    const did = this.#answer(asked);
    if (did) this.advance(this.now);
    return did;
  }

  /** Whether the rules say what a request does now. If not, it is not made. */
  isClear(asked: Ask): boolean {
    const { unpaid, state } = this;
    const isPaused = state === 'paused' && unpaid !== undefined;
    const fails = unpaid !== undefined && !this.outcomeOf(unpaid).isPaid;
    switch (asked.ask) {
      case 'card':
        if (this.terms.outcomes !== null || state === 'canceled') return false;
        return unpaid === undefined || (asked.card === 'good' && !this.isEndRequested);
      case 'retry':
        if (isPaused) return this.runsUnpaid && !fails;
        return unpaid === undefined || unpaid.givesUpAt === null;
      case 'resume':
        return !isPaused || !this.runsUnpaid || asked.unpaid === 'waive' || !fails;
      case 'heal': {
        if (unpaid === undefined || this.isEndRequested || state === 'canceled') return false;
        if (this.terms.outcomes !== null && fails) return false;
        return isPaused || asked.unpaid === 'collect';
      }
      case 'pause':
        return asked.from === undefined || !this.#isOdd;
      case 'cancel':
        return typeof asked.at !== 'object' || !this.#isOdd;
      case 'uncancel':
        return unpaid === undefined || !this.isEndRequested || this.terms.outcomes !== null || this.card !== 'expired';
      case 'change':
        return asked.when !== 'now' || asked.collect !== 'now' || this.terms.outcomes !== null || this.card === 'good';
      case 'fee':
        return this.#isFeeClear(asked.amount);
      case 'refund':
        return this.#givenBack(asked.amount).every(({ amount }) => amount % 100 !== 3);
      case 'payback': {
        const amount = Math.min(asked.amount, -this.account);
        return amount > 0 && amount % 100 !== 3 && this.creditFrom !== null && this.creditFrom !== 'unclear';
      }
      case 'discount':
        return true;
    }
  }

  /** The next period that is taken if time passes, or at a resume now; null if there is none. */
  coming(
    price = this.nextPrice,
    account = this.account,
  ): { number: number; start: string; end: string; amount: number } | null {
    const { unpaid, state } = this;
    if (state === 'canceled') return null;
    const isPaused = state === 'paused';
    if (isPaused && this.runsUnpaid && unpaid !== undefined) return unpaid;
    const back = this.backFrom(isPaused ? unpaid : undefined);
    const today = dateOf(this.now);
    const resumed = { number: Math.max(this.next.number, this.current.number + 1), start: this.resumesAt ?? today };
    const running = isPaused ? resumed : this.nextAfterToday();
    const isAfterPause = this.pausesAt !== null && running.start >= this.pausesAt;
    if (isAfterPause && (this.resumesAt === null || this.#isPauseReplaced)) return null;
    const { number, start } = isAfterPause ? { ...running, start: this.resumesAt ?? today } : running;
    if (this.endsAt !== null && start >= this.endsAt) return null;
    const { off, left } = this.discountAfter(back.isBack);
    const calendar = isPaused || isAfterPause ? new PeriodCalendar(this.terms, start) : this.calendar;
    const cut = this.cut(start, discounted(price, left > 0 ? off : null), calendar);
    const amount = cut.price + this.fee + back.fee + back.owed + account + back.took;
    return { number, start, end: cut.end, amount: Math.max(0, amount) };
  }

  /** Until when the service is there if it is not paid for; null if it is not there. */
  get inEffectUntil(): number | null {
    if (!this.inEffect) return null;
    const stops = [instantOf(this.endsAt), instantOf(this.pausesAt)];
    if (this.state !== 'past_due') return Math.min(Date.parse(this.current.end), ...stops);
    const first = this.unpaid?.firstFailedAt ?? 0;
    const series = this.isEndRequested ? never : Math.max(first + seriesDays * day, this.unpaid?.nextAt ?? 0);
    return Math.min(this.graceEndsAt, series, ...stops);
  }

  /** The end of a period that is so many after the current one, or a day beside it. */
  dateOfEnd({ later, off }: LaterEnd): string {
    let date = this.current.end;
    for (let count = 0; count < later; count += 1) date = this.calendar.after(date);
    return dateOf(Date.parse(date) + off * day);
  }

  /** Whether the rules say what credit and lines show. Those of a period that is over come back at a resume. */
  get isAccountClear(): boolean {
    if (this.state === 'canceled') return !this.isMixed;
    return this.state !== 'paused' || this.unpaid === undefined || this.runsUnpaid;
  }

  /** Whether the rules say what the schedule shows first: not what comes after a pause that was only planned. */
  get isComingClear(): boolean {
    return this.pausesAt === null || this.coming() !== null;
  }

  /** When the service of the unpaid period ended; null while it goes on, or if nothing was served. */
  get servedUntil(): number | null {
    const { unpaid } = this;
    if (unpaid === undefined || this.inEffect || unpaid !== this.current) return null;
    return this.owedFor(unpaid).served > 0 ? (this.spans.at(-1)?.to ?? null) : null;
  }

  #isFeeClear(amount: number): boolean {
    const { unpaid } = this;
    if (this.pausesAt !== null && this.endsAt !== null) return false;
    if (unpaid === undefined || this.state === 'canceled') return true;
    if (unpaid.fee === 0 || this.fee > 0 || this.isEndRequested) return false;
    const taken = this.#isLapsed(unpaid) ? 0 : amount;
    return unpaid.price + unpaid.owed + unpaid.took + taken > 0 && (this.endsAt === null || this.endsAt > unpaid.end);
  }

  /** An end is not a boundary of the calendar, since it has not moved at a resume. */
  get #isOdd(): boolean {
    return [this.endsAt, this.current.end].some((date) => date !== null && !this.calendar.isBoundary(date));
  }

  #answer(asked: Ask): boolean {
    if (asked.ask === 'refund') return this.#refund(asked.amount);
    if (asked.ask === 'payback') return this.#payBack(asked.amount);
    if (this.state === 'canceled') return false;
    switch (asked.ask) {
      case 'fee':
        return this.#setFee(asked.amount);
      case 'discount':
        this.nextDiscount = { off: asked.off, left: asked.off === null ? 0 : (asked.off.periods ?? never) };
        return true;
      case 'card':
        this.card = asked.card;
        if (this.state === 'past_due') this.#chargeNow();
        return true;
      case 'heal':
        this.card = 'good';
        if (this.state === 'past_due') this.#chargeNow();
        else this.#resume(asked.unpaid);
        return true;
      case 'pause':
        return this.#pause(
          asked.from === undefined ? this.current.end : this.dateOfEnd(asked.from),
          asked.resumesIn === null ? null : dateOf(this.now + asked.resumesIn * day),
        );
      case 'resume':
        if (this.state === 'past_due') return false;
        if (this.state === 'paused') this.#resume(asked.unpaid);
        else if (this.pausesAt === null || this.#isPauseReplaced) return false;
        else {
          this.pausesAt = null;
          this.resumesAt = null;
          this.settle('pause_removed');
        }
        return true;
      case 'cancel':
        return this.#cancel(asked.at);
      case 'change':
        return this.#change(asked);
      case 'uncancel':
        return this.#uncancel();
      case 'retry':
        if (this.unpaid === undefined || this.isEndRequested) return false;
        if (this.state !== 'past_due' && this.state !== 'paused') return false;
        this.#chargeNow();
        return true;
    }
  }

  #chargeNow(): void {
    Object.assign(this.unpaid as Period, { status: 'retrying', nextAt: this.now });
    this.settle();
  }

  #resume(unpaid: 'collect' | 'waive'): void {
    this.waived = 0;
    if (unpaid === 'collect' && this.runsUnpaid) this.#chargeNow();
    else this.begins(unpaid);
  }

  #setFee(amount: number): boolean {
    const { unpaid } = this;
    if (unpaid === undefined) {
      const isLast = this.state !== 'paused' && this.endsAt !== null && this.endsAt <= this.current.end;
      if (isLast && amount > 0) return false;
      this.fee = amount;
      return true;
    }
    const taken = this.#isLapsed(unpaid) ? 0 : amount;
    this.fee = amount - taken;
    Object.assign(unpaid, { fee: taken, amount: unpaid.amount - unpaid.fee + taken, isCorrected: true });
    return true;
  }

  /** Whether an unpaid period is over while the subscription is paused for it: its payment cannot be made any more. */
  #isLapsed({ end }: Period): boolean {
    return this.state === 'paused' && this.reason === 'payment_failed' && end <= dateOf(this.now);
  }

  #change({ price, when, collect }: Extract<Ask, { ask: 'change' }>): boolean {
    const { end, isTrial } = this.current;
    if (this.state === 'past_due' || (this.state === 'paused' && when === 'now')) return false;
    if (when === 'period_end') {
      if (this.state !== 'paused' && this.endsAt !== null && this.endsAt <= end) return false;
      const isSame = price === this.price;
      const happenings = isSame ? (this.pendingPrice === null ? [] : ['change_removed']) : ['change_scheduled'];
      this.pendingPrice = isSame ? null : price;
      this.quoted = { amount: 0, next: this.#quoteNext(price, this.account) };
      this.settle(...happenings);
      return true;
    }
    const cost = isTrial ? 0 : this.#share(price) - this.#share(this.price);
    const account = this.account + cost;
    const amount = collect === 'now' ? Math.max(0, account) : 0;
    const next = this.#quoteNext(price, account - amount);
    if (account > amount && account > 0 && next === 0) return false;
    this.#sourceOfCredit(account, amount);
    if (cost > 0 && this.account < 0) this.isMixed = true;
    if (amount > 0) this.charges.push({ amount, isPaid: true });
    this.quoted = { amount, next };
    this.account = account - amount;
    this.price = price;
    this.pendingPrice = null;
    this.settle('changed');
    return true;
  }

  /** All credit comes from the payment of the period, if nothing else paid for it. */
  #sourceOfCredit(account: number, amount: number): void {
    const { charge, took } = this.current;
    const isAlone = amount === 0 && charge !== null && took >= 0 && this.charges.at(-1) === charge;
    if (account >= 0) this.creditFrom = amount > 0 ? 'unclear' : null;
    else if (!isAlone || (this.creditFrom !== null && this.creditFrom !== charge)) this.creditFrom = 'unclear';
    else this.creditFrom = charge;
  }

  #quoteNext(price: number, account: number): number | null {
    if (this.state === 'paused' && this.runsUnpaid) return null;
    return this.coming(price, account)?.amount ?? 0;
  }

  /** The share of a price for the days that are left, this one included: rounded half up. */
  #share(price: number): number {
    const { end, whole, off } = this.current;
    const left = daysBetween(dateOf(this.now), end);
    const shareOf = (amount: number) => halfUp((amount * left) / whole);
    return Math.min(shareOf(price), shareOf(discounted(price, off)));
  }

  /** What the customer has in hand. */
  get credit(): number {
    return Math.max(0, -this.account);
  }

  /** What the payment that was made last still holds. */
  get refundable(): number {
    return this.charges.findLast(({ isPaid }) => isPaid)?.amount ?? 0;
  }

  /** The payments that give credit back, the newest first, and how much of it, if so much is refunded. */
  #givenBack(most = never): { charge: Charge; amount: number }[] {
    let left = Math.min(most, this.credit);
    return this.charges.toReversed().flatMap((charge) => {
      const amount = charge.isPaid ? Math.min(left, charge.amount) : 0;
      left -= amount;
      return amount > 0 ? [{ charge, amount }] : [];
    });
  }

  #refund(most?: number): boolean {
    if (this.account >= 0) return false;
    for (const { charge, amount } of this.#givenBack(most)) {
      charge.amount -= amount;
      this.account += amount;
    }
    if (this.account === 0) this.creditFrom = null;
    return true;
  }

  #payBack(most: number): boolean {
    if (this.creditFrom === null || this.creditFrom === 'unclear') return false;
    const amount = Math.min(most, -this.account);
    this.creditFrom.amount -= amount;
    this.account += amount;
    return true;
  }

  /** Whether a period ends on this day that is still to come. */
  #isEnd(date: string): boolean {
    if (date <= dateOf(this.now)) return false;
    return date <= this.current.end ? date === this.current.end : this.calendar.isBoundary(date);
  }

  /** A pause that begins when the subscription has ended does not begin. */
  get #isPauseReplaced(): boolean {
    return this.endsAt !== null && this.pausesAt !== null && this.endsAt <= this.pausesAt;
  }

  #pause(at: string, resumesAt: string | null): boolean {
    if (this.state !== 'active' && this.state !== 'trialing') return false;
    if (!this.#isEnd(at)) return false;
    if (this.endsAt !== null && this.endsAt <= at) return false;
    if (resumesAt !== null && resumesAt <= at) return false;
    this.pausesAt = at;
    this.resumesAt = resumesAt;
    this.settle('pause_scheduled');
    return true;
  }

  #cancel(when: 'period_end' | 'now' | LaterEnd): boolean {
    const { end } = this.current;
    if (typeof when === 'object') return this.#cancelLater(this.dateOfEnd(when));
    if (when === 'now' || this.state === 'paused' || end <= dateOf(this.now)) this.stop('canceled', 'requested');
    else this.#endWithPeriod();
    return true;
  }

  #endWithPeriod(): void {
    this.endsAt = this.current.end;
    this.isEndRequested = true;
    this.endRetries();
    this.settle('cancel_scheduled');
  }

  #cancelLater(date: string): boolean {
    if (this.state === 'paused' || !this.#isEnd(date)) return false;
    if (date === this.current.end) this.#endWithPeriod();
    else {
      this.endsAt = date;
      this.isEndRequested = false;
      this.#retryAgain();
      this.settle('cancel_scheduled');
    }
    return true;
  }

  #uncancel(): boolean {
    if (this.endsAt === null) return false;
    this.#retryAgain();
    this.endsAt = null;
    this.isEndRequested = false;
    this.settle('cancel_removed');
    return true;
  }

  /** The retries that a cancellation has ended. */
  #retryAgain(): void {
    const { unpaid } = this;
    if (this.state !== 'past_due' || unpaid?.status !== 'unpaid' || unpaid.givesUpAt !== null) return;
    const days = retryDays[Math.max(1, unpaid.failures) - 1];
    const at = days === undefined ? this.now : (unpaid.firstFailedAt ?? 0) + days * day;
    Object.assign(unpaid, { status: 'retrying', nextAt: Math.max(at, this.now) });
  }
}
