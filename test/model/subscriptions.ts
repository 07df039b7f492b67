// The rules of a subscription, written a second time: with a calendar of its own, and without a database, a workflow or
// the service's code. All instants are epoch ms; the biller's zone is UTC.
import { dueDate } from '../../demo/rules.ts';

export interface SubscriptionTerms {
  every: 'week' | 'month';
  /** Weeks or months in a period. */
  period: number;
  trialDays: number;
  behaviour: 'retry' | 'stop';
  unpaid: 'pause' | 'cancel';
  graceDays: number;
  /** Whether each attempt of each paid period succeeds; the last of a list repeats, and so does the last list. */
  outcomes: boolean[][];
}

/**
 * What a biller asks. `resumesIn`: days after the day of the request. `later`: so many periods after the current one;
 * `off` days beside the end of that.
 */
export type Ask =
  | { ask: 'pause'; resumesIn: number | null; from?: LaterEnd }
  | { ask: 'resume' | 'uncancel' | 'retry' }
  | { ask: 'cancel'; at: 'period_end' | 'now' | LaterEnd }
  | { ask: 'change'; price: number; when: 'period_end' | 'now'; collect: 'next_period' | 'now' }
  | { ask: 'refund' }
  /** A fee for the next period; 0 withdraws it. */
  | { ask: 'fee'; amount: number }
  /** A discount from the next period on; null ends it. */
  | { ask: 'discount'; off: Off | null };

/** So many per cent, or an amount, for so many periods. */
export interface Off {
  percent?: number;
  amount?: number;
  periods: number | null;
}

export interface LaterEnd {
  later: number;
  off: number;
}

/** A payment, in the order in which they were opened. */
interface Charge {
  amount: number;
  isPaid: boolean;
}

interface Period {
  number: number;
  start: string;
  end: string;
  isTrial: boolean;
  /** What its items and fees cost, and what it takes after earlier changes and credit. Minor units. */
  price: number;
  fee: number;
  amount: number;
  charge: Charge | null;
  /** Its first payment is under way. */
  isCharging: boolean;
  status: 'paid' | 'retrying' | 'unpaid' | 'void';
  attempts: number;
  outcomes: boolean[];
  failures: number;
  firstFailedAt: number | null;
  nextAt: number | null;
}

const day = 86_400_000;
const retryDays = [1, 3, 5];
const never = Number.POSITIVE_INFINITY;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const instantOf = (date: string | null) => (date === null ? never : Date.parse(date));

/** What a period costs at first, minor units. */
const firstPrice = 4900;

/** A subscription that was started at `now`, and whose first payment succeeds. `advance` lets time pass. */
export class Subscription {
  readonly #terms: SubscriptionTerms;
  #now: number;
  #anchor: { date: string; number: number };
  #next = 2;
  readonly #periods: Period[] = [];
  /** It ends with the current period, so nothing is retried. */
  #isEndRequested = false;
  #endsAt: string | null = null;
  #pausesAt: string | null = null;
  #resumesAt: string | null = null;
  #isAnnounced = false;
  #nextPrice: number | null = null;
  readonly #charges: Charge[] = [];
  #fee = 0;
  /** The discount of the current period, and how many it is for after that. */
  #off: { off: Off | null; left: number } = { off: null, left: 0 };
  #nextOff: { off: Off | null; left: number } | null = null;
  /** The price of a whole period, minor units. */
  price = firstPrice;
  /** What the next period takes besides its price. Negative: credit. */
  account = 0;
  /** What the latest change was to cost now, and with the next period. */
  quoted = { amount: 0, next: 0 };
  state = 'active';
  reason: string | null = null;
  inEffect = false;
  /** Such as `2027-03-02 renewed`. */
  readonly told: string[] = [];

