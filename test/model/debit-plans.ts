// The rules of a plan by bank debit, written a second time: with a calendar of its own, and without a database, a
// workflow or the service's code. All instants are epoch ms; the biller's zone is UTC.

export interface DebitPlanTerms {
  /** `YYYY-MM-DD`, as the date of slot 0. */
  start: string;
  /** Weeks between two payments. */
  period: number;
  amount: number;
  total: number;
  behaviour: 'retry' | 'stop';
  /** What the bank says of each attempt of a payment; the last word repeats. */
  words: ('settled' | 'dishonoured' | 'late_dishonour')[];
}

interface Slot {
  number: number;
  amount: number;
  status: 'processing' | 'paid' | 'retrying' | 'failed' | 'returned';
  outcomes: string[];
  failures: number;
  firstFailedAt: number;
  nextAt: number;
}

/** A debit and its next step. */
interface Debit {
  slot: Slot;
  attempt: number;
  step: 'hand over' | 'result' | 'return';
  at: number;
  charged: string;
}

import { day } from '../../lab/model/calendar.ts';

const retryDays = [1, 3, 5];
/** Weekdays on which banks are closed in Australia: the holidays of New South Wales that Victoria has too. */
const closed = new Set(
  '2027-01-01 2027-01-26 2027-03-26 2027-03-29 2027-06-14 2027-12-27 2027-12-28 ' // as published for 2027 …
    .concat('2028-01-03 2028-01-26 2028-04-14 2028-04-17 2028-04-25 2028-06-12 2028-12-25 2028-12-26') // … and 2028
    .split(' '),
);

/** A plan that was activated at `now`. `advance` lets time pass. */
export class DebitPlan {
  readonly #terms: DebitPlanTerms;
  #now: number;
  #nextSlot = 0;
  readonly #slots: Slot[] = [];
  #debits: Debit[] = [];
  state: 'active' | 'suspended' | 'closed' = 'active';
  reason: string | null = null;
  collected = 0;
  /** From then on the plan charges a card, at once and with success. */
  cardFrom = Number.POSITIVE_INFINITY;
  /** Such as `2027-03-02T22:00 payment_intent.succeeded`. */
  readonly told: string[] = [];
  /** Whether two banks' words came at one instant: their order is then a matter of ids. */
  isAmbiguous = false;

  constructor(terms: DebitPlanTerms, now: number) {
    this.#terms = terms;
    this.#now = now;
    this.#tell('payment_plan.activated', now);
    this.advance(now);
  }

  advance(to: number): void {
    for (;;) {
      const debit = this.#debits.toSorted((a, b) => a.at - b.at)[0];
      const retry = this.#slots.filter(isRetrying).sort((a, b) => a.nextAt - b.nextAt || a.number - b.number)[0];
      const isActive = this.state === 'active';
      const debitAt = debit?.at ?? Number.POSITIVE_INFINITY;
      const retryAt = isActive && retry !== undefined ? retry.nextAt : Number.POSITIVE_INFINITY;
      const dueAt = isActive && this.#remaining() > 0 ? this.#dueAt() : Number.POSITIVE_INFINITY;
      const next = Math.min(debitAt, retryAt, dueAt);
      if (next > to) break;
      const at = Math.max(next, this.#now);
      if (debit !== undefined && debitAt === next) this.#take(debit);
      else if (retry !== undefined && retryAt === next) this.#charge(retry, at);
      else this.#open(at);
    }
    this.#now = to;
  }

  /** Each slot with its status and the outcomes of its attempts, such as `0 paid failed,succeeded`. */
  get slots(): string[] {
    return this.#slots.map(({ number, status, outcomes }) => [number, status, outcomes.join(',')].join(' '));
  }

  get shortfall(): number | undefined {
    return this.reason === 'payment_returned' && this.state === 'closed'
      ? this.#terms.total - this.collected
      : undefined;
  }

  #open(at: number): void {
    const amount = Math.min(this.#terms.amount, this.#remaining());
    const none = { outcomes: [], failures: 0, firstFailedAt: 0, nextAt: 0 };
    const slot: Slot = { number: this.#nextSlot, amount, status: 'processing', ...none };
    this.#slots.push(slot);
    this.#nextSlot += 1;
    this.#charge(slot, at);
  }

  #charge(slot: Slot, at: number): void {
    slot.status = 'processing';
    if (at >= this.cardFrom) {
      slot.outcomes.push('succeeded');
      this.#tell('payment_intent.succeeded', at);
      this.#recordPayment(slot);
      this.#closeIfComplete(at);
      return;
    }
    slot.outcomes.push('accepted');
    this.#tell('payment_intent.processing', at);
    const today = inSydney(at);
    const charged = rolled(today.hour < 16 ? today.date : plus(today.date, 1));
    this.#debits.push({ slot, attempt: slot.outcomes.length, step: 'hand over', at: sydney(charged, 16), charged });
  }

  #take(debit: Debit): void {
    const { slot, attempt, step, at, charged } = debit;
    const say = (outcome: string) => slot.outcomes.splice(attempt - 1, 1, outcome);
    const resultOn = businessDaysAfter(charged, 2);
    this.isAmbiguous ||= this.#debits.some((other) => other !== debit && other.at === at && step !== 'hand over');
    if (step === 'hand over') {
      say('submitted');
      Object.assign(debit, { step: 'result', at: sydney(resultOn, 9) });
      return;
    }
    this.#debits = this.#debits.filter((other) => other !== debit);
    const word = this.#terms.words[attempt - 1] ?? this.#terms.words.at(-1);
    if (step === 'return') {
      say('returned');
      this.collected -= slot.amount;
      this.#tell('payment_intent.returned', at);
      if (this.state === 'closed') this.reason = 'payment_returned';
      Object.assign(slot, { failures: 1, firstFailedAt: at });
      this.#unpaid(slot, at, 'returned', 'payment_returned');
      return;
    }
    if (word === 'dishonoured') {
      say('failed');
      this.#tell('payment_intent.failed', at);
      if (slot.failures === 0) slot.firstFailedAt = at;
      slot.failures += 1;
      this.#unpaid(slot, at, 'failed', 'payment_failed');
      return;
    }
    say('succeeded');
    this.#tell('payment_intent.succeeded', at);
    this.#recordPayment(slot);
    if (word === 'late_dishonour') {
      this.#debits.push({ ...debit, step: 'return', at: sydney(businessDaysAfter(resultOn, 3), 9) });
    }
    this.#closeIfComplete(at);
  }

