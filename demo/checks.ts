import { isDeepStrictEqual } from 'node:util';
import type { PaymentsClient, PlanPayment, WebhookEvent } from '@payments-service/client';
import {
  type Card,
  type Course,
  type Happening,
  nextAttemptAt,
  nextPaymentDate,
  type Payment,
  upcoming,
} from '../lab/model/plans.ts';

/** A plan of the demo: its course by the rules, and its ids in the service. */
export interface Tracked {
  label: string;
  customerId: string;
  planId: string;
  cards: Record<Card, string | null>;
  course: Course;
}

const declined = 'insufficient_funds';
const scheduleLength = 4;

/** Compares values with those of the rules, counts, and reports each difference as it is found. */
export class Checks {
  made = 0;
  readonly differences: string[] = [];
  readonly #report: (difference: string) => void;

  constructor(report: (difference: string) => void) {
    this.#report = report;
  }

  equal(what: string, got: unknown, expected: unknown): void {
    this.made += 1;
    if (isDeepStrictEqual(got, expected)) return;
    const difference = `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got) ?? 'nothing'}`;
    // What stays wrong is found again in each later step, and reported once.
    if (this.differences.includes(difference)) return;
    this.differences.push(difference);
    this.#report(difference);
  }

  /** The members that are expected; what else there is does not matter. */
  members(what: string, got: object | undefined, expected: object): void {
    const actual = new Map(Object.entries(got ?? {}));
    for (const [name, value] of Object.entries(expected)) this.equal(`${what}, ${name}`, actual.get(name), value);
  }

  /** Item by item; `name` says which one is meant. */
  list<T extends object>(what: string, got: object[], expected: T[], name: (item: T) => string): void {
    this.equal(`${what}, how many`, got.length, expected.length);
    for (const [index, item] of expected.entries()) this.members(`${what}, ${name(item)}`, got[index], item);
  }
}

/** Compares a plan, its payments, its calendar and its customer's payment intents; returns the payments. */
export async function checkPlan(
  checks: Checks,
  payments: PaymentsClient,
  { label, customerId, planId, cards, course }: Tracked,
): Promise<PlanPayment[]> {
  const [plan, slots, schedule, intents] = await Promise.all([
    payments.paymentPlans.get(planId),
    payments.paymentPlans.listPayments(planId, { limit: 100 }).toArray(),
    payments.paymentPlans.getSchedule(planId, { count: scheduleLength }),
    payments.customers.listPaymentIntents(customerId, { limit: 100 }).toArray(),
  ]);
  const suspended = course.state === 'suspended';
  checks.members(label, plan, {
    state: course.state,
    // Why a plan was closed is the service's to word.
    ...(course.state === 'closed' ? {} : { state_reason: suspended ? 'payment_failed' : null }),
    collected_amount_cents: course.collected,
    next_payment_date: nextPaymentDate(course),
    next_attempt_at: isoOrNull(nextAttemptAt(course)),
  });

  const expected = course.payments.toReversed();
  const known = slots.map((payment) => ({
    ...payment,
    attempts: payment.attempts.map(({ number, at, outcome, code }) => ({ number, at, outcome, code })),
  }));
  checks.list(`${label}, payments`, known, expected.map(shownPayment), ({ slot }) => `slot ${slot}`);
  const attempted = expected.filter(({ amount }) => amount !== null);
  const idOf = new Map(slots.map(({ slot, payment_intent_id: id }) => [slot, id]));
  const shownIntents = attempted.map((payment) => ({
    id: idOf.get(payment.slot) ?? 'pi_…',
    payment_plan_id: planId,
    ...shownIntent(payment, cards),
  }));
  const gotIntents = intents.map((intent) => ({ ...intent, declined: intent.last_payment_error?.code ?? null }));
  checks.list(`${label}, intents`, gotIntents, shownIntents, ({ amount, created_at: at }) => `${amount} of ${at}`);
  checks.equal(`${label}, one intent for each payment`, new Set(intents.map(({ id }) => id)).size, attempted.length);

  const ahead = upcoming(course, scheduleLength + 1);
  checks.list(`${label}, schedule`, schedule.data, ahead.slice(0, scheduleLength), ({ slot }) => `slot ${slot}`);
  checks.equal(`${label}, schedule, has_more`, schedule.has_more, ahead.length > scheduleLength);
  return slots;
}

/** Compares the events of a plan, in the order of their sequence, with what has happened to it. */
export function checkPlanEvents(checks: Checks, { label, planId, course }: Tracked, events: WebhookEvent[]): void {
  const got = events
    .filter((event) => planOf(event) === planId)
    .map(({ event_type, created_at, data }) => ({
      ...data,
      event_type,
      created_at,
    }));
  const expected = course.happenings.map(shownHappening);
  checks.list(`${label}, events`, got, expected, (event) => `${event.event_type} of ${event.created_at}`);
}

/** The plan that an event is about; null for one that is about something else. */
export function planOf({ data }: WebhookEvent): string | null {
  if ('payment_plan_id' in data) return data.payment_plan_id ?? null;
  return 'collected_amount_cents' in data ? data.id : null;
}

function shownPayment({ slot, dueDate, amount, status, attempts }: Payment) {
  const shown = attempts.map(({ number, at, card }) => ({
    number,
    at: new Date(at).toISOString(),
    outcome: card === 'good' ? 'succeeded' : 'failed',
    code: card === 'good' ? null : declined,
  }));
  return { slot, due_date: dueDate, amount, status, attempts: shown };
}

function shownIntent({ amount, status, attempts }: Payment, cards: Tracked['cards']) {
  const [first, last] = [attempts.at(0), attempts.at(-1)];
  return {
    amount,
    total_amount: amount,
    surcharge_amount: 0,
    currency: 'AUD',
    status: status === 'paid' ? 'succeeded' : 'failed',
    declined: status === 'paid' ? null : declined,
    payment_method_id: cards[last?.card ?? 'good'],
    created_at: isoOrNull(first?.at ?? null),
    updated_at: isoOrNull(last?.at ?? null),
  };
}

function shownHappening({ type, at, payment, attempt, nextAttemptAt: next }: Happening) {
  const shown = { event_type: type, created_at: new Date(at).toISOString() };
  if (payment === null) return { ...shown, state: type.slice(type.indexOf('.') + 1).replace('activated', 'active') };
  const paid = { ...shown, amount: payment.amount, currency: 'AUD', status: type.slice(type.indexOf('.') + 1) };
  if (type === 'payment_intent.succeeded') return paid;
  return { ...paid, attempt, will_retry: next !== null, next_attempt_at: isoOrNull(next) };
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
