import { lockCustomer } from '../../db/customers.ts';
import type { CollectingPlanRow, PaymentPlanRow, PlanChange } from '../../db/payment-plans.ts';
import { dateIn } from '../../domain/calendar.ts';
import { namedId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { hasEnded, mutablePlanFields } from '../../domain/plan-state.ts';
import { mostToCome, progressOf } from '../../domain/plans/plan.ts';
import { amend } from '../../domain/plans/steps.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { PaymentPlanUpdate } from '../../resources/payment-plan-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, metadataErrors, resolveMethod } from '../customers/resolve-references.ts';
import { assertNoErrors, orNotFound } from '../errors.ts';
import { transact } from '../events.ts';
import { announceAmount } from '../mandates/notices.ts';
import { assertWithinLimit, currencyErrors, currencyErrorsOf } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/recurring-charge.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { defaultErrors, getPaymentPlan } from './payment-plans.ts';
import { agreedAfter } from './plan-consistency.ts';
import { planErrors } from './plan-rules.ts';
import { lockPlanWithSlots, store } from './store.ts';

/**
 * Changes the terms of a plan, as far as its state allows. A payment that is being charged keeps its amount.
 * @throws NotFound; ValidationFailed with a field error for each field that cannot change, or not to this value;
 * InvalidState while the customer's clock is advancing; `mandate_limit_exceeded` if the method that pays from now on
 * allows less than the plan takes.
 */
export async function updatePaymentPlan(
  db: Writer,
  context: RequestContext,
  id: string,
  input: PaymentPlanUpdate,
): Promise<PaymentPlanRow> {
  return transact(db, context, async (tx) => {
    const { customer_id: customerId } = await getPaymentPlan(tx, context, id);
    const at = timeOf(await lockCustomer(tx, context, customerId), context.now);
    const locked = orNotFound(await lockPlanWithSlots(tx, id), 'payment plan', id);
    const { plan, slots } = locked;
    assertNoErrors(fixedFieldErrors(plan, input));
    const change = changeOf(input);
    const changed = { ...plan, ...change };
    const { committedAmount } = progressOf({ plan: changed, slots });
    const errors = [
      ...metadataErrors(input.metadata, context.livemode),
      ...planErrors(changed, { at, timeZone: context.timeZone }, newDates(input)),
      ...(hasEnded(plan.state) ? [] : totalReachedErrors(changed, committedAmount)),
    ];
    if (input.payment_instrument_id) {
      const path = '/payment_instrument_id';
      const method = await resolveMethod(tx, context, input.payment_instrument_id, plan.customer_id, path);
      if (method.error) errors.push(method.error);
      else await attachMethod(tx, context, method.value, plan.customer_id, at);
      errors.push(...currencyErrors(method.value, changed.currency, path));
    }
    errors.push(...(await keptMethodErrors(tx, context, changed, input)));
    assertNoErrors(errors);
    await assertWithinLimitAfter(tx, plan, changed, at);
    const columns = { ...change, ...agreedAfter(plan, change) };
    const { plan: row } = await store(tx, locked, amend(locked, change, at), at, { columns });
    if (!hasEnded(row.state)) await wake.paymentPlan(tx, row, context.now);
    await announceIfDebited(tx, plan, row, at);
    return row;
  });
}

/** Returns the field errors of a method that the input does not name, if it changes what that must be able to pay. */
async function keptMethodErrors(
  tx: Tx,
  context: RequestContext,
  plan: CollectingPlanRow,
  { payment_instrument_id: named, currency }: PaymentPlanUpdate,
): Promise<FieldError[]> {
  if (named || (named === undefined && currency === undefined)) return [];
  if (plan.payment_instrument_id !== null) {
    return currencyErrorsOf(tx, context, plan.payment_instrument_id, plan.currency, '/currency');
  }
  return defaultErrors(tx, context, { ...plan, defaultId: plan.default_payment_method_id });
}

/** Amount and method are judged together: a new method that allows a new amount is right. */
async function assertWithinLimitAfter(
  tx: Tx,
  before: CollectingPlanRow,
  after: CollectingPlanRow,
  at: CustomerInstant,
): Promise<void> {
  const isSameMethod = before.payment_instrument_id === after.payment_instrument_id;
  if (isSameMethod && mostToCome(before) === mostToCome(after)) return;
  await assertWithinLimit(tx, await chargeableMethod(tx, after), after, mostToCome(after), at);
}

/** If the plan collects another amount by bank debit from now on, the payer is to be told. */
async function announceIfDebited(
  tx: Tx,
  before: CollectingPlanRow,
  { recurring_amount_cents: amount, payment_instrument_id: named, next_due_at: nextAt }: PaymentPlanRow,
  at: CustomerInstant,
): Promise<void> {
  const methodId = named ?? before.default_payment_method_id;
  if (before.state === 'pending' || amount === before.recurring_amount_cents || methodId === null) return;
  // A suspended plan collects as soon as it is resumed.
  await announceAmount(tx, methodId, { nextDebit: dateIn(nextAt ?? at, before.time_zone), at });
}

function fixedFieldErrors(plan: PaymentPlanRow, input: PaymentPlanUpdate): FieldError[] {
  const mutable = mutablePlanFields(plan.state);
  return Object.keys(input)
    .filter((field) => !mutable.includes(field))
    .map((field) =>
      fieldError(`/${field}`, 'immutable', `${field} cannot be changed while the plan is ${plan.state}.`),
    );
}

/** The total and `until_further_notice` exclude each other. An input with only one of them replaces the other. */
function changeOf(input: PaymentPlanUpdate): PlanChange {
  const { customer_id: _, payment_instrument_id: methodId, ...change } = input;
  const replaced: PlanChange = { ...change };
  if (methodId !== undefined) replaced.payment_instrument_id = namedId('payment_method', methodId);
  if (change.until_further_notice === true && change.total_amount_cents === undefined)
    replaced.total_amount_cents = null;
  if (typeof change.total_amount_cents === 'number' && change.until_further_notice === undefined) {
    replaced.until_further_notice = false;
  }
  return replaced;
}

function newDates(input: PaymentPlanUpdate): ('start_date' | 'first_date')[] {
  return (['start_date', 'first_date'] as const).filter((field) => input[field] !== undefined);
}

/** Refuses a total that is already reached: it would close the plan without a request from the biller. */
function totalReachedErrors(plan: PaymentPlanRow, committed: MinorUnits): FieldError[] {
  const total = plan.total_amount_cents;
  if (total === null || (total >= committed && total > plan.collected_amount_cents)) return [];
  const message =
    `total_amount_cents must be more than the ${plan.collected_amount_cents} collected so far, and at least ${committed} ` +
    'with the payments that are under way or unpaid. To end the plan, close it.';
  return [fieldError('/total_amount_cents', 'out_of_range', message)];
}
