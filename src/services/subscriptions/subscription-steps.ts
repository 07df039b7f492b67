import { insertPaymentIntent } from '../../db/payment-intents.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { countPaidPeriods } from '../../db/subscription-periods.ts';
import type { CollectingSubscriptionRow, SubscriptionRowChange } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { firstRetry } from '../../domain/recurring/recurring-payment.ts';
import { outcomesOfPeriod } from '../../domain/sandbox-outcomes.ts';
import {
  attemptOpened,
  type BilledPeriod,
  endPeriod,
  type SubscriptionStepChange,
} from '../../domain/subscriptions/steps.ts';
import { billed } from '../../domain/subscriptions/taking.ts';
import { taxablePart } from '../../domain/tax/taxable.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Instants } from '../customer-time.ts';
import { lockPaymentOf } from '../debits/recurring-steps.ts';
import { positionHere } from '../events.ts';
import { type Charging, processorFor } from '../payments/charge.ts';
import type { Charge, NewCharge } from '../payments/charge-records.ts';
import { lockAndChooseRail, type Rail, refusalError } from '../payments/rail.ts';
import { chargeableMethod, failIfRefused, openRecurringCharge, recurringIntent } from '../payments/recurring-charge.ts';
import { type DecidedIntent, decideSurcharge, surchargingOf } from '../payments/surcharges.ts';
import { type LockedSubscription, store, withAllCreditCovered, withToldCredit } from './locked-subscription.ts';
import { endOpenChange } from './open-change.ts';
import { giveUpUnpaid, withoutCharges } from './stopped-payments.ts';
import { subscriptionHook } from './subscription-hook.ts';
import { methodMissing } from './subscription-requests.ts';

/** A step of a locked subscription: one that is due, or that a request asks for. */
export interface Step {
  tx: Tx;
  charging: Charging;
  locked: LockedSubscription;
  at: CustomerInstant;
  now: RealInstant;
  /** When the step was due. */
  dueAt: CustomerInstant;
  /** The request that asks for it. Without one, the subscription takes it on its own. */
  asked?: AskedStep;
}

/** What a step takes from the request that asks for it. */
export interface AskedStep {
  requestKey: string | null;
  keyExpiresAt: RealInstant | null;
  /**
   * Whether the biller has it charged now, as a confirm has: a payer may then have to authenticate the payment, and
   * what must not be charged is refused.
   */
  isConfirm: boolean;
}

/**
 * The current period ends, or the start date has come. A change that waits for its challenge ends with it: its price
 * was for the days that were left. Money that is on its way for a change becomes credit.
 */
export async function endCurrentPeriod(step: Step): Promise<Charge | null> {
  const { tx, at, now } = step;
  const locked = (await endOpenChange(tx, step.locked, { at, now, debitsToo: false })) ?? step.locked;
  const hasMethod = (await chargeableMethod(tx, locked.row)) !== null;
  const change = endPeriod(locked.subscription, at, { hasMethod });
  const next = { ...step, locked };
  if (change.events.includes('canceled')) return end(next, { hasMethod });
  return change.begins === undefined ? save(next, change) : begin(next, change);
}

/** The subscription ends. What could still be charged of it is stopped. */
async function end(step: Step, means: { hasMethod: boolean }): Promise<null> {
  const { tx, at, now } = step;
  const locked = await withoutCharges(tx, step.locked, { at, now });
  return save({ ...step, locked }, endPeriod(locked.subscription, at, means));
}

/** Stores a change by which no period begins. */
export async function save(step: Step, change: SubscriptionStepChange): Promise<null> {
  await store(step.tx, step.locked, change, step.at);
  return null;
}

/**
 * Begins the period of a change, and opens its charge. Returns what is to be charged now, or null: a debit is accepted,
 * or declined before a bank has it, or there is nothing to pay.
 * @throws ProcessorNotConfigured; for a step that is a confirm, the errors of one.
 */
export async function begin(step: Step, change: SubscriptionStepChange): Promise<Charge | null> {
  const { tx, charging, locked, at, now } = step;
  if (change.begins?.kind === 'paid') processorFor(charging.processors, locked.row.livemode);
  const debit = positionHere(tx);
  const opened = await openPeriod(tx, locked, change, at);
  const { payment } = opened;
  const charged = payment && (await debit.during(() => openCharges(step, payment.intent, payment.method)));
  const isDebitAccepted = charged !== null && charged.charge === null;
  if (isDebitAccepted) await markInEffect(tx, opened.locked, at);
  return charged && failIfRefused(tx, charged.charge, charged.rail, now, subscriptionHook);
}

/**
 * Opens the next attempt of the period that is retried first. Returns what is to be charged now, as `begin` does.
 * @param debit the position of the event of an accepted debit.
 */
