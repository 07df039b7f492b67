import { listPeriodFunds, selectPeriodFunds, selectPeriodOfPayment, updateWithheld } from '../../db/period-funds.ts';
import { insertEntries } from '../../db/subscription-entries.ts';
import { addCredit, type SubscriptionRow, selectSubscription, updateSubscription } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { type CreditAccount, entry, post } from '../../domain/subscriptions/account.ts';
import { nothingLetGo } from '../../domain/subscriptions/apply.ts';
import { coverLine, givenBy, unspentCreditOf, withheldOf } from '../../domain/subscriptions/cover.ts';
import type { MinorUnits, PeriodNumber } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { record, subscriptionEvent } from '../events.ts';

/** The account of a locked subscription. */
type Covered = Pick<SubscriptionRow, 'id' | 'biller_id' | 'livemode'> & CreditAccount;

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
  const funded = await selectPeriodFunds(tx, id, period);
  if (funded === null) return account;
  const withheld = withheldOf(funded, funded.funds);
  if (withheld === funded.withheld_cents) return account;
  const lines = coverLine(withheld - funded.withheld_cents);
  const covered = post(account, lines);
  await insertEntries(tx, id, [entry('withheld', period, lines)], at);
  await updateWithheld(tx, id, period, withheld);
  await updateSubscription(tx, id, { ...covered, updated_at: at });
  return covered;
}

/**
 * Adds to the credit of a locked subscription what a refund of its payment gives back, or takes what it pays out, and
 * covers the credit of the payment's period. If the credit is another after that, an event tells it.
 */
export async function moveCredit(
  tx: Tx,
  subscription: Covered,
  paymentIntentId: Id<'payment_intent'>,
  amount: MinorUnits,
  at: CustomerInstant,
): Promise<void> {
  if (amount !== 0) await addCredit(tx, subscription.id, paymentIntentId, amount, at);
  const moved = { ...subscription, credit_balance_cents: subscription.credit_balance_cents + amount };
  const period = await selectPeriodOfPayment(tx, paymentIntentId);
  const { credit_balance_cents: credit } = period === null ? moved : await coverCredit(tx, moved, period, at);
  if (credit !== subscription.credit_balance_cents) await recordCredit(tx, subscription, at);
}

/** Records the present credit of a locked subscription, when no other event tells it. The ledger goes by events. */
export async function recordCredit(
  tx: Tx,
  subscription: Pick<SubscriptionRow, 'id' | 'biller_id' | 'livemode'>,
  at: CustomerInstant,
): Promise<void> {
  const shown = await selectSubscription(tx, tenantOf(subscription), subscription.id);
  if (shown !== null) record(tx, subscriptionEvent('subscription.updated', shown, at, nothingLetGo));
}

/** Returns how much of the credit of a locked subscription came from this payment and is still there. */
export async function unspentCredit(tx: Tx, { id, credit_balance_cents: balance }: Covered, paymentIntentId: string) {
  if (balance === 0) return 0;
  const given = (await listPeriodFunds(tx, id)).flatMap((period) => givenBy(period, period.funds));
  const sources = given.map(({ fund, given }) => ({ ...fund, given }));
  return unspentCreditOf(paymentIntentId, sources, balance);
}
