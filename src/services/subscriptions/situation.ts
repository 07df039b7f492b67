import { insertPeriod, type SubscriptionPeriodRow, updatePeriod } from '../../db/subscription-periods.ts';
import {
  type CollectingSubscriptionRow,
  type ShownSubscriptionRow,
  type SubscriptionChange,
  updateSubscription,
} from '../../db/subscriptions.ts';
import { derive, isOwed, type Period, type Situation } from '../../domain/subscriptions/course.ts';
import type { Change } from '../../domain/subscriptions/steps.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { type NewEvent, subscriptionEvent } from '../events.ts';

/** A locked subscription with the periods that decide what it does next. */
export interface LockedSubscription {
  row: CollectingSubscriptionRow;
  situation: Situation;
}

/** A period that begins, with its statement and its payment. */
export type BegunPeriod = Pick<Period, 'status' | 'lines' | 'amount_cents' | 'payment_intent_id'>;

/**
 * Returns the situation of a locked subscription.
 * @param periods its current period, and what is owed.
 * @param owed the period that a charge is about; without it, the oldest that is owed.
 */
export function situationOf(
  row: CollectingSubscriptionRow,
  periods: readonly SubscriptionPeriodRow[],
  owed: Period | null = periods.find(isOwed) ?? null,
): LockedSubscription {
  const current = periods.find(({ number }) => number === row.current_number) ?? null;
  return { row, situation: { course: row, current, owed, timeZone: row.time_zone } };
}

/**
 * Stores what a step changes, and what follows from it: the dates, and whether the subscription is in effect. Returns
 * the new situation and the events for the caller to record. `at` is customer time.
 * @param begun the period that the change begins, with its payment.
 * @param more further columns to change.
 */
export async function store(
  tx: Tx,
  { row, situation }: LockedSubscription,
  change: Change,
  at: Date,
  begun: BegunPeriod | null = null,
  more: SubscriptionChange = {},
): Promise<LockedSubscription & { events: NewEvent[] }> {
  const owed = situation.owed && { ...situation.owed, ...change.owed };
  const isCurrentOwed = owed !== null && owed.number === situation.current?.number;
  const begins = change.begins && begun && periodRow(row.id, change.begins, begun, at);
  const course = { ...change.course, ...more, ...(begins ? { current_number: begins.number } : {}) };
  const changed = { ...row, ...course };
  const stillOwed = owed !== null && isOwed(owed) ? owed : null;
  const after: Situation = {
    ...situation,
    course: changed,
    current: begins ?? currentOf(changed.current_number, isCurrentOwed ? owed : situation.current),
    owed: begins && isOwed(begins) ? begins : stillOwed,
  };
  const derived = derive(after, at);
  await pipelined(tx, [
    updateSubscription(tx, row.id, { ...course, ...derived, updated_at: at }),
    owed !== null && change.owed ? updatePeriod(tx, row.id, owed.number, change.owed) : null,
    begins ? insertPeriod(tx, begins) : null,
  ]);
  const stored = { ...changed, ...derived, updated_at: at };
  const happenings =
    row.in_effect === derived.in_effect ? change.happenings : [...change.happenings, 'in_effect_changed' as const];
  const shown = shownRow({ row: stored, situation: after });
  return {
    row: stored,
    situation: { ...after, course: stored },
    events: happenings.map((happening) => subscriptionEvent(`subscription.${happening}`, shown, at)),
  };
}

/** Returns the subscription as the API shows it. */
export function shownRow({ row, situation: { current } }: LockedSubscription): ShownSubscriptionRow {
  return { ...row, current_period: current };
}

function currentOf(number: number, period: Period | null): Period | null {
  return period?.number === number ? period : null;
}

function periodRow(
  subscription_id: string,
  { number, start, end, kind }: NonNullable<Change['begins']>,
  begun: BegunPeriod,
  at: Date,
): SubscriptionPeriodRow {
  return {
    subscription_id,
    number,
    start_date: start,
    end_date: end,
    kind,
    ...begun,
    failures: 0,
    first_failed_at: null,
    next_attempt_at: null,
    last_result_at: null,
    began_at: at,
  };
}
