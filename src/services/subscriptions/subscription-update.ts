import { updateIntentAmounts } from '../../db/payment-intents.ts';
import type { ShownSubscriptionRow, SubscriptionRowChange } from '../../db/subscriptions.ts';
import { dateIn } from '../../domain/calendar.ts';
import { namedId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { isOwedAlone, unpaidPeriods } from '../../domain/subscriptions/owed.ts';
import type { Discount, OneOffItem } from '../../domain/subscriptions/pricing.ts';
import { collected, type PeriodChange, type SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { Period } from '../../domain/subscriptions/subscription.ts';
import { replaceFees, unpaidFees } from '../../domain/subscriptions/taking.ts';
import { taxablePart } from '../../domain/tax/taxable.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { SubscriptionUpdate } from '../../resources/subscription-input.ts';
import type { Instants } from '../customer-time.ts';
import { attachMethod, metadataErrors, resolveMethod } from '../customers/resolve-references.ts';
import { lockPaymentOf } from '../debits/recurring-steps.ts';
import { assertNoErrors } from '../errors.ts';
import { transact } from '../events.ts';
import { currencyErrors, currencyErrorsOf } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/recurring-charge.ts';
import { chargedColumns, surchargingOf } from '../payments/surcharges.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { type LockedSubscription, shownRow, store } from './locked-subscription.ts';
import { retryWithNewMethod } from './method-for-subscription.ts';
import { assertPayable } from './payable.ts';
import { cancelPaymentOfPeriod } from './stopped-payments.ts';
import { lockForRequest } from './subscription-requests.ts';
import { termErrors } from './subscription-terms.ts';
import { discountErrors, itemErrors, newDiscounts, newOneOffs, withIds } from './subscriptions.ts';

/** The fields that can be changed until a subscription has ended. Before its start, all but the customer can. */
const mutable: readonly string[] = [
  'name',
  'payment_instrument_id',
  'failure_behaviour',
  'unpaid_behaviour',
  'grace_days',
  'metadata',
  'one_off_items',
  'discounts',
] satisfies (keyof SubscriptionUpdate)[];

/**
 * Changes a subscription, as far as its state allows. A period that has begun keeps its price.
 * @throws NotFound; ValidationFailed with a field error for each field that cannot change, or not to this value;
 * InvalidState while the customer's clock is advancing.
 */
export async function updateSubscriptionTerms(
  db: Writer,
  context: RequestContext,
  id: string,
  input: SubscriptionUpdate,
): Promise<ShownSubscriptionRow> {
  return transact(db, context, async (tx) => {
    const { locked, at } = await lockForRequest(tx, context, id);
    const { row } = locked;
    const isUnstarted = row.state === 'pending' && row.started_at === null;
    assertNoErrors(fixedFieldErrors(input, row.state, isUnstarted));
    const { customer_id: _, items, start_date, one_off_items: oneOffs, discounts, ...others } = input;
    const { payment_instrument_id: methodId, ...plain } = others;
    const change: SubscriptionRowChange = {
      ...plain,
      ...(methodId === undefined ? {} : { payment_instrument_id: namedId('payment_method', methodId) }),
      ...(items === undefined ? {} : { items: withIds(items) }),
      ...(discounts === undefined ? {} : plannedDiscounts(row.current_number, newDiscounts(discounts))),
      ...(start_date === undefined ? {} : { start_date: start_date ?? dateIn(at, context.timeZone) }),
    };
    const fees = oneOffs && newOneOffs(oneOffs);
    const openFees = fees ?? [...unpaidFees(locked.subscription), ...row.one_off_items];
    const changed = { ...row, ...change };
    const errors = [
      ...metadataErrors(input.metadata, context.livemode),
      ...itemErrors(changed.next_items ?? changed.items, openFees),
      ...discountErrors(discounts),
      ...noPeriodErrors(locked, fees ?? []),
    ];
    const terms = start_date ? changed : startable(changed, at, context.timeZone);
    if (isUnstarted) errors.push(...termErrors(terms, { at, timeZone: context.timeZone }));
    if (input.payment_instrument_id) {
      const path = '/payment_instrument_id';
      const method = await resolveMethod(tx, context, input.payment_instrument_id, row.customer_id, path);
      if (method.error) errors.push(method.error);
      else await attachMethod(tx, context, method.value, row.customer_id, at);
      errors.push(...currencyErrors(method.value, changed.currency, path));
    } else if (input.currency !== undefined) {
      errors.push(
        ...(await currencyErrorsOf(tx, context, changed.payment_instrument_id, changed.currency, '/currency')),
      );
    }
    assertNoErrors(errors);
    const charged = fees === undefined ? locked : await replaceUnpaidFees(tx, locked, fees, { at, now: context.now });
    const after = await store(tx, charged, newMethodStep(charged, change, at), at, change);
    if (isChargedOtherwise(input)) await assertPayable(tx, after, at);
    await wake.subscription(tx, row, context.now);
    return shownRow(after);
  });
}

/**
 * Replaces all fees of a locked subscription that are not paid: those that wait, and those that unpaid periods have
 * taken. The payments of these periods take the new amount. One that has nothing left to take is paid by credit.
 */
async function replaceUnpaidFees(
  tx: Tx,
  locked: LockedSubscription,
  fees: OneOffItem[],
  instants: Instants,
): Promise<LockedSubscription> {
  const { at } = instants;
  const { waiting, periods: charged, entries } = replaceFees(locked.subscription, fees);
  const periods: PeriodChange[] = [];
  for (const { period, change } of charged) {
    const { number } = period;
    const isFree = change.amount_cents === 0;
    if (isFree) await cancelPaymentOfPeriod(tx, locked, period, instants);
    else await updatePaymentOfPeriod(tx, locked, period, change, at);
    periods.push({ number, change: isFree ? { ...change, payment_intent_id: null } : change });
  }
  let after = await store(tx, locked, { terms: { one_off_items: waiting }, periods, entries, events: [] }, at);
  for (const { period } of charged.filter(({ change }) => change.amount_cents === 0)) {
    after = await store(tx, after, collected(after.subscription, period, at), at);
  }
  return after;
}

/** The payment of an unpaid period takes another amount. */
async function updatePaymentOfPeriod(
  tx: Tx,
  { row }: LockedSubscription,
  period: Period,
  { amount_cents: amount, lines }: Pick<Period, 'amount_cents' | 'lines'>,
  at: CustomerInstant,
): Promise<void> {
  const intent = await lockPaymentOf(tx, period, row.id);
  const method = await chargeableMethod(tx, row);
  const biller = { ...surchargingOf(row), tax: intent.tax_basis ?? row.tax };
  const asked = { amount, taxable: taxablePart(amount, lines), isAsked: intent.surcharge_asked };
  const columns = chargedColumns(asked, method, biller, at);
  await updateIntentAmounts(tx, { ...intent, amount, ...columns }, at);
}

/** Whether its next payments may take more, or by another method. Fees can be withdrawn at any time. */
function isChargedOtherwise({ items, one_off_items: fees, discounts, ...input }: SubscriptionUpdate): boolean {
  const hasFees = fees !== undefined && fees.length > 0;
  return hasFees || [items, discounts, input.payment_instrument_id].some((field) => field !== undefined);
}

/** A fee of a subscription that ends with its period is never taken, unless an unpaid period takes it. */
function noPeriodErrors({ row, subscription }: LockedSubscription, fees: OneOffItem[]): FieldError[] {
  const { current } = subscription;
  const isLast = row.ends_at !== null && current !== null && row.ends_at <= current.end_date;
  if (fees.length === 0 || !isLast || unpaidPeriods(subscription).some((period) => !isOwedAlone(period))) return [];
  const message = `It ends on ${row.ends_at} with its period, so no period takes a fee. Take it as a payment of its own.`;
  return [fieldError('/one_off_items', 'no_period_left', message)];
}

/** A new method is charged at once for what is unpaid while that is retried. */
function newMethodStep(
  { row, subscription }: LockedSubscription,
  { payment_instrument_id: methodId }: SubscriptionRowChange,
  at: CustomerInstant,
): SubscriptionStepChange {
  const isNew = methodId !== undefined && methodId !== row.payment_instrument_id;
  return isNew ? retryWithNewMethod(subscription, at) : { events: [] };
}

/** The discounts of a period that has begun stay as they are. */
function plannedDiscounts(currentNumber: number, discounts: Discount[]): SubscriptionRowChange {
  return currentNumber === 0 ? { discounts } : { next_discounts: discounts };
}

/** A start date that has passed since the creation is no error: the subscription starts on the day of its start. */
function startable<T extends { start_date: string }>(terms: T, at: CustomerInstant, timeZone: string): T {
  const today = dateIn(at, timeZone);
  return { ...terms, start_date: terms.start_date > today ? terms.start_date : today };
}

function fixedFieldErrors(input: SubscriptionUpdate, state: string, isUnstarted: boolean): FieldError[] {
  const isFixed = (field: string) =>
    field === 'customer_id' || state === 'canceled' || !(isUnstarted || mutable.includes(field));
  return Object.keys(input)
    .filter(isFixed)
    .map((field) =>
      fieldError(
        `/${field}`,
        'immutable',
        `${field} cannot be changed while the subscription is ${state}.${state === 'canceled' ? '' : remedyFor(field)}`,
      ),
    );
}

function remedyFor(field: string): string {
  if (field === 'items') return ' Change them with POST /subscriptions/{subscription_id}/change.';
  if (field === 'ends_at') return ' End it with POST /subscriptions/{subscription_id}/cancel.';
  return '';
}
