import {
  insertSubscription,
  listSubscriptions as listRows,
  type ShownSubscriptionRow,
  type SubscriptionFilter,
  type SubscriptionRow,
  selectSubscription,
} from '../../db/subscriptions.ts';
import { dateIn } from '../../domain/calendar.ts';
import { type Id, namedId, newId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { SubscriptionItem } from '../../domain/subscriptions/lines.ts';
import { priceOfItems } from '../../domain/subscriptions/lines.ts';
import type { Discount, OneOffItem } from '../../domain/subscriptions/pricing.ts';
import { taxIncluded } from '../../domain/tax/taxable.ts';
import type { Db, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { SubscriptionCreate } from '../../resources/subscription-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, metadataErrors, resolveCustomer, resolveMethod } from '../customers/resolve-references.ts';
import { assertNoErrors, orNotFound } from '../errors.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import { currencyErrors } from '../payments/fitting-method.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { termErrors } from './subscription-terms.ts';

/**
 * Creates a subscription in `pending`. Nothing is owed before it is started.
 * @throws ValidationFailed with every field error of the body; InvalidState while the customer's clock is advancing.
 */
export async function createSubscription(
  db: Writer,
  context: RequestContext,
  input: SubscriptionCreate,
): Promise<ShownSubscriptionRow> {
  return atomically(db, async (tx) => {
    const errors = metadataErrors(input.metadata, context.livemode);
    const customer = await resolveCustomer(tx, context, input.customer_id, '/customer_id');
    if (customer.error) errors.push(customer.error);
    const at = timeOf(customer.value ?? null, context.now);
    const row = newSubscription(context, input, customer.value?.test_clock_id ?? null, at);
    errors.push(
      ...itemErrors(row.items, row.one_off_items),
      ...discountErrors(input.discounts),
      ...termErrors(row, { at, timeZone: context.timeZone }),
    );
    const path = '/payment_instrument_id';
    const methodId = input.payment_instrument_id;
    const method =
      methodId == null ? null : await resolveMethod(tx, context, methodId, customer.value?.id ?? null, path);
    if (method?.error) errors.push(method.error);
    errors.push(...currencyErrors(method?.value, row.currency, path));
    assertNoErrors(errors);
    if (method?.value) await attachMethod(tx, context, method.value, row.customer_id, at);
    await insertSubscription(tx, row);
    return { ...row, current_period: null, refundable_credit_cents: 0 };
  });
}

/** Returns the error of items whose sum is 0 or, with the fees of a period, more than one payment can be. */
export function itemErrors(items: readonly SubscriptionItem[], oneOffs: readonly OneOffItem[] = []): FieldError[] {
  const sum = priceOfItems(items);
  const all = sum + priceOfItems(oneOffs);
  if (sum >= 1 && all <= 99_999_999) return [];
  if (sum >= 1 && sum <= 99_999_999) {
    const message = `A period and its one-off items, with those of unpaid periods, must cost at most 99999999: they cost ${all}.`;
    return [fieldError('/one_off_items', 'out_of_range', message)];
  }
  const message = `The items of a period must cost between 1 and 99999999 together, in minor units: they cost ${sum}.`;
  return [fieldError('/items', 'out_of_range', message)];
}

/** Returns the errors of discounts that take off neither a percentage nor an amount, or both. */
export function discountErrors(discounts: SubscriptionCreate['discounts'] = []): FieldError[] {
  return discounts.flatMap(({ percent_off: percent, amount_off_cents: amount }, index) => {
    if ((percent === undefined) !== (amount === undefined)) return [];
    const message = 'A discount has either percent_off or amount_off_cents.';
    return [fieldError(`/discounts/${index}/amount_off_cents`, 'out_of_range', message)];
  });
}

/** Returns discounts as they are stored, before their first period. */
export function newDiscounts(discounts: SubscriptionCreate['discounts'] = []): Discount[] {
  return discounts.map(({ name, percent_off = null, amount_off_cents = null, periods = null }) => ({
    name,
    percent_off,
    amount_off_cents,
    periods_left: periods,
  }));
}

/** Returns one-off items as they are stored. */
export function newOneOffs(items: SubscriptionCreate['one_off_items'] = []): OneOffItem[] {
  return items.map(({ name, unit_amount_cents, quantity = 1, ...tax }) => ({
    name,
    unit_amount_cents,
    quantity,
    ...taxIncluded(tax),
  }));
}

/** Returns items with an id each: that of the item of the same name that they replace, or a new one. */
export function withIds(
  items: SubscriptionCreate['items'],
  replaced: readonly SubscriptionItem[] = [],
): SubscriptionItem[] {
  const known = [...replaced];
  const idOf = (name: string) => {
    const index = known.findIndex((item) => item.name === name);
    return index === -1 ? undefined : known.splice(index, 1)[0]?.id;
  };
  return items.map(({ name, unit_amount_cents, quantity = 1, ...tax }) => ({
    id: idOf(name) ?? newId('subscription_item'),
    name,
    unit_amount_cents,
    quantity,
    ...taxIncluded(tax),
  }));
}

/**
 * Returns the subscription.
 * @throws NotFound
 */
export async function getSubscription(db: Db, tenant: Tenant, id: string): Promise<ShownSubscriptionRow> {
  return orNotFound(await selectSubscription(db, tenant, id), 'subscription', id);
}

/** Returns a page of subscriptions, newest first. */
export async function listSubscriptions(
  db: Db,
  tenant: Tenant,
  query: SubscriptionFilter & PageQuery,
): Promise<Rows<ShownSubscriptionRow>> {
  return rowsOfPage(db, 'subscriptions', tenant, query, (page) => listRows(db, tenant, query, page));
}

function newSubscription(
  context: RequestContext,
  input: SubscriptionCreate,
  testClockId: Id<'test_clock'> | null,
  at: CustomerInstant,
): SubscriptionRow {
  return {
    id: newId('subscription'),
    biller_id: context.billerId,
    livemode: context.livemode,
    customer_id: namedId('customer', input.customer_id),
    test_clock_id: testClockId,
    name: input.name,
    state: 'pending',
    state_reason: null,
    currency: input.currency,
    items: withIds(input.items),
    next_items: null,
    billed_items: null,
    discounts: newDiscounts(input.discounts),
    next_discounts: null,
    one_off_items: newOneOffs(input.one_off_items),
    next_period_lines: [],
    change_payment_intent_id: null,
    frequency_type: input.frequency_type,
    frequency_period: input.frequency_period ?? 1,
    start_date: input.start_date ?? dateIn(at, context.timeZone),
    anchor_day: input.anchor_day ?? null,
    trial_days: input.trial_days ?? null,
    trial_end_date: input.trial_end_date ?? null,
    trial_end_behaviour: input.trial_end_behaviour ?? 'pause',
    payment_instrument_id: namedId('payment_method', input.payment_instrument_id) ?? null,
    failure_behaviour: input.failure_behaviour ?? 'retry',
    unpaid_behaviour: input.unpaid_behaviour ?? 'pause',
    grace_days: input.grace_days ?? 7,
    effective_on: input.effective_on ?? 'settled',
    ends_at: input.ends_at ?? null,
    metadata: input.metadata ?? {},
    started_at: null,
    anchor_start: null,
    anchor_number: 1,
    current_number: 0,
    next_number: 1,
    cancel_requested: false,
    cancel_planned: false,
    ends_at_before_cancel: null,
    pauses_at: null,
    resumes_at: null,
    resume_anchor_day: null,
    cut_number: null,
    cut_at: null,
    trial_notice_sent: false,
    paid_periods: 0,
    charges: 0,
    credit_balance_cents: 0,
    latest_payment_intent_id: null,
    next_debit_at: null,
    in_flight_cents: 0,
    last_error_code: null,
    last_error_message: null,
    next_period_at: null,
    next_attempt_at: null,
    notice_at: null,
    grace_ends_at: null,
    resume_at: null,
    lapses_at: null,
    owed_amount_cents: 0,
    unpaid_one_off_items: [],
    in_effect: false,
    in_effect_until: null,
    created_at: at,
    updated_at: at,
  };
}
