import { listCreditedPeriods } from '../../db/period-funds.ts';
import { insertEntries } from '../../db/subscription-entries.ts';
import {
  insertPeriod,
  listOpenPeriods,
  type SubscriptionPeriodRow,
  updatePeriod,
} from '../../db/subscription-periods.ts';
import {
  type CollectingSubscriptionRow,
  lockSubscription,
  type ShownSubscriptionRow,
  type SubscriptionRowChange,
  selectRefundableCredit,
  updateSubscription,
} from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { CreditAccount } from '../../domain/subscriptions/account.ts';
import { type Applied, applyChange } from '../../domain/subscriptions/apply.ts';
import type { SubscriptionEventName, SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import {
  currentOf,
  type Period,
  type SubscriptionWithPeriods,
  withPeriods,
} from '../../domain/subscriptions/subscription.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { paidPeriodOf, record, subscriptionEvent } from '../events.ts';
import { coverCredit, recordCredit } from '../payments/credit-cover.ts';

/** A locked subscription with the periods that decide what it does next. */
export interface LockedSubscription {
  row: CollectingSubscriptionRow;
  subscription: SubscriptionWithPeriods;
  /** The credit that its events have told, minor units. */
  creditTold: MinorUnits;
}

/** Locks a subscription with its current period and those that are open. Returns null if it was deleted. */
export async function lockWithPeriods(tx: Tx, id: string): Promise<LockedSubscription | null> {
  // The statement after the lock sees everything committed before it was granted.
  const [row, periods] = await pipelined(tx, [lockSubscription(tx, id), listOpenPeriods(tx, id)]);
  return row && lockedSubscription(row, periods);
}

/** Returns a locked subscription with these of its periods: the current one, those that are open, and any other. */
export function lockedSubscription(
  row: CollectingSubscriptionRow,
  periods: readonly SubscriptionPeriodRow[],
): LockedSubscription {
  const subscription = { terms: row, periods, current: currentOf(row, periods), timeZone: row.time_zone };
  return { row, subscription, creditTold: row.credit_balance_cents };
}

/**
 * Stores what a step changes, and what follows from it: the dates, and whether the subscription is in effect. Records
 * the events of this and returns the subscription as it is then.
 * @param more columns that no step knows, or that a request sets.
 */
export async function store(
  tx: Tx,
  { row, subscription, creditTold }: LockedSubscription,
  change: SubscriptionStepChange,
  at: CustomerInstant,
  more: SubscriptionRowChange = {},
): Promise<LockedSubscription> {
  const changed = { ...change, terms: { ...change.terms, ...more } };
  const applied = applyChange(subscription, changed, { before: { ...row, credit_balance_cents: creditTold }, at });
  const columns = { ...applied.terms, ...applied.derived, updated_at: at };
  await pipelined(tx, [
    updateSubscription(tx, row.id, columns),
    ...applied.periods.map((period) => updatePeriod(tx, row.id, period.number, period.change)),
    ...applied.begins.map((period) => insertPeriod(tx, { subscription_id: row.id, ...period, began_at: at })),
    applied.entries.length === 0 ? null : insertEntries(tx, row.id, applied.entries, at),
  ]);
  const { credit_balance_cents: credit } = { ...row, ...columns };
  const refundable_credit_cents = credit === 0 ? 0 : await selectRefundableCredit(tx, row.id);
  const after = { ...row, ...columns, refundable_credit_cents };
  const stored = { row: after, subscription: applied.subscription, creditTold: credit };
  const shown = shownRow(stored);
  record(
    tx,
    ...applied.events.map((name) => subscriptionEvent(`subscription.${name}`, shown, at, extraOf(name, applied))),
  );
  return stored;
}

/** Returns a locked subscription as a change would make it. Nothing is stored. */
export function changedBy(
  locked: LockedSubscription,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): LockedSubscription {
  const { row, subscription } = locked;
  const applied = applyChange(subscription, change, { before: row, at });
  return { ...locked, row: { ...row, ...applied.terms, ...applied.derived }, subscription: applied.subscription };
}

/** What an event tells besides the subscription. */
function extraOf(name: SubscriptionEventName, { paid, letGo }: Applied): object {
  if (name === 'period_paid' && paid !== null) return paidPeriodOf(paid);
  const isLetGo = name === 'canceled' || name === 'resumed' || name === 'updated';
  return isLetGo ? letGo : {};
}

/**
 * Returns a locked subscription whose credit is covered again, after a payment of this period has changed. A period
 * without changes has given no credit: then nothing is read. `store` records the credit, or `withToldCredit`.
 */
export async function withCoveredCredit(
  tx: Tx,
  locked: LockedSubscription,
  { number, changed_cents: changed, withheld_cents: withheld }: Period,
  at: CustomerInstant,
): Promise<LockedSubscription> {
  if (changed === 0 && withheld === 0) return locked;
  return withAccount(locked, await coverCredit(tx, locked.row, number, at));
}

/** The same for every period that may have given credit. */
export async function withAllCreditCovered(
  tx: Tx,
  locked: LockedSubscription,
  at: CustomerInstant,
): Promise<LockedSubscription> {
  let covered = locked;
  for (const number of await listCreditedPeriods(tx, locked.row.id)) {
    covered = withAccount(covered, await coverCredit(tx, covered.row, number, at));
  }
  return covered;
}

function withAccount(locked: LockedSubscription, account: CreditAccount): LockedSubscription {
  const { row, subscription } = locked;
  const terms = { ...subscription.terms, ...account };
  return { ...locked, row: { ...row, ...account }, subscription: { ...subscription, terms } };
}

/** Records the credit of a locked subscription, if its events have told another. */
export async function withToldCredit(
  tx: Tx,
  locked: LockedSubscription,
  at: CustomerInstant,
): Promise<LockedSubscription> {
  const { row, creditTold } = locked;
  if (row.credit_balance_cents === creditTold) return locked;
  await recordCredit(tx, row, at);
  return { ...locked, creditTold: row.credit_balance_cents };
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
