import { insertPaymentIntent } from '../../db/payment-intents.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { countPaidPeriods } from '../../db/subscription-periods.ts';
import type { CollectingSubscriptionRow, SubscriptionRowChange } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { outcomesOfPeriod } from '../../domain/sandbox-outcomes.ts';
import { begunBy, trialPeriod } from '../../domain/subscriptions/apply.ts';
import { allOwed } from '../../domain/subscriptions/course.ts';
import { sumOf } from '../../domain/subscriptions/lines.ts';
import { collected, type SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import { openedBy, type Taking } from '../../domain/subscriptions/taking.ts';
import type { MinorUnits, PeriodNumber } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { chargeableMethod, recurringIntent } from '../payments/new-intent.ts';
import type { DecidedIntent } from '../payments/surcharges.ts';
import { withAllCreditCovered } from './covered-credit.ts';
import { type LockedSubscription, store } from './locked-subscription.ts';
import { giveUpUnpaid } from './unpaid-payments.ts';

/** A period that was opened with its payment, or was given away. */
export interface OpenedPeriod {
  locked: LockedSubscription;
  /** Null if there is nothing to charge: a trial, a share that rounds to nothing, or a period that credit pays. */
  payment: { intent: DecidedIntent; method: PaymentMethodRow | null } | null;
}

/**
 * Opens the period that a change begins: its statement, its row and its payment intent. The caller opens the charge.
 */
export async function openPeriod(
  tx: Tx,
  locked: LockedSubscription,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): Promise<OpenedPeriod> {
  const { begins } = change;
  if (begins === undefined) throw new Error(`no period of subscription ${locked.row.id} begins`);
  if (begins.kind === 'trial') return { locked: await store(tx, locked, change, at, trialPeriod), payment: null };
  const { row } = locked;
  const { change: billed, taking } = openedBy(locked.subscription, { ...change, begins });
  if (taking.amount_cents === 0) return giveAway(tx, locked, billed, taking, at);
  const method = await chargeableMethod(tx, row);
  const intent = await openIntent(tx, row, { number: begins.number, amount: taking.amount_cents, method, at });
  const begun = begunBy(taking, { status: 'processing', payment_intent_id: intent.id });
  const more = { charges: row.charges + 1, latest_payment_intent_id: intent.id };
  return { locked: await store(tx, locked, billed, at, begun, more), payment: { intent, method } };
}

/** Opens the next payment of a subscription, for this period. The caller counts it. */
async function openIntent(
  tx: Tx,
  row: CollectingSubscriptionRow,
  {
    number,
    amount,
    method,
    at,
  }: { number: PeriodNumber; amount: MinorUnits; method: PaymentMethodRow | null; at: CustomerInstant },
): Promise<DecidedIntent> {
  const purpose = {
    subscription_id: row.id,
    subscription_charge: row.charges + 1,
    subscription_period: number,
    metadata: await metadataOf(tx, row, number),
  };
  const intent = recurringIntent(row, purpose, amount, method, at);
  await insertPaymentIntent(tx, intent);
  return intent;
}

/**
 * Stores that a subscription is resumed. The payments of its unpaid periods are canceled. What is owed apart has new
 * ones, which are retried at once.
 * @param instrument the method that will pay it, if that is another.
 */
export async function storeResumed(
  tx: Tx,
  locked: LockedSubscription,
  change: SubscriptionStepChange,
  { at, now }: { at: CustomerInstant; now: RealInstant },
  instrument: Pick<SubscriptionRowChange, 'payment_instrument_id'> = {},
): Promise<LockedSubscription> {
  await giveUpUnpaid(tx, locked, { at, now });
  const payer = { ...locked.row, ...instrument };
  const methodId = payer.payment_instrument_id ?? payer.default_payment_method_id;
  // It prices a surcharge, and is not locked: the charge locks it, and prices again.
  const method =
    change.apart === undefined || methodId === null ? null : await selectPaymentMethod(tx, tenantOf(payer), methodId);
  const apart: NonNullable<SubscriptionStepChange['apart']> = [];
  let more: SubscriptionRowChange = instrument;
  for (const part of change.apart ?? []) {
    const row = { ...payer, ...more };
    const intent = await openIntent(tx, row, { number: part.number, amount: sumOf(part.lines), method, at });
    apart.push({ ...part, payment_intent_id: intent.id });
    more = { ...more, charges: row.charges + 1, latest_payment_intent_id: intent.id };
  }
  const stored = await store(tx, locked, apart.length === 0 ? change : { ...change, apart }, at, null, more);
  // Periods that the resume has left void have given no credit.
  return withAllCreditCovered(tx, stored, at);
}

/**
 * The bank debit of a period was accepted, so it is in effect from now on. In the first period, that is so with
 * `effective_on: submitted` only: then the subscription is active.
 */
export async function putIntoEffect(tx: Tx, locked: LockedSubscription, at: CustomerInstant): Promise<void> {
  const { state, effective_on: effectiveOn, in_effect: isInEffect } = locked.row;
  const isFirst = state === 'pending';
  if (isFirst ? effectiveOn === 'settled' : state !== 'active' || isInEffect) return;
  const started: SubscriptionStepChange = isFirst
    ? { course: { state: 'active', state_reason: null }, happenings: ['started'] }
    : { happenings: [] };
  await store(tx, locked, { ...started, isAccepted: true }, at);
}

/** A period that credit pays, or of which the share of few days rounds to nothing, counts as paid. */
async function giveAway(
  tx: Tx,
  locked: LockedSubscription,
  change: SubscriptionStepChange,
  taking: Taking,
  at: CustomerInstant,
): Promise<OpenedPeriod> {
  const { subscription } = locked;
  const course = { ...subscription.course, ...change.course };
  const paid = collected({ ...subscription, course, owed: null, others: allOwed(subscription) }, at);
  const both = {
    ...change,
    course: { ...change.course, ...paid.course },
    happenings: [...change.happenings, ...paid.happenings],
  };
  const free = begunBy(taking, { status: 'paid', payment_intent_id: null });
  return { locked: await store(tx, locked, both, at, free), payment: null };
}

/**
 * The metadata of a period's payment. In the sandbox, `_sandbox_outcome_by_period` chooses the outcomes of each paid
 * period.
 */
async function metadataOf(tx: Tx, row: CollectingSubscriptionRow, number: number): Promise<Record<string, string>> {
  const text = row.livemode ? undefined : row.metadata._sandbox_outcome_by_period;
  if (text === undefined) return row.metadata;
  return { ...row.metadata, _sandbox_outcome: outcomesOfPeriod(text, await countPaidPeriods(tx, row.id, number)) };
}