  constructor(terms: SubscriptionTerms, now: number) {
    this.#terms = terms;
    this.#now = now;
    const today = dateOf(now);
    const end = dateOf(Date.parse(today) + terms.trialDays * day);
    const hasTrial = terms.trialDays > 0;
    this.#anchor = { date: end, number: hasTrial ? 2 : 1 };
    if (hasTrial) {
      this.state = 'trialing';
      this.#periods.push({ ...none, number: 1, start: today, end, isTrial: true, status: 'paid' });
      this.#settle('started');
    } else this.#begin(1, ['started']);
    this.advance(now);
  }

  get paid(): number {
    return this.#periods.filter(({ isTrial, status }) => !isTrial && status === 'paid').length;
  }

  /** The price of the next period. */
  get nextPrice(): number {
    return this.#nextPrice ?? this.price;
  }

  /** Such as `2 2027-02-10 2027-03-10 paid 4900 2`, with the number of attempts. */
  get periods(): string[] {
    return this.#periods.map(({ number, start, end, status, amount, attempts }) =>
      [number, start, end, status, amount, attempts].join(' '),
    );
  }

  /** Lets time pass, and does what is due on the way. */
  advance(to: number): void {
    for (;;) {
      const due = this.#due();
      const first = due.reduce((a, b) => (b.at < a.at ? b : a));
      if (first.at > to) break;
      this.#now = Math.max(first.at, this.#now);
      first.run();
    }
    this.#now = to;
  }

  /** Does what was asked. Returns false, and nothing has changed, if it is refused. */
  request(asked: Ask): boolean {
    const did = this.#answer(asked);
    if (did) this.advance(this.#now);
    return did;
  }

  get #current(): Period {
    return this.#periods.at(-1) as Period;
  }

  get #owed(): Period | undefined {
    return this.#periods.find(({ status }) => status === 'retrying' || status === 'unpaid');
  }

  get #graceEndsAt(): number {
    const first = this.state === 'past_due' ? this.#owed?.firstFailedAt : null;
    return first == null ? -never : first + (this.paid > 0 ? this.#terms.graceDays : 0) * day;
  }

  /** What comes next, in the order in which it is done at one instant. */
  #due(): { at: number; run: () => void }[] {
    const isTrial = this.state === 'trialing';
    const grace = this.#graceEndsAt;
    return [
      {
        at: isTrial && !this.#isAnnounced ? Date.parse(this.#current.end) - 3 * day : never,
        run: () => {
          this.#isAnnounced = true;
          this.#settle('trial_ending');
        },
      },
      { at: this.inEffect && grace > -never ? grace : never, run: () => this.#settle() },
      { at: this.#owed?.nextAt ?? never, run: () => this.#charge(this.#owed as Period) },
      { at: this.#boundaryAt(), run: () => this.#passBoundary() },
      // After an end on the same day: then nothing is resumed.
      { at: this.state === 'paused' ? instantOf(this.#resumesAt) : never, run: () => this.#resume() },
    ];
  }

  #boundaryAt(): number {
    if (this.state === 'canceled') return never;
    const endsAt = instantOf(this.#endsAt);
    if (this.state === 'paused') return endsAt;
    const stopsAt = Math.min(endsAt, instantOf(this.#pausesAt));
    if (this.#owed !== undefined) return stopsAt;
    const next = this.state === 'trialing' ? this.#current.end : this.#startOf(this.#next);
    return Math.min(stopsAt, Date.parse(next));
  }

  #passBoundary(): void {
    const today = dateOf(this.#now);
    if (this.#endsAt !== null && this.#endsAt <= today) this.#stop('canceled', 'ended');
    else if (this.#pausesAt !== null && this.#pausesAt <= today) this.#stop('paused', 'requested');
    else this.#begin(this.#next, this.#nextPrice === null ? ['renewed'] : ['renewed', 'changed']);
  }

  #startOf(number: number): string {
    const { date, number: first } = this.#anchor;
    return dueDate({ ...this.#terms, start: date, amount: 0, total: null }, number - first);
  }

  #begin(number: number, happenings: string[]): void {
    const ordinal = this.#periods.filter(({ isTrial }) => !isTrial).length;
    const { outcomes } = this.#terms;
    this.price = this.#nextPrice ?? this.price;
    this.#nextPrice = null;
    const { off, left } = this.#nextOff ?? this.#off;
    this.#off = left > 0 ? { off, left: left - 1 } : { off: null, left: 0 };
    this.#nextOff = null;
    const price = discounted(this.price, this.#off.off) + this.#fee;
    const due = price + this.account;
    this.account = Math.min(0, due);
    const period: Period = {
      ...none,
      ...{ price, fee: this.#fee, amount: Math.max(0, due) },
      ...{ number, start: this.#startOf(number), end: this.#startOf(number + 1) },
      ...{ isTrial: false, status: 'paid', outcomes: outcomes[Math.min(ordinal, outcomes.length - 1)] ?? [] },
    };
    this.#fee = 0;
    period.isCharging = period.amount > 0;
    this.#periods.push(period);
    this.#next = number + 1;
    this.state = 'active';
    this.reason = null;
    this.#settle(...happenings);
    if (!period.isCharging) return;
    period.charge = { amount: period.amount, isPaid: false };
    this.#charges.push(period.charge);
    this.#charge(period);
  }

  #charge(period: Period): void {
    const { outcomes, attempts } = period;
    const isPaid = outcomes[Math.min(attempts, outcomes.length - 1)] ?? true;
    const wasCollecting = this.state === 'active' || this.state === 'past_due';
    const couldRecover = this.state === 'past_due' || (this.state === 'paused' && this.reason === 'payment_failed');
    period.attempts += 1;
    period.nextAt = null;
    period.isCharging = false;
    if (isPaid) {
      period.status = 'paid';
      if (period.charge !== null) period.charge.isPaid = true;
      if (!couldRecover) {
        this.#settle();
        return;
      }
      this.state = 'active';
      this.reason = null;
      if (this.#pausesAt === null) this.#resumesAt = null;
      while (this.#startOf(this.#next + 1) <= dateOf(this.#now)) this.#next += 1;
      this.#settle('recovered');
      return;
    }
    period.status = 'unpaid';
    period.failures += 1;
    period.firstFailedAt ??= this.#now;
    if (!wasCollecting) return;
    const wasActive = this.state === 'active';
    const days = retryDays[period.failures - 1];
    const isGivenUp = this.#terms.behaviour === 'stop' || days === undefined;
    if (isGivenUp && !this.#isEndRequested) {
      this.#stop(this.#terms.unpaid === 'pause' ? 'paused' : 'canceled', 'payment_failed');
      return;
    }
    this.state = 'past_due';
    if (!this.#isEndRequested) {
      period.status = 'retrying';
      period.nextAt = period.firstFailedAt + (days ?? 0) * day;
    }
    this.#settle(...(wasActive ? ['past_due'] : []));
  }

  #stop(state: 'paused' | 'canceled', reason: string): void {
    this.state = state;
    this.reason = reason;
    this.#pausesAt = null;
    if (state === 'canceled') this.#resumesAt = null;
    this.#endRetries();
    this.#settle(state);
  }

  #endRetries(): void {
    const owed = this.#owed;
    if (owed !== undefined) Object.assign(owed, { status: 'unpaid', nextAt: null });
  }

  #resume(): void {
    const today = dateOf(this.#now);
    const owed = this.#owed;
    if (owed !== undefined) {
      Object.assign(owed, { status: 'void', nextAt: null });
      this.account += owed.amount - owed.price;
      this.#fee += owed.fee;
    }
    this.#next = Math.max(this.#next, this.#current.number + 1);
    this.#anchor = { date: today, number: this.#next };
    if (this.#endsAt !== null) {
      let last = this.#next;
      while (this.#startOf(last + 1) < this.#endsAt) last += 1;
      this.#endsAt = this.#startOf(last + 1);
    }
    this.state = 'active';
    this.reason = null;
    this.#pausesAt = null;
    this.#resumesAt = null;
    this.#settle('resumed');
  }

  #answer(asked: Ask): boolean {
    if (asked.ask === 'refund') return this.#refund();
    if (this.state === 'canceled') return false;
    switch (asked.ask) {
      case 'fee':
        this.#fee = asked.amount;
        return true;
      case 'discount':
        this.#nextOff = { off: asked.off, left: asked.off?.periods ?? never };
        return true;
      case 'pause':
        return this.#pause(
          asked.from === undefined ? this.#current.end : this.dateOfEnd(asked.from),
          asked.resumesIn === null ? null : dateOf(this.#now + asked.resumesIn * day),
        );
      case 'resume':
        if (this.state === 'past_due') return false;
        if (this.state === 'paused') this.#resume();
        else if (this.#pausesAt === null || this.#isPauseReplaced) return false;
        else {
          this.#pausesAt = null;
          this.#resumesAt = null;
          this.#settle('pause_removed');
        }
        return true;
      case 'cancel':
        return this.#cancel(asked.at);
      case 'change':
        return this.#change(asked);
      case 'uncancel':
        return this.#uncancel();
      case 'retry': {
        const owed = this.#owed;
        if (owed === undefined || this.#isEndRequested || !['past_due', 'paused'].includes(this.state)) return false;
        Object.assign(owed, { status: 'retrying', nextAt: this.#now });
        this.#settle();
        return true;
      }
    }
  }

  #change({ price, when, collect }: Extract<Ask, { ask: 'change' }>): boolean {
    const { end, isTrial } = this.#current;
    if (this.state === 'past_due' || (this.state === 'paused' && when === 'now')) return false;
    if (when === 'period_end') {
      if (this.state !== 'paused' && this.#endsAt !== null && this.#endsAt <= end) return false;
      const isSame = price === this.price;
      const happenings = isSame ? (this.#nextPrice === null ? [] : ['change_removed']) : ['change_scheduled'];
      this.#nextPrice = isSame ? null : price;
      this.quoted = { amount: 0, next: this.#nextAmount(price, this.account) };
      this.#settle(...happenings);
      return true;
    }
    const account = this.account + (isTrial ? 0 : this.#share(price) - this.#share(this.price));
    const amount = collect === 'now' ? Math.max(0, account) : 0;
    const next = this.#nextAmount(price, account - amount);
    if (account > amount && account > 0 && next === 0) return false;
    if (amount > 0) this.#charges.push({ amount, isPaid: true });
    this.quoted = { amount, next };
    this.account = account - amount;
    this.price = price;
    this.#nextPrice = null;
    this.#settle('changed');
    return true;
  }

  /** What the next period takes, or 0 if none is to come. */
  #nextAmount(price: number, account: number): number {
    const isPaused = this.state === 'paused';
    const running = this.state === 'trialing' ? this.#current.end : this.#startOf(this.#next);
    const start = isPaused ? (this.#resumesAt ?? dateOf(this.#now)) : running;
    const stops = [this.#endsAt, this.#pausesAt].some((date) => date !== null && start >= date);
    const { off, left } = this.#nextOff ?? this.#off;
    return stops ? 0 : Math.max(0, discounted(price, left > 0 ? off : null) + this.#fee + account);
  }

  /** The share of a price for the days that are left, this one included: rounded half up. */
  #share(price: number): number {
    const { start, end } = this.#current;
    const left = (Date.parse(end) - Date.parse(dateOf(this.#now))) / day;
    const whole = (Date.parse(end) - Date.parse(start)) / day;
    const shareOf = (amount: number) => Math.floor((amount * left) / whole + 0.5);
    return Math.min(shareOf(price), shareOf(discounted(price, this.#off.off)));
  }

  /** All of the credit, from the newest payments. */
  #refund(): boolean {
    const before = this.account;
    for (const charge of this.#charges.filter(({ isPaid }) => isPaid).toReversed()) {
      const amount = Math.min(Math.max(0, -this.account), charge.amount);
      charge.amount -= amount;
      this.account += amount;
    }
    return this.account !== before;
  }

  /** The day that a biller names: the end of the period that is so many after the current one, or one beside it. */
  dateOfEnd({ later, off }: LaterEnd): string {
    const { end } = this.#current;
    let [number, date] = [this.#anchor.number, end];
    while (this.#startOf(number) < end) number += 1;
    if (later > 0) date = this.#startOf(number + later);
    return dateOf(Date.parse(date) + off * day);
  }

  /** Whether a period ends on this day that is still to come. */
  #isEnd(date: string): boolean {
    if (date <= dateOf(this.#now)) return false;
    if (date <= this.#current.end) return date === this.#current.end;
    let { number } = this.#anchor;
    while (this.#startOf(number) < date) number += 1;
    return this.#startOf(number) === date;
  }

  /** A pause that begins when the subscription has ended does not begin. */
  get #isPauseReplaced(): boolean {
    return this.#endsAt !== null && this.#pausesAt !== null && this.#endsAt <= this.#pausesAt;
  }

  #pause(at: string, resumesAt: string | null): boolean {
    if (this.state !== 'active' && this.state !== 'trialing') return false;
    if (!this.#isEnd(at)) return false;
    if (this.#endsAt !== null && this.#endsAt <= at) return false;
    if (resumesAt !== null && resumesAt <= at) return false;
    this.#pausesAt = at;
    this.#resumesAt = resumesAt;
    this.#settle('pause_scheduled');
    return true;
  }

  #cancel(when: 'period_end' | 'now' | LaterEnd): boolean {
    const { end } = this.#current;
    if (typeof when === 'object') return this.#cancelLater(this.dateOfEnd(when));
    if (when === 'now' || this.state === 'paused' || end <= dateOf(this.#now)) this.#stop('canceled', 'requested');
    else this.#endWithPeriod();
    return true;
  }

  #endWithPeriod(): void {
    this.#endsAt = this.#current.end;
    this.#isEndRequested = true;
    this.#endRetries();
    this.#settle('cancel_scheduled');
  }

  #cancelLater(date: string): boolean {
    if (this.state === 'paused' || !this.#isEnd(date)) return false;
    if (date === this.#current.end) this.#endWithPeriod();
    else {
      this.#endsAt = date;
      this.#isEndRequested = false;
      this.#retryAgain();
      this.#settle('cancel_scheduled');
    }
    return true;
  }

  #uncancel(): boolean {
    if (this.#endsAt === null) return false;
    this.#retryAgain();
    this.#endsAt = null;
    this.#isEndRequested = false;
    this.#settle('cancel_removed');
    return true;
  }

  /** The retries that a cancellation has ended. */
  #retryAgain(): void {
    const owed = this.#owed;
    if (this.state !== 'past_due' || owed?.status !== 'unpaid') return;
    const days = retryDays[Math.max(1, owed.failures) - 1];
    const at = days === undefined ? this.#now : (owed.firstFailedAt ?? 0) + days * day;
    Object.assign(owed, { status: 'retrying', nextAt: Math.max(at, this.#now) });
  }

  /** Whether this instant is paid for. */
  get #isBought(): boolean {
    const last = this.#periods.at(-1);
    return last?.status === 'paid' && !last.isCharging && this.#now < Date.parse(last.end);
  }

  /** What has happened, and whether the customer may use the service after it. */
  #settle(...happenings: string[]): void {
    const before = this.inEffect;
    // The service goes on while it is renewed, and begins only once it is paid.
    const isActive = this.state === 'active' && (before || this.#isBought);
    this.inEffect = isActive || this.state === 'trialing' || this.#now < this.#graceEndsAt;
    const all = before === this.inEffect ? happenings : [...happenings, 'in_effect_changed'];
    for (const what of all) this.told.push(`${dateOf(this.#now)} ${what}`);
  }
}

function discounted(price: number, off: Off | null): number {
  const amount = off === null ? 0 : (off.amount ?? Math.floor((price * (off.percent ?? 0)) / 100 + 0.5));
  return Math.max(0, price - amount);
}

const none = {
  price: 0,
  fee: 0,
  amount: 0,
  charge: null,
  isCharging: false,
  attempts: 0,
  outcomes: [],
  failures: 0,
  firstFailedAt: null,
  nextAt: null,
};
