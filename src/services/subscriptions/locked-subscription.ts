import { insertEntries } from '../../db/subscription-entries.ts';
import {
  insertPeriod,
  listOpenPeriods,
  type SubscriptionPeriodRow,
  updatePeriod,
} from '../../db/subscription-periods.ts';
import {
  type CollectingSubscriptionRow,
  type ShownSubscriptionRow,
  type SubscriptionRowChange,
  selectRefundableCredit,
  updateSubscription,
} from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { type Applied, applyChange, type BegunPeriod } from '../../domain/subscriptions/apply.ts';
import {
  isOwed,
  owedOf,
  type Period,
  type SubscriptionWithPeriods,
  withPeriods,
} from '../../domain/subscriptions/course.ts';
import type { Happening, SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { paidPeriodOf, record, subscriptionEvent } from '../events.ts';

/** A locked subscription with the periods that decide what it does next. */
export interface LockedSubscription {
  row: CollectingSubscriptionRow;
  subscription: SubscriptionWithPeriods;
}

/**
 * Returns a locked subscription with these of its periods.
 * @param periods its current period, and what is owed.
 * @param about the period that a charge is about; without it, the owed period that comes first.
 */
export function lockedSubscription(
  row: CollectingSubscriptionRow,
  periods: readonly SubscriptionPeriodRow[],
  about: Period | null = null,
): LockedSubscription {
  const current = periods.find(({ number }) => number === row.current_number) ?? null;
  const found = about === null ? owedOf(periods) : { owed: about, others: othersThan(about, periods) };
  return { row, subscription: { course: row, current, ...found, timeZone: row.time_zone } };
}

function othersThan(about: Period, periods: readonly Period[]): Period[] {
  return periods.filter((period) => period.number !== about.number && isOwed(period));
}

/**
 * Stores what a step changes, and what follows from it: the dates, and whether the subscription is in effect. Records
 * the events of this and returns the subscription as it is then.
 * @param begun the period that the change begins, with its payment.
 * @param more further columns to change.
 */
export async function store(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  change: SubscriptionStepChange,
  at: CustomerInstant,
  begun: BegunPeriod | null = null,
  more: SubscriptionRowChange = {},
): Promise<LockedSubscription> {
  const changed = { ...change, course: { ...change.course, ...more } };
  const applied = applyChange(subscription, changed, begun, { before: row, at });
  const columns = { ...applied.course, ...applied.derived, updated_at: at };
  await pipelined(tx, [
    updateSubscription(tx, row.id, columns),
    ...applied.periods.map((period) => updatePeriod(tx, row.id, period.number, period.change)),
    ...applied.begins.map((period) => insertPeriod(tx, { subscription_id: row.id, ...period, began_at: at })),
    applied.entries.length === 0 ? null : insertEntries(tx, row.id, applied.entries, at),
  ]);
  const { credit_balance_cents: credit } = { ...row, ...columns };
  const refundable_credit_cents = credit === 0 ? 0 : await selectRefundableCredit(tx, row.id);
  const stored = { row: { ...row, ...columns, refundable_credit_cents }, subscription: applied.subscription };
  const shown = shownRow(stored);
  const events = applied.happenings.map((happening) => ({ happening, extra: extraOf(happening, applied) }));
  record(tx, ...events.map(({ happening, extra }) => subscriptionEvent(`subscription.${happening}`, shown, at, extra)));
  return stored;
}

/** Returns a locked subscription as a change would make it. Nothing is stored. */
export function changedBy(
  { row, subscription }: LockedSubscription,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): LockedSubscription {
  const applied = applyChange(subscription, change, null, { before: row, at });
  return { row: { ...row, ...applied.course, ...applied.derived }, subscription: applied.subscription };
}

/** What an event tells besides the subscription. */
function extraOf(happening: Happening, { paid, letGo }: Applied): object {
  if (happening === 'period_paid' && paid !== null) return paidPeriodOf(paid);
  const isLetGo = happening === 'canceled' || happening === 'resumed' || happening === 'updated';
  return isLetGo ? letGo : {};
}

/** Returns the subscription as the API shows it. */
export function shownRow({ row, subscription: { current } }: LockedSubscription): ShownSubscriptionRow {
  return { ...row, current_period: current };
}

/** Returns a subscription as it is read, without a lock, with the periods that decide what it does next. */
export async function readWithPeriods(
  db: Db,
  row: ShownSubscriptionRow,
  timeZone: string,
): Promise<SubscriptionWithPeriods> {
  return withPeriods(row, await listOpenPeriods(db, row.id), timeZone);
}

/** A payment that was under way when its subscription was canceled has an outcome. */
export function landed({ row }: LockedSubscription, amount: MinorUnits): { in_flight_cents?: MinorUnits } {
  return row.in_flight_cents === 0 ? {} : { in_flight_cents: Math.max(0, row.in_flight_cents - amount) };
}
