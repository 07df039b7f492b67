// What the model judges: a world's story as plain data. Instants are the customer's time, in milliseconds.
import type { Body } from '../place.ts';
import type { Happening } from '../telling.ts';

/** One try to charge a payment. */
export interface Attempt {
  number: number;
  at: number;
  source: 'confirm' | 'plan' | 'schedule' | 'subscription';
  outcome: string;
  method: string | null;
  /** Of a debit under a mandate, and when the bank got it; null before. */
  mandate: string | null;
  submittedAt: number | null;
}

interface Refund {
  name: string;
  /** How much of it pays out credit of the subscription. */
  credit: number;
}

/** A period that a payment opened. Dates are local to the biller. */
export interface Period {
  number: number;
  start: string;
  end: string;
  status: string;
  /** Of the payment's amount, what came from earlier changes; negative if credit was used. */
  carried: number;
  beganAt: number;
}

/** What a request has changed of a subscription in a period. `lines` is the sum of what it costs and credits. */
export interface SubscriptionChange {
  period: number;
  status: string;
  lines: number;
  changedAt: number;
  /** The payment that was charged at once; null if none was. */
  payment: string | null;
}

export interface Payment {
  name: string;
  customer: string;
  /** The plan, subscription, link or session that it is for; null for a single payment. */
  subject: string | null;
  slot: number | null;
  amount: number;
  total: number;
  status: string;
  attempts: Attempt[];
  refunds: Refund[];
}

/** Something that was asked between two advances and was not refused. `sequence` is that of the last event before. */
export interface Deed {
  do: string;
  /** The subject, or the customer. */
  of: string;
  at: number;
  sequence: number;
  body: Body;
}

export interface Story {
  way: string;
  /** Where the clock stands at the end. */
  now: number;
  timeZone: string;
  /** All events in their order. */
  happenings: Happening[];
  deeds: Deed[];
  payments: Payment[];
  /** By the name of the subscription. Periods without a payment are among them, trials are not. */
  periods: Record<string, (Period & { payment: string | null })[]>;
  changes: Record<string, SubscriptionChange[]>;
  /** What the API shows at the end, by name. */
  resources: Record<string, Body>;
}

/** The story of a world in which nothing has happened. */
export function emptyStory(way: string, timeZone: string): Story {
  const lists = { happenings: [], deeds: [], payments: [] };
  return { way, now: 0, timeZone, ...lists, periods: {}, changes: {}, resources: {} };
}

/** A success of a payment: money that was taken. */
export interface Taking {
  payment: Payment;
  attempt: Attempt | null;
  /** Of its success. */
  at: number;
  sequence: number;
  /** From when on nothing of the service could stop it: the hand-over to the bank, or the success of a card. */
  beganAt: number;
  /** Of the event that told that it was accepted; of a card, that of its success. */
  acceptedIn: number;
  /** When the challenge began that the payer has passed; null without one. */
  challengedAt: number | null;
  /** The sequence of that event. */
  challengedIn: number | null;
}

/** The successes of a payment, in their order. */
export function takingsOf({ happenings }: Story, payment: Payment): Taking[] {
  const successes = payment.attempts.filter(({ outcome }) => outcome === 'succeeded' || outcome === 'returned');
  const takings: Taking[] = [];
  let accepted: Happening | null = null;
  let challenge: Happening | null = null;
  for (const happening of happenings) {
    if (happening.subject !== payment.name) continue;
    const { type, at, sequence } = happening;
    if (type === 'payment_intent.processing') accepted = happening;
    if (type === 'payment_intent.requires_action') challenge = happening;
    if (type === 'payment_intent.succeeded') {
      const attempt = successes[takings.length] ?? null;
      takings.push({
        ...{ payment, attempt, at: Date.parse(at), sequence },
        ...{ challengedAt: challenge && Date.parse(challenge.at), challengedIn: challenge?.sequence ?? null },
        beganAt: attempt?.submittedAt ?? Date.parse(at),
        acceptedIn: attempt?.mandate == null ? sequence : (accepted?.sequence ?? sequence),
      });
    }
    if (type === 'payment_intent.succeeded' || type === 'payment_intent.failed') challenge = null;
  }
  return takings;
}

/** The events of one type or several, in their order. */
export function eventsOf({ happenings }: Story, ...types: string[]): Happening[] {
  return happenings.filter(({ type }) => types.includes(type));
}
