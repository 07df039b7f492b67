import { selectPeriodFunds, selectPeriodOfPayment, updateWithheld } from '../../db/period-funds.ts';
import { insertEntries } from '../../db/subscription-entries.ts';
import { type SubscriptionRow, updateSubscription } from '../../db/subscriptions.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { type CreditAccount, entry, post } from '../../domain/subscriptions/account.ts';
import { coverLine, withheldOf } from '../../domain/subscriptions/cover.ts';
import type { PeriodNumber } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';

/** The account of a locked subscription. */
type Covered = Pick<SubscriptionRow, 'id'> & CreditAccount;

/**
 * Withholds of a period's credit what its payments no longer cover, or returns what they cover again. Call it when a
 * payment of the period was refunded, came back or was collected again. Returns the account after that. The
 * subscription is locked.
 */
export async function coverCredit(
  tx: Tx,
  subscription: Covered,
  period: PeriodNumber,
  at: CustomerInstant,
): Promise<CreditAccount> {
  const { id, next_period_lines, credit_balance_cents } = subscription;
  const account = { next_period_lines, credit_balance_cents };
  const funds = await selectPeriodFunds(tx, id, period);
  if (funds === null) return account;
  const withheld = withheldOf(funds, funds);
  if (withheld === funds.withheld_cents) return account;
  const covered = post(account, coverLine(withheld - funds.withheld_cents));
  const entries = [entry('withheld', period, coverLine(withheld - funds.withheld_cents))];
  await insertEntries(tx, id, entries, at);
  await updateWithheld(tx, id, period, withheld);
  await updateSubscription(tx, id, { ...covered, updated_at: at });
  return covered;
}

/** As `coverCredit`, for the period that a payment was for. */
export async function coverCreditOf(
  tx: Tx,
  subscription: Covered,
  paymentIntentId: string,
  at: CustomerInstant,
): Promise<void> {
  const period = await selectPeriodOfPayment(tx, paymentIntentId);
  if (period !== null) await coverCredit(tx, subscription, period, at);
}
