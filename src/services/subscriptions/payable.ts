import { lockMandateOfMethod } from '../../db/mandates.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import type { CollectingSubscriptionRow } from '../../db/subscriptions.ts';
import { startOfDay } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { debitDates } from '../../domain/schemes/bank-debit.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { SubscriptionWithPeriods } from '../../domain/subscriptions/course.ts';
import { isCollectedAsIs, owedAmount } from '../../domain/subscriptions/owed.ts';
import { mostOfPeriod } from '../../domain/subscriptions/pricing.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { InvalidState } from '../errors.ts';
import { assertWithinLimit, isAboveLimit } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/new-intent.ts';

/** What is judged at a door: the subscription as it will be, of which the next period is charged. */
type Charged = CollectingSubscriptionRow;

/**
 * Says at a door what the charge of the next period would say: its mandate allows less for one debit. What is owed for
 * earlier periods is charged with it. Locks the method and its mandate.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export async function assertPayable(
  tx: Tx,
  row: Charged,
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
): Promise<void> {
  const method = await chargeableMethod(tx, row);
  const one_off_items = [...row.unpaid_one_off_items, ...row.one_off_items];
  const most = mostOfPeriod({ ...row, one_off_items }, row.next_period_lines);
  await assertWithinLimit(tx, method, row, most, at);
  const owed = row.state !== 'paused' || isCollectedAsIs(subscription, at) ? 0 : owedAmount(subscription, at);
  if (owed === 0 || !(await isAboveLimit(tx, method, row, most + owed, at))) return;
  throw new InvalidState(
    `What is owed, ${owed}, and the new period are more than the mandate of payment method ${method?.id} allows for one ` +
      'debit. Let what is owed go with unpaid: waive, or use another method.',
    'mandate_limit_exceeded',
  );
}

/**
 * Says before a debit that its bank reports after the end of the period, when the change that it pays is no longer made.
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
