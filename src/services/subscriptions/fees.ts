import { updateIntentAmounts } from '../../db/payment-intents.ts';
import { feeFor } from '../../domain/fees.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { about } from '../../domain/subscriptions/course.ts';
import type { OneOffItem } from '../../domain/subscriptions/pricing.ts';
import { collected, type SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import { replaceFees } from '../../domain/subscriptions/unpaid-fees.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { chargeableMethod } from '../payments/new-intent.ts';
import { decideSurcharge, surchargingOf } from '../payments/surcharges.ts';
import { type LockedSubscription, store } from './locked-subscription.ts';
import { cancelPaymentOfPeriod, lockIntentOfPeriod } from './unpaid-payments.ts';

/**
 * Replaces all fees of a locked subscription that are not paid: those that wait, and those that unpaid periods have
 * taken. The payments of these periods take the new amount. One that has nothing left to take is paid by credit.
 */
export async function replaceUnpaidFees(
  tx: Tx,
  locked: LockedSubscription,
  fees: OneOffItem[],
  { at, now }: { at: CustomerInstant; now: RealInstant },
): Promise<LockedSubscription> {
  const { row, subscription } = locked;
  const { waiting, periods, entries } = replaceFees(subscription, fees);
  for (const { number, change } of periods) {
    const period = [subscription.owed, ...subscription.others].find((one) => one?.number === number) ?? null;
    if (change.amount_cents === 0) {
      await cancelPaymentOfPeriod(tx, row, period, { at, now });
      continue;
    }
    const intent = await lockIntentOfPeriod(tx, row, period);
    const { amount_cents: amount } = change;
    const fee_amount = feeFor(amount, { basisPoints: row.fee_basis_points, fixed: row.fee_fixed });
    const method = await chargeableMethod(tx, row);
    await updateIntentAmounts(
      tx,
      decideSurcharge({ ...intent, amount, fee_amount }, method, surchargingOf(row), at),
      at,
    );
  }
  const isFree = ({ change }: (typeof periods)[number]) => change.amount_cents === 0;
  const changed = periods.map((period) => ({
    ...period,
    change: isFree(period) ? { ...period.change, payment_intent_id: null } : period.change,
  }));
  const own = changed.find(({ number }) => number === subscription.owed?.number);
  const step: SubscriptionStepChange = {
    course: { one_off_items: waiting },
    ...(own === undefined ? {} : { owed: own.change }),
    others: changed.filter(({ number }) => number !== subscription.owed?.number),
    entries,
    happenings: [],
  };
  let after = await store(tx, locked, step, at);
  for (const { number } of periods.filter(isFree)) {
    const subscription = about(after.subscription, number);
    after = await store(tx, { ...after, subscription }, collected(subscription, at), at);
  }
  return after;
}