  #recordPayment(slot: Slot): void {
    slot.status = 'paid';
    this.collected += slot.amount;
  }

  #closeIfComplete(at: number): void {
    if (this.collected < this.#terms.total || this.state === 'closed') return;
    this.state = 'closed';
    this.reason = 'total_collected';
    this.#tell('payment_plan.closed', at);
  }

  #unpaid(slot: Slot, at: number, left: 'failed' | 'returned', reason: string): void {
    slot.status = left;
    if (this.state !== 'active') return;
    const wait = retryDays[slot.failures - 1];
    if (this.#terms.behaviour === 'retry' && wait !== undefined) {
      const planned = plus(inSydney(slot.firstFailedAt).date, wait);
      const earliest = plus(inSydney(at).date, 1);
      slot.status = 'retrying';
      slot.nextAt = sydney(rolled(planned > earliest ? planned : earliest), 9);
      return;
    }
    for (const other of this.#slots.filter(isRetrying)) {
      other.status = other.outcomes.at(-1) === 'returned' ? 'returned' : 'failed';
    }
    this.state = 'suspended';
    this.reason = reason;
    this.#withdraw(at);
    this.#tell('payment_plan.suspended', at);
  }

  /** What the bank does not have yet is withdrawn, and counts as never tried. */
  #withdraw(at: number): void {
    const waiting = this.#debits.filter(({ step }) => step === 'hand over');
    this.#debits = this.#debits.filter((debit) => !waiting.includes(debit));
    for (const { slot, attempt } of waiting) {
      slot.outcomes.splice(attempt - 1, 1, 'failed');
      slot.status = 'failed';
      this.#tell('payment_intent.failed', at);
    }
  }

  /** What is under way or unpaid is still to be collected, so it is left out. */
  #remaining(): number {
    const open = this.#slots.filter(({ status }) => status !== 'paid').reduce((sum, { amount }) => sum + amount, 0);
    return this.#terms.total - this.collected - open;
  }

  #dueAt(): number {
    return Date.parse(`${plus(this.#terms.start, 7 * this.#terms.period * this.#nextSlot)}T00:00:00Z`);
  }

  #tell(type: string, at: number): void {
    this.told.push(`${new Date(at).toISOString().slice(0, 16)} ${type}`);
  }
}

const isRetrying = ({ status }: Slot): boolean => status === 'retrying';

function plus(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
}

function isOpen(date: string): boolean {
  return ![0, 6].includes(new Date(date).getUTCDay()) && !closed.has(date);
}

function rolled(date: string): string {
  return isOpen(date) ? date : rolled(plus(date, 1));
}

function businessDaysAfter(date: string, count: number): string {
  return count === 0 ? date : businessDaysAfter(rolled(plus(date, 1)), count - 1);
}

/** The hours that Sydney is ahead of UTC: 11 from the first Sunday of October to the first of April, else 10. */
function aheadOn(date: string): number {
  const sunday = (month: string) => {
    const first = `${date.slice(0, 4)}-${month}-01`;
    return plus(first, (7 - new Date(first).getUTCDay()) % 7);
  };
  return date >= sunday('10') || date < sunday('04') ? 11 : 10;
}

/** An hour of the day, not at night. */
function sydney(date: string, hour: number): number {
  return Date.parse(`${date}T00:00:00Z`) + (hour - aheadOn(date)) * 3_600_000;
}

function inSydney(at: number): { date: string; hour: number } {
  const date = new Date(at + 10 * 3_600_000).toISOString().slice(0, 10);
  const local = new Date(at + aheadOn(date) * 3_600_000);
  return { date: local.toISOString().slice(0, 10), hour: local.getUTCHours() };
}