export async function openRetry(step: Step, debit = positionHere(step.tx)): Promise<Charge | null> {
  const { tx, charging, locked, at, now } = step;
  processorFor(charging.processors, locked.row.livemode);
  const period = firstRetry(locked.subscription.periods);
  if (period === null) throw new Error(`subscription ${locked.row.id} has no payment to retry`);
  const intent = await lockPaymentOf(tx, period, locked.row.id);
  const method = await chargeableMethod(tx, locked.row);
  await store(tx, locked, attemptOpened(period), at);
  const decided = decideSurcharge(intent, method, surchargingOf(locked.row), at);
  const { charge, rail } = await debit.during(() => openCharges(step, decided, method));
  return failIfRefused(tx, charge, rail, now, subscriptionHook);
}

async function openCharges(
  { tx, locked, at, now, dueAt, asked }: Step,
  intent: DecidedIntent,
  method: PaymentMethodRow | null,
): Promise<{ rail: Rail; charge: Charge | null }> {
  if (asked?.isConfirm && method === null) throw methodMissing(locked);
  const rail = await lockAndChooseRail(tx, intent, method, at);
  if (asked?.isConfirm && rail.kind === 'refused') {
    throw refusalError(rail.refusal, method?.id ?? '', '/payment_instrument_id');
  }
  const { isConfirm = false, ...key } = asked ?? {};
  const due = asked === undefined ? { dueAt } : {};
  const by = { source: isConfirm ? 'confirm' : 'subscription', ...key, ...due } as const;
  const newCharge: NewCharge = { at, now, testClockId: locked.row.test_clock_id, ...by };
  return { rail, charge: await openRecurringCharge(tx, intent, method, rail, newCharge) };
}

/** A period that was opened with its payment, or that costs nothing. */
interface OpenedPeriod {
  locked: LockedSubscription;
  /** Null if there is nothing to charge: a trial, a share that rounds to nothing, or a period that credit pays. */
  payment: { intent: DecidedIntent; method: PaymentMethodRow | null } | null;
}

/**
 * Opens the period that a change begins: its statement, its row and its payment intent. The caller opens the charge.
 */
async function openPeriod(
  tx: Tx,
  locked: LockedSubscription,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): Promise<OpenedPeriod> {
  const { begins } = change;
  if (begins === undefined) throw new Error(`no period of subscription ${locked.row.id} begins`);
  const opened = billed(locked.subscription, { ...change, begins }, at);
  const { status } = opened.begins;
  if (status === 'paid') return { locked: await store(tx, locked, opened, at), payment: null };
  const { row } = locked;
  const method = await chargeableMethod(tx, row);
  const intent = await openIntent(tx, row, opened.begins, method, at);
  const paying = { ...opened, begins: { ...opened.begins, payment_intent_id: intent.id } };
  const more = { charges: row.charges + 1, latest_payment_intent_id: intent.id };
  return { locked: await store(tx, locked, paying, at, more), payment: { intent, method } };
}

/** Opens the next payment of a subscription, of what this period takes. The caller counts it. */
async function openIntent(
  tx: Tx,
  row: CollectingSubscriptionRow,
  { number, amount_cents: amount, lines }: Pick<BilledPeriod, 'number' | 'amount_cents' | 'lines'>,
  method: PaymentMethodRow | null,
  at: CustomerInstant,
): Promise<DecidedIntent> {
  const purpose = {
    subscription_id: row.id,
    subscription_charge: row.charges + 1,
    subscription_period: number,
    metadata: await metadataOf(tx, row, number),
  };
  const intent = recurringIntent(row, purpose, { amount, taxable: taxablePart(amount, lines) }, method, at);
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
  { at, now }: Instants,
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
    const intent = await openIntent(tx, row, part, method, at);
    apart.push({ ...part, payment_intent_id: intent.id });
    more = { ...more, charges: row.charges + 1, latest_payment_intent_id: intent.id };
  }
  const stored = await store(tx, locked, apart.length === 0 ? change : { ...change, apart }, at, more);
  // Periods that the resume has left void have given no credit.
  return withToldCredit(tx, await withAllCreditCovered(tx, stored, at), at);
}

/**
 * The bank debit of a period was accepted, so it is in effect from now on. In the first period, that is so with
 * `effective_on: submitted` only: then the subscription is active.
 */
async function markInEffect(tx: Tx, locked: LockedSubscription, at: CustomerInstant): Promise<void> {
  const { state, effective_on: effectiveOn, in_effect: isInEffect } = locked.row;
  const isFirst = state === 'pending';
  if (isFirst ? effectiveOn === 'settled' : state !== 'active' || isInEffect) return;
  const started: SubscriptionStepChange = isFirst
    ? { terms: { state: 'active', state_reason: null }, events: ['started'] }
    : { events: [] };
  await store(tx, locked, { ...started, isAccepted: true }, at);
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
