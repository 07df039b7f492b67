// The rules of plans and clocks, written a second time: nothing here is shared with the service, so an agreement of the
// two means something. All dates are UTC, all amounts are minor units.

import { dateOfCount, day } from './calendar.ts';

export interface Terms {
  every: 'week' | 'month';
  /** Weeks or months between two payments. */
  period: number;
  /** The anchor of every due date, `YYYY-MM-DD`. */
  start: string;
  amount: number;
  /** What is collected in all; null goes on without end. */
  total: number | null;
}

export type Card = 'good' | 'declining';

interface Attempt {
  number: number;
  at: number;
  card: Card;
}

/** A due date that has come. */
export interface Payment {
  slot: number;
  dueDate: string;
  /** Null of a skipped one. */
  amount: number | null;
  status: 'paid' | 'retrying' | 'failed' | 'skipped';
  attempts: Attempt[];
  /** Failures since the payment was opened or its plan was resumed, and when the first of them was. */
  failures: number;
  firstFailedAt: number;
  nextAttemptAt: number | null;
}

/** An event that the service must send. */
export interface Happening {
  at: number;
  type: 'payment_intent.succeeded' | 'payment_intent.failed' | `payment_plan.${'activated' | 'suspended' | 'closed'}`;
  payment: Payment | null;
  /** Number of the attempt, and when a failed one is tried again. */
  attempt: number | null;
  nextAttemptAt: number | null;
}

/** The status of a plan at the clock's time `now` (epoch ms), and all that has happened to it. */
export interface Course {
  terms: Terms;
  card: Card;
  state: 'pending' | 'active' | 'suspended' | 'closed';
  now: number;
  collected: number;
  nextSlot: number;
  payments: Payment[];
  happenings: Happening[];
}

const retryDays = [1, 3, 5];

export function newCourse(terms: Terms, card: Card, now: number): Course {
  return { terms, card, now, state: 'pending', collected: 0, nextSlot: 0, payments: [], happenings: [] };
}

export function dueDate({ every, period, start }: Terms, slot: number): string {
  return dateOfCount(start, every === 'week' ? 'weekly' : 'monthly', period, slot);
}

/** The latest instant that an advance may name: twice the shortest interval of the active plans, 31 days with none. */
export function advanceBound(now: number, courses: Course[]): number {
  const active = courses.filter(({ state }) => state === 'active');
  const days = active.map(({ terms }) => (terms.every === 'week' ? 7 : 30) * terms.period);
  return now + 2 * (days.length === 0 ? 31 : Math.min(...days)) * day;
}

/** The first payment is made at once when its day has come; what else has passed by then is skipped: never a burst. */
export function activate(course: Course): void {
  course.state = 'active';
  happened(course, 'payment_plan.activated', course.now);
  if (dueAt(course, 0) > course.now) return;
  openNext(course, course.now);
  skipPassed(course);
}

/** What is unpaid is tried again at once, with new retries; what passed meanwhile is skipped, not charged. */
export function resume(course: Course): void {
  course.state = 'active';
  for (const payment of course.payments.filter(({ status }) => status === 'failed')) {
    Object.assign(payment, { status: 'retrying', failures: 0, nextAttemptAt: course.now });
  }
  skipPassed(course);
  passTo(course, course.now);
}

/** Lets the time pass: retries and due dates in the order of their instants, of the same instant the older first. */
export function passTo(course: Course, to: number): void {
  while (course.state === 'active') {
    const retry = retries(course)[0];
    const retryAt = retry?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
    const nextAt = remaining(course) > 0 ? dueAt(course, course.nextSlot) : Number.POSITIVE_INFINITY;
    if (Math.min(retryAt, nextAt) > to) break;
    if (retry !== undefined && retryAt <= nextAt) attempt(course, retry, Math.max(retryAt, course.now));
    else openNext(course, Math.max(nextAt, course.now));
  }
  course.now = to;
}

export interface Manifest {
  payment_intents_enqueued: number;
  links_expired: number;
  subscriptions_rolled: number;
  plans_recalculated: number;
}

/** Moves all plans of a clock, and counts what the advance is to report. */
export function advance(courses: Course[], to: number): Manifest {
  const before = courses.map((course) => ({ from: course.now, status: statusOf(course) }));
  for (const course of courses) passTo(course, to);
  const attempted = courses.flatMap((course, index) =>
    course.payments.filter(({ attempts }) => attempts.some(({ at }) => at > (before[index]?.from ?? to))),
  );
  const changed = courses.filter((course, index) => statusOf(course) !== before[index]?.status);
  return {
    payment_intents_enqueued: attempted.length,
    links_expired: 0,
    subscriptions_rolled: 0,
    plans_recalculated: changed.length,
  };
}

