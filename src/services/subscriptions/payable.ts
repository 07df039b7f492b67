import { lockMandateOfMethod, selectMandateOfMethod } from '../../db/mandates.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { startOfDay } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { debitDates } from '../../domain/schemes/bank-debit.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import { mostToCome, wayToCollect } from '../../domain/subscriptions/coming.ts';
import type { SubscriptionWithPeriods } from '../../domain/subscriptions/subscription.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { InvalidState } from '../errors.ts';
import { assertWithinLimit, isAboveMandate } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/recurring-charge.ts';
import type { LockedSubscription } from './locked-subscription.ts';

/**
 * Says in a request what the charges to come of a subscription, as it will be, would say: its mandate allows less for
 * one debit. Without a method, and if no payment is to come, nothing is asked. Locks the method and its mandate.
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

/** How a resume would collect what is owed, and by which method. */
interface Collecting {
  way: ReturnType<typeof wayToCollect>;
  method: PaymentMethodRow | null;
}

/**
 * Returns how a resume collects what is owed for former periods: apart from the new period if its mandate allows less
 * than the sum for one debit. Nothing is locked: each charge is checked again when it is made.
 */
export async function readWayToCollect(
  db: Db,
  { row, subscription }: Pick<LockedSubscription, 'row' | 'subscription'>,
  at: CustomerInstant,
  anchorDay: number | null = null,
): Promise<Collecting> {
  const methodId = row.state === 'paused' ? (row.payment_instrument_id ?? row.default_payment_method_id) : null;
  if (methodId === null) return { way: 'with_period', method: null };
  const method = await selectPaymentMethod(db, tenantOf(row), methodId);
  const mandate = await selectMandateOfMethod(db, methodId);
  const isAbove = (amount: MinorUnits) => isAboveMandate(mandate, method, row, amount, at);
  return { way: wayToCollect(subscription, at, anchorDay, isAbove), method };
}

/**
 * Says before a resume that what is owed for former periods is more than its mandate allows for one debit, also as a
 * payment of its own.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export function assertOwedPayable({ way, method }: Collecting): void {
  if (way !== 'impossible') return;
  throw new InvalidState(
    `What is owed is more than the mandate of payment method ${method?.id} allows for one debit. Let it go with ` +
      'unpaid: waive, or use another method.',
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
