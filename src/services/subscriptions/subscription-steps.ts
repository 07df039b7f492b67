import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { attemptOpened, passBoundary, type SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { reserve } from '../events.ts';
import { processorFor } from '../payments/ask-processor.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge, NewCharge } from '../payments/charge-records.ts';
import { chargeableMethod } from '../payments/new-intent.ts';
import { lockAndChooseRail, type Rail, refusalError } from '../payments/rail.ts';
import { failIfRefused, openRecurringCharge } from '../payments/recurring-charge.ts';
import { type DecidedIntent, decideSurcharge, surchargingOf } from '../payments/surcharges.ts';
import { withoutCharges } from './end.ts';
import { type LockedSubscription, store } from './locked-subscription.ts';
import { endOpenChange } from './open-change.ts';
import { openPeriod, putIntoEffect } from './opening.ts';
import { subscriptionHook } from './subscription-hook.ts';
import { methodMissing } from './subscription-requests.ts';
import { lockIntentOfPeriod } from './unpaid-payments.ts';

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
 * A period ends. A change that waits for its challenge ends with it: its price was for the days that were left. Money
 * that is on its way for a change becomes credit.
 */
export async function passEnd(step: Step): Promise<Charge | null> {
  const { tx, at, now } = step;
  const locked = (await endOpenChange(tx, step.locked, { at, now, debitsToo: false })) ?? step.locked;
  const hasMethod = (await chargeableMethod(tx, locked.row)) !== null;
  const change = passBoundary(locked.subscription, at, { hasMethod });
  const next = { ...step, locked };
  if (change.happenings.includes('canceled')) return end(next, { hasMethod });
  return change.begins === undefined ? save(next, change) : begin(next, change);
}

/** The subscription ends. What could still be charged of it is stopped. */
async function end(step: Step, means: { hasMethod: boolean }): Promise<null> {
  const { tx, at, now } = step;
  const locked = await withoutCharges(tx, step.locked, { at, now });
  return save({ ...step, locked }, passBoundary(locked.subscription, at, means));
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
  const debit = reserve(tx);
  const opened = await openPeriod(tx, locked, change, at);
  const { payment } = opened;
  const charged = payment && (await debit.during(() => openCharges(step, payment.intent, payment.method)));
  const isDebitAccepted = charged !== null && charged.charge === null;
  if (isDebitAccepted) await putIntoEffect(tx, opened.locked, at);
  return charged && failIfRefused(tx, charged.charge, charged.rail, now, subscriptionHook);
}

/**
 * Opens the next attempt of the unpaid period that comes first. Returns what is to be charged now, as `begin` does.
 * @param debit the place of the event of an accepted debit.
 */
export async function openRetry(step: Step, debit = reserve(step.tx)): Promise<Charge | null> {
  const { tx, charging, locked, at, now } = step;
  processorFor(charging.processors, locked.row.livemode);
  const intent = await lockIntentOfPeriod(tx, locked.row, locked.subscription.owed);
  const method = await chargeableMethod(tx, locked.row);
  await store(tx, locked, attemptOpened(), at);
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
