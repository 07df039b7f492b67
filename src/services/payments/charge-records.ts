// The rows, the request, the event and the telemetry of a charge, as values. They come from here, so they are the same
// however a charge is opened and recorded.

import type { AttemptCompletion, AttemptSource, NewAttempt, PaymentAttemptRow } from '../../db/payment-attempts.ts';
import type { PaymentIntentRow, PaymentIntentStatus } from '../../db/payment-intents.ts';
import type { Instrument, PaymentMethodRow } from '../../db/payment-methods.ts';
import type { ChargeOutcome, DeclineCode } from '../../domain/charge-outcome.ts';
import { inMoney } from '../../domain/currencies.ts';
import { derivedId, type Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import type { ChargeRequest, DebitRequest } from '../../processors/processor.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { intentEvent, type NewEvent } from '../events.ts';
import { emit } from '../telemetry.ts';

/** How a charge is opened. `requestKey` is the Idempotency-Key of the request, if it has one. */
export interface NewCharge {
  source: AttemptSource;
  /** Whether a payer confirms the payment, with a publishable key or on a page. The default is false. */
  byPayer?: boolean;
  at: CustomerInstant;
  now: RealInstant;
  /** When the charge was due. Null when it had no due date. */
  dueAt?: CustomerInstant | null;
  testClockId: Id<'test_clock'> | null;
  requestKey?: string | null;
  keyExpiresAt?: RealInstant | null;
}

/** An opened charge. Its attempt is committed before the processor is asked. */
export interface Charge {
  attemptId: Id<'payment_attempt'>;
  paymentIntentId: Id<'payment_intent'>;
  paymentPlanId: Id<'payment_plan'> | null;
  livemode: boolean;
  /** The request to the processor. Null when there is no method to charge: the processor is then not asked. */
  request: ChargeRequest | null;
  /** True for the charges of plans, subscriptions and schedules: no payer is present to complete a challenge. */
  unattended: boolean;
  /** True if another try may have asked the processor. The attempt then has its outcome there, or none. */
  isReopened: boolean;
}

/** The columns of a new intent, in which nothing was tried yet. */
export function untriedIntent(at: CustomerInstant) {
  return {
    status: 'requires_payment_method',
    subscription_id: null,
    subscription_charge: null,
    subscription_period: null,
    attempt_count: 0,
    payer_failures: 0,
    payment_link_id: null,
    checkout_session_id: null,
    total_refunded_amount: 0,
    mandate_id: null,
    expected_result_date: null,
    returnable_until: null,
    total_returned_amount: 0,
    refunded_before_dispute: 0,
    lodgement_reference: null,
    collected_at: null,
    last_error_code: null,
    last_error_message: null,
    return_url: null,
    created_at: at,
    updated_at: at,
  } as const;
}

const statusOf: Record<ChargeOutcome['kind'], PaymentIntentStatus> = {
  succeeded: 'succeeded',
  failed: 'failed',
  requires_action: 'requires_action',
};

/**
 * The stored amount of a payment is not the one that it was made with, so it is not charged. Nothing has changed.
 */
export class AmountChanged extends InvalidState {
  constructor({ amount, agreed_amount: agreed, currency }: PaymentIntentRow) {
    super(
      `its amount is ${inMoney(amount, currency)}, but it was made with ${inMoney(agreed, currency)}: the row was ` +
        'changed by hand. Nothing is charged before that is corrected by an operator of the service.',
    );
  }
}

/** @throws AmountChanged */
function assertAmount(intent: PaymentIntentRow): void {
  if (intent.agreed_amount !== intent.amount) throw new AmountChanged(intent);
}

/**
 * Returns the next attempt of an intent. `methodId` is null if there is no method to charge.
 * @throws AmountChanged
 */
export function nextAttempt(
  intent: PaymentIntentRow,
  methodId: Id<'payment_method'> | null,
  { source, byPayer = false, at, now, requestKey = null, keyExpiresAt = null }: NewCharge,
): NewAttempt {
  assertAmount(intent);
  const number = intent.attempt_count + 1;
  return {
    id: attemptIdOf(intent, number),
    payment_intent_id: intent.id,
    number,
    payment_method_id: methodId,
    source,
    by_payer: byPayer,
    request_key: requestKey,
    request_key_expires_at: keyExpiresAt,
    at,
    opened_at: now,
  };
}

/** What is paid for, as far as the id of an attempt depends on it. */
export type AttemptedIntent = Pick<
  PaymentIntentRow,
  'id' | 'payment_plan_id' | 'payment_plan_slot' | 'subscription_id' | 'subscription_charge'
>;

/**
 * Returns the id of an attempt, which is also the processor's idempotency key. It is derived only from what is paid for
 * and the number of the try. A database restored from a back-up may have lost the attempt. It then asks again under the
 * same key, and the processor takes no money twice. For a plan, the id is derived from the plan and the slot, because
 * the restored database may have lost the slot's intent too; for a subscription, from the number of its charge.
 */
export function attemptIdOf(intent: AttemptedIntent, number: number): Id<'payment_attempt'> {
  const { id, payment_plan_id: planId, payment_plan_slot: slot, subscription_id: subscription } = intent;
  if (subscription !== null)
    return derivedId('payment_attempt', subscription, `${intent.subscription_charge}/${number}`);
  if (planId === null) return derivedId('payment_attempt', id, String(number));
  return derivedId('payment_attempt', planId, `${slot}/${number}`);
}

/**
 * Returns the charge of an opened attempt. `method` is the attempt's, or null if there is none to charge. `debit` is
 * for a bank account that is debited under a mandate.
 * @throws AmountChanged
 */
export function chargeOf(
  intent: PaymentIntentRow,
  method: Pick<PaymentMethodRow, 'id' | 'instrument' | 'fixture_token'> | null,
  attempt: Pick<PaymentAttemptRow, 'id' | 'number' | 'source' | 'opened_at'>,
  debit: DebitRequest | null = null,
): Charge {
  assertAmount(intent);
  const request = method && {
    idempotencyKey: attempt.id,
    billerId: intent.biller_id,
    paymentIntentId: intent.id,
    amount: intent.amount,
    totalAmount: intent.total_amount,
    currency: intent.currency,
    attempt: attempt.number,
    openedAt: attempt.opened_at,
    paymentMethodId: method.id,
    paymentMethodType: method.instrument.type,
    paymentMethodToken: tokenOf(method.instrument),
    fixtureToken: method.fixture_token,
    metadata: intent.metadata,
    attended: isAttended(method.instrument, attempt),
    debit,
  };
  return {
    attemptId: attempt.id,
    paymentIntentId: intent.id,
    paymentPlanId: intent.payment_plan_id,
    livemode: intent.livemode,
    request,
    unattended: attempt.source !== 'confirm',
    isReopened: false,
  };
}

/** Whether the payer can be sent to a challenge: of a card, in a payment that a payer or the biller confirms. */
function isAttended({ type }: Instrument, { source }: Pick<PaymentAttemptRow, 'source'>): boolean {
  return source === 'confirm' && type === 'card';
}

/** Returns the token that the biller saved with the method, or null. */
function tokenOf({ type, instrument_data: saved }: Instrument): string | null {
  if (type === 'card') return saved.card_number_token ?? null;
  if (type === 'au_becs_debit') return saved.account_number_token ?? null;
  return type === 'paypal' ? (saved.paypal_token ?? null) : null;
}

/** Emits that a charge was opened. Call it once that is committed. */
export function emitOpened(intent: PaymentIntentRow, { source, dueAt = null, testClockId, now }: NewCharge): void {
  emit({
    kind: 'charge opened',
    source,
    ...ownerOf(intent, testClockId),
    paymentIntentId: intent.id,
    paymentPlanId: intent.payment_plan_id,
    subscriptionId: intent.subscription_id,
    lagSeconds: dueAt === null || testClockId !== null ? null : secondsBetween(dueAt, now),
  });
}

/** Returns what an outcome changes: the columns of the attempt, and the whole row of the intent. */
export function completed(
  intent: PaymentIntentRow,
  attempt: Pick<PaymentAttemptRow, 'by_payer'>,
  outcome: ChargeOutcome,
  { at, now }: Instants,
): { completion: AttemptCompletion; updated: PaymentIntentRow } {
  const { code, message } = outcome.kind === 'failed' ? outcome : { code: null, message: null };
  return {
    completion: { outcome: outcome.kind, code, message, now },
    updated: {
      ...intent,
      status: statusOf[outcome.kind],
      payer_failures: payerFailuresAfter(intent, attempt, outcome),
      collected_at: outcome.kind === 'succeeded' ? at : intent.collected_at,
      last_error_code: code,
      last_error_message: message,
      updated_at: at,
    },
  };
}

/** After so many failed attempts of payers only a secret key may confirm a payment, so that no cards are tried out. */
export const mostPayerFailures = 10;

/** Returns how many attempts of payers have failed once this attempt has its outcome. */
export function payerFailuresAfter(
  { payer_failures: before }: Pick<PaymentIntentRow, 'payer_failures'>,
  { by_payer: byPayer }: Pick<PaymentAttemptRow, 'by_payer'>,
  outcome: { kind: ChargeOutcome['kind'] },
): number {
  return byPayer && outcome.kind === 'failed' ? before + 1 : before;
}

/** Whether payers have failed so often that only a secret key may confirm the intent. */
export function isRestricted({ payer_failures: failures }: Pick<PaymentIntentRow, 'payer_failures'>): boolean {
  return failures >= mostPayerFailures;
}

/** Returns the event of an outcome that has restricted its intent to secret keys, or no event. */
export function restrictionEvents(
  before: PaymentIntentRow,
  after: PaymentIntentRow,
  about: { testClockId: Id<'test_clock'> | null; at: CustomerInstant },
): NewEvent[] {
  if (isRestricted(before) || !isRestricted(after)) return [];
  return [intentEvent('payment_intent.restricted', after, about)];
}

/** Returns the event of an outcome. `nextAttemptAt` is when a failed payment is tried again. */
export function outcomeEvent(
  intent: PaymentIntentRow,
  about: { testClockId: Id<'test_clock'> | null; at: CustomerInstant },
  attempt: number,
  nextAttemptAt: CustomerInstant | null,
): NewEvent {
  if (intent.status === 'succeeded') return intentEvent('payment_intent.succeeded', intent, about);
  if (intent.status === 'requires_action') return intentEvent('payment_intent.requires_action', intent, about);
  return intentEvent('payment_intent.failed', intent, about, { attempt, ...retryOf(nextAttemptAt) });
}

/** Returns what an event says about the retry of a payment, which is due at `nextAttemptAt`, or not retried if null. */
export function retryOf(nextAttemptAt: CustomerInstant | null) {
  return {
    will_retry: nextAttemptAt !== null,
    next_attempt_at: nextAttemptAt === null ? null : nextAttemptAt.toISOString(),
  };
}

/** Emits that a charge has its outcome. Call it once that is committed. `openedAt` is null after a challenge. */
export function emitCompleted(
  intent: PaymentIntentRow,
  attempt: Pick<PaymentAttemptRow, 'id' | 'number' | 'source' | 'by_payer'>,
  outcome: { kind: ChargeOutcome['kind'] | 'returned'; code?: DeclineCode },
  more: {
    testClockId: Id<'test_clock'> | null;
    requestId: string | null;
    eventIds: string[];
    openedAt: RealInstant | null;
  },
): void {
  const { testClockId, ...others } = more;
  emit({
    kind: 'charge completed',
    source: attempt.source,
    ...ownerOf(intent, testClockId),
    attemptId: attempt.id,
    attempt: attempt.number,
    byPayer: attempt.by_payer,
    paymentIntentId: intent.id,
    paymentPlanId: intent.payment_plan_id,
    subscriptionId: intent.subscription_id,
    outcome: outcome.kind,
    code: outcome.code ?? null,
    ...others,
  });
}

function ownerOf({ biller_id, livemode }: PaymentIntentRow, testClockId: Id<'test_clock'> | null) {
  return { billerId: biller_id, livemode, testClockId };
}