/** The date of the next payment of the calendar; null when none is to come, or the plan is not running. */
export function nextPaymentDate(course: Course): string | null {
  const runs = course.state === 'pending' || course.state === 'active';
  return runs && remaining(course) > 0 ? dueDate(course.terms, course.nextSlot) : null;
}

export function nextAttemptAt(course: Course): number | null {
  return course.state === 'active' ? (retries(course)[0]?.nextAttemptAt ?? null) : null;
}

/** Whether due dates have gone by while the plan was suspended. */
export function hasMissed(course: Course): boolean {
  return course.state === 'suspended' && dueAt(course, course.nextSlot) <= course.now;
}

/** The calendar ahead, of a suspended plan as if it were resumed now. */
export function upcoming(course: Course, count: number): { slot: number; due_date: string; amount: number }[] {
  const ahead: { slot: number; due_date: string; amount: number }[] = [];
  if (course.state === 'closed') return ahead;
  let left = remaining(course);
  for (let slot = course.nextSlot; left > 0 && ahead.length < count; slot += 1) {
    const isFirst = course.state === 'pending' && slot === 0;
    if (course.state !== 'active' && !isFirst && dueAt(course, slot) <= course.now) continue;
    const amount = Math.min(course.terms.amount, left);
    ahead.push({ slot, due_date: dueDate(course.terms, slot), amount });
    left -= amount;
  }
  return ahead;
}

function openNext(course: Course, at: number): void {
  const slot = course.nextSlot;
  const amount = Math.min(course.terms.amount, remaining(course));
  const payment = newPayment(slot, dueDate(course.terms, slot), amount);
  course.payments.push(payment);
  course.nextSlot += 1;
  attempt(course, payment, at);
}

function attempt(course: Course, payment: Payment, at: number): void {
  const number = payment.attempts.push({ number: payment.attempts.length + 1, at, card: course.card });
  payment.nextAttemptAt = null;
  if (course.card === 'good') {
    payment.status = 'paid';
    course.collected += payment.amount ?? 0;
    happened(course, 'payment_intent.succeeded', at, payment, number);
    if (course.collected !== course.terms.total) return;
    course.state = 'closed';
    happened(course, 'payment_plan.closed', at);
    return;
  }
  if (payment.failures === 0) payment.firstFailedAt = at;
  const wait = retryDays[payment.failures];
  payment.failures += 1;
  payment.nextAttemptAt = wait === undefined ? null : payment.firstFailedAt + wait * day;
  payment.status = wait === undefined ? 'failed' : 'retrying';
  happened(course, 'payment_intent.failed', at, payment, number);
  if (wait !== undefined) return;
  for (const other of retries(course)) Object.assign(other, { status: 'failed', nextAttemptAt: null });
  course.state = 'suspended';
  happened(course, 'payment_plan.suspended', at);
}

function happened(
  course: Course,
  type: Happening['type'],
  at: number,
  payment: Payment | null = null,
  number = 0,
): void {
  const next = payment?.nextAttemptAt ?? null;
  course.happenings.push({ at, type, payment, attempt: number || null, nextAttemptAt: next });
}

function skipPassed(course: Course): void {
  for (; dueAt(course, course.nextSlot) <= course.now; course.nextSlot += 1) {
    const skipped = newPayment(course.nextSlot, dueDate(course.terms, course.nextSlot), null);
    course.payments.push({ ...skipped, status: 'skipped' });
  }
}

function newPayment(slot: number, due: string, amount: number | null): Payment {
  const none = { attempts: [], failures: 0, firstFailedAt: 0, nextAttemptAt: null };
  return { slot, dueDate: due, amount, status: 'retrying', ...none };
}

function retries({ payments }: Course): Payment[] {
  const waiting = payments.filter((payment) => payment.nextAttemptAt !== null);
  return waiting.sort((a, b) => Number(a.nextAttemptAt) - Number(b.nextAttemptAt) || a.slot - b.slot);
}

/** Unpaid payments are still to be collected, so they are left out. */
function remaining({ terms, collected, payments }: Course): number {
  if (terms.total === null) return Number.POSITIVE_INFINITY;
  const unpaid = payments.filter(({ status }) => status === 'retrying' || status === 'failed');
  return terms.total - collected - unpaid.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
}

function statusOf(course: Course): string {
  return JSON.stringify([course.state, nextPaymentDate(course), nextAttemptAt(course)]);
}

function dueAt(course: Course, slot: number): number {
  return Date.parse(`${dueDate(course.terms, slot)}T00:00:00Z`);
}
