import { listCreditedPeriods } from '../../db/period-funds.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Period } from '../../domain/subscriptions/subscription.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { coverCredit } from '../payments/credit-cover.ts';
import type { LockedSubscription } from './locked-subscription.ts';

/**
 * Returns a locked subscription whose credit is covered again, after a payment of this period has changed. A period
 * without changes has given no credit: then nothing is read.
 */
export async function withCoveredCredit(
  tx: Tx,
  locked: LockedSubscription,
  {
    number,
    changed_cents: changed,
    withheld_cents: withheld,
  }: Pick<Period, 'number' | 'changed_cents' | 'withheld_cents'>,
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

function withAccount({ row, subscription }: LockedSubscription, account: Awaited<ReturnType<typeof coverCredit>>) {
  const terms = { ...subscription.terms, ...account };
  return { row: { ...row, ...account }, subscription: { ...subscription, terms } };
}
