import { lockMandateOfMethod } from '../../db/mandates.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { startOfDay } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { debitDates } from '../../domain/schemes/bank-debit.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { SubscriptionWithPeriods } from '../../domain/subscriptions/course.ts';
import { mostToCome } from '../../domain/subscriptions/most-to-come.ts';
import { isCollectedAsIs, owedAmount } from '../../domain/subscriptions/owed.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { InvalidState } from '../errors.ts';
import { assertWithinLimit, isAboveLimit } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/new-intent.ts';
import type { LockedSubscription } from './locked-subscription.ts';

/**
 * Says at a door what the charges to come of a subscription, as it will be, would say: its mandate allows less for one
 * debit. Without a method, and if no payment is to come, nothing is asked. Locks the method and its mandate.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export async function assertPayable(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  at: CustomerInstant,
): Promise<void> {
  const most = mostToCome(subscription, at);
  if (most !== null) await assertWithinLimit(tx, await chargeableMethod(tx, row), row, most, at);
}

/**
 * Says before a resume that what is owed for former periods is more than its mandate allows for one debit.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export async function assertOwedPayable(
  tx: Tx,
  { row, subscription }: LockedSubscription,
  at: CustomerInstant,
): Promise<void> {
  const owed = row.state !== 'paused' || isCollectedAsIs(subscription, at) ? 0 : owedAmount(subscription, at);
  const method = owed === 0 ? null : await chargeableMethod(tx, row);
  if (!(await isAboveLimit(tx, method, row, owed, at))) return;
  throw new InvalidState(
    `What is owed, ${owed}, is more than the mandate of payment method ${method?.id} allows for one debit. Let it go ` +
      'with unpaid: waive, or use another method.',
    'mandate_limit_exceeded',
  );
}

/**
 * Says before a debit that its bank reports after the end of the period, when the change that it pays is no longer
 * made.
 * @throws InvalidState `result_after_period`.
 */
export async function assertResultInPeriod(
  tx: Tx,
  method: PaymentMethodRow | null,
  { current, timeZone }: SubscriptionWithPeriods,
  at: CustomerInstant,
): Promise<void> {
  if (method?.instrument.type !== 'au_becs_debit' || current === null) return;
  const mandate = await lockMandateOfMethod(tx, method.id);
  const dates = mandate === null || mandate.ended_at !== null ? null : debitDates(schemes[mandate.scheme], at);
  if (dates === null || dates.resultAt < startOfDay(current.end_date, timeZone)) return;
  throw new InvalidState(
    `The bank reports this debit on ${dates.resultDate}, after the period has ended on ${current.end_date}, so the change ` +
      'could not be made. Send collect: next_period.',
    'result_after_period',
  );
}
