import { firstIdSince } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { isOutage } from '../platform/postgres/transaction.ts';
import { type RealInstant, realInstant } from '../platform/real-time.ts';
import {
  type AdvanceUnderWay,
  type AttemptCount,
  countAttempts,
  countDeliveries,
  countDue,
  countDunning,
  countUnpaidSubscriptions,
  type DueCount,
  type DunningCount,
  type EndpointCount,
  listAdvances,
  type Mode,
  type UnpaidSubscriptionCount,
} from './overview-queries.ts';

import { readBounded, whyUnreadable } from './stuck/reading/bounded-reading.ts';

export type { Mode };

const dayMs = 86_400_000;
const pastDays = 7;
/** With today, a week. A plan is due at most once a week, so its next payment is its only one in this period. */
const comingDays = 6;
const shownAtMost = 20;

/** A day in UTC: past attempts, and payments still to come. Today has both. */
export interface OverviewDay {
  date: string;
  is: 'past' | 'today' | 'coming';
  /** Payments by the calendar: those attempted for the first time, and those to come. */
  due: number;
  /** Later attempts: those made, and those to come. */
  retries: number;
  /** Attempts that succeeded, of all payments: single ones and those of pages too. */
  collected: number;
  failed: number;
  /** Attempts whose outcome is not known yet. */
  open: number;
}

/**
 * Plans of a week in figures: ids and counts only, no personal data. Plans of test clocks are left out. A part that
 * could not be read, because a session holds its table, is null.
 */
export interface Overview {
  at: RealInstant;
  mode: 'all' | 'live' | 'sandbox';
  days: OverviewDay[] | null;
  /** Attempts that failed in these days, the most frequent code first. */
  failures: { code: string; count: number }[] | null;
  dunning: DunningCount | null;
  subscriptions: UnpaidSubscriptionCount | null;
  /**
   * `count` is the number of all endpoints; `endpoints` holds those with the most pending deliveries. `delivered` and
   * `failed` count the events of the last day.
   */
  deliveries: { count: number; endpoints: EndpointCount[] } | null;
  advances: { count: number; clocks: AdvanceUnderWay[] } | null;
}

/** The figures at `now`. */
export async function overview(db: Db, now: RealInstant, mode: Mode): Promise<Overview> {
  const today = startOfDay(now);
  const since = realInstant(today - pastDays * dayMs);
  const until = realInstant(today + (comingDays + 1) * dayMs);
  const sinceId = firstIdSince('webhook_delivery', new Date(now.getTime() - dayMs));
  const [attempts, due, dunning, subscriptions, deliveries, advances] = await Promise.all([
    readPart(db, (tx) => countAttempts(tx, since, mode)),
    readPart(db, (tx) => countDue(tx, now, until, mode)),
    readPart(db, (tx) => countDunning(tx, mode)),
    readPart(db, (tx) => countUnpaidSubscriptions(tx, mode)),
    readPart(db, (tx) => countDeliveries(tx, { now, sinceId, limit: shownAtMost }, mode)),
    mode === true ? { count: 0, clocks: [] } : readPart(db, (tx) => listAdvances(tx, shownAtMost)),
  ]);
  return {
    at: now,
    mode: mode === null ? 'all' : mode ? 'live' : 'sandbox',
    days: attempts === null || due === null ? null : daysOf(today, attempts, due),
    failures: attempts === null ? null : failuresOf(attempts),
    dunning,
    subscriptions,
    deliveries,
    advances,
  };
}

/** Null if PostgreSQL does not give it in time, or not at all: then it is reported as stuck. */
async function readPart<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T | null> {
  try {
    return await readBounded(db, read);
  } catch (error) {
    if (whyUnreadable(error) === null && !isOutage(error)) throw error;
    return null;
  }
}

function daysOf(today: number, attempts: AttemptCount[], due: DueCount[]): OverviewDay[] {
  const days: OverviewDay[] = [];
  for (let offset = -pastDays; offset <= comingDays; offset++) {
    const date = new Date(today + offset * dayMs).toISOString().slice(0, 10);
    const tried = attempts.filter((row) => row.date === date);
    const ahead = due.filter((row) => row.date === date);
    const of = (outcome: AttemptCount['outcome']) => sum(tried.map((row) => (row.outcome === outcome ? row.count : 0)));
    days.push({
      date,
      is: offset < 0 ? 'past' : offset === 0 ? 'today' : 'coming',
      due: sum([...tried, ...ahead].map((row) => row.due)),
      retries: sum([...tried, ...ahead].map((row) => row.retries)),
      collected: of('succeeded'),
      failed: of('failed') + of('returned'),
      open: of('processing') + of('accepted') + of('submitted'),
    });
  }
  return days;
}

function failuresOf(attempts: AttemptCount[]): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { code, count } of attempts) if (code !== null) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

function startOfDay(instant: RealInstant): number {
  return Math.floor(instant.getTime() / dayMs) * dayMs;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
