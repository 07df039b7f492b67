import { completeAttempt, insertAttempt, lockAttempt, type PaymentAttemptRow } from '../../db/payment-attempts.ts';
import {
  lockPaymentIntent,
  markProcessing,
  type PaymentIntentRow,
  updateIntentOutcome,
} from '../../db/payment-intents.ts';
import { type Instrument, type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { ChargeOutcome, DeclineCode } from '../../domain/charge-outcome.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { SchemeProfile } from '../../domain/schemes/scheme-profile.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { afterCommit, ChangedMeanwhile, pipelined, queued } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { ChargeRequest, DebitRequest, Processors } from '../../processors/processor.ts';
import { reserve, transact } from '../events.ts';
import {
  completed,
  emitCompleted,
  emitOpened,
  isRestricted,
  type NewCharge,
  nextAttempt,
  outcomeEvent,
  restrictionEvents,
} from './charge-records.ts';
import type { DecidedIntent } from './surcharges.ts';

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

/**
 * An attempt and its outcome, passed on so that they can be recorded elsewhere too. `amount` is in minor units without
 * surcharge.
 */
export interface AttemptOutcome {
  attempt: PaymentAttemptRow;
  amount: number;
  at: CustomerInstant;
  outcome: ChargeOutcome;
  now: RealInstant;
  /** The scheme of a debit under a mandate, whose bank has reported the outcome. Null for any other attempt. */
  scheme: SchemeProfile | null;
  /** Whether the loop of the plan or subscription that is paid records this, and so looks again on its own. */
  isOwnStep: boolean;
  /** Whether payers have failed so often that only a secret key may confirm the payment. */
  isRestricted: boolean;
}

/** A debit that the bank has taken back, after it had succeeded. */
export interface AttemptReturn extends Omit<AttemptOutcome, 'outcome' | 'scheme' | 'isRestricted'> {
  code: DeclineCode;
  scheme: SchemeProfile;
}

/**
 * Records the steps of a charge on what the payment is for, such as the slot of a plan, in the same transaction.
 * `completed` and `returned` return when the payment is tried again, or null.
 */
export interface ChargeRecorder {
  /** A payer has confirmed the payment, and its attempt is opened. */
  opened(at: CustomerInstant): Promise<void>;
  completed(outcome: AttemptOutcome): Promise<CustomerInstant | null>;
  returned(returned: AttemptReturn): Promise<CustomerInstant | null>;
  /** The payment was canceled for good. */
  canceled?(instant: { at: CustomerInstant; now: RealInstant }): Promise<void>;
  /** Until when the payer has time for the challenge of the bank. Without it there is no end. */
  challengeEndsAt?: CustomerInstant | null;
}

/**
 * Locks what a payment is for. The payments folder knows nothing about that. The hook is called before the payment is
 * locked, and takes its own locks. It returns null if the payment is for nothing else.
 */
export type ChargeHook = (
  tx: Tx,
  charge: Pick<Charge, 'paymentIntentId' | 'paymentPlanId'>,
) => Promise<ChargeRecorder | null>;

/**
 * The hook is called before the payment is locked. It finds nothing if a checkout session is just being made for it.
 * @throws ChangedMeanwhile then: in the next try, the hook finds the session.
 */
export function assertSessionFound(
  recorder: ChargeRecorder | null,
  { id, checkout_session_id: sessionId }: PaymentIntentRow,
): void {
  if (recorder === null && sessionId !== null) throw new ChangedMeanwhile(`${id} now has ${sessionId}`);
}

/** The dependencies of a charge. */
export interface Charging {
  processors: Processors;
  hook: ChargeHook;
}

/** An outcome, as `recordOutcome` takes it. */
export interface OutcomeRecord {
  outcome: ChargeOutcome;
  requestId: string | null;
  now: RealInstant;
  /** The default is the attempt's time; a completed challenge has its own. */
  at?: CustomerInstant;
  /** The status that the attempt must still have. The default is `processing`. */
  from?: 'processing' | 'requires_action';
}

/**
 * Opens the next attempt of a locked intent. The caller asks the processor after the commit. If its process dies,
 * another one finds the attempt and asks again under the same key.
 */
export async function openCharge(
  tx: Tx,
  intent: DecidedIntent,
  method: PaymentMethodRow | null,
  newCharge: NewCharge,
): Promise<Charge> {
  const attempt = nextAttempt(intent, method?.id ?? null, newCharge);
  queued(tx, [
    insertAttempt(tx, attempt),
    markProcessing(tx, intent, {
      number: attempt.number,
      paymentMethodId: attempt.payment_method_id,
      customerId: method?.customer_id ?? null,
      at: attempt.at,
    }),
  ]);
  afterCommit(tx, () => emitOpened(intent, newCharge));
  return chargeOf(intent, method, attempt);
}

/**
 * Returns the charge of an opened attempt. `method` is the attempt's, or null if there is none to charge. `debit` is
 * for a bank account that is debited under a mandate.
 */
export function chargeOf(
  intent: PaymentIntentRow,
  method: Pick<PaymentMethodRow, 'id' | 'instrument' | 'fixture_token'> | null,
  attempt: Pick<PaymentAttemptRow, 'id' | 'number' | 'source' | 'opened_at'>,
  debit: DebitRequest | null = null,
): Charge {
  const request = method && {
    idempotencyKey: attempt.id,
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

/** Returns the token that the biller saved with the method, or null. */
function tokenOf({ type, instrument_data: saved }: Instrument): string | null {
  if (type === 'card') return saved.card_number_token ?? null;
  if (type === 'au_becs_debit') return saved.account_number_token ?? null;
  return type === 'paypal' ? (saved.paypal_token ?? null) : null;
}

/** Continues an attempt that has no outcome yet: the processor is asked about it before it charges. */
export async function reopenCharge(tx: Tx, intent: PaymentIntentRow, attempt: PaymentAttemptRow): Promise<Charge> {
  const tenant = tenantOf(intent);
  const methodId = attempt.payment_method_id;
  const method = methodId === null ? null : await selectPaymentMethod(tx, tenant, methodId);
  return { ...chargeOf(intent, method, attempt), isReopened: true };
}

/**
 * Records the outcome of an attempt with its events: on the attempt, on the intent and, through `hook`, on what the
 * payment is for. Idempotent: if the attempt already has its outcome, nothing changes.
 * @returns the intent as it is now, or null when it was deleted meanwhile.
 */
export async function recordOutcome(
  db: Writer,
  charge: Pick<Charge, 'attemptId' | 'paymentIntentId' | 'paymentPlanId'>,
  record: OutcomeRecord,
  hook: ChargeHook | null,
): Promise<PaymentIntentRow | null> {
  return transact(db, record, async (tx) => {
    // The plan is locked first, then the intent, then the attempt.
    const [recorder, intent, attempt] = await pipelined(tx, [
      hook?.(tx, charge),
      lockPaymentIntent(tx, charge.paymentIntentId),
      lockAttempt(tx, charge.attemptId),
    ]);
    if (intent === null || attempt === null) return null;
    const { outcome, now, at = attempt.at, from = 'processing' } = record;
    if (attempt.outcome !== from) return intent;
    const { completion, updated } = completed(intent, attempt, outcome, { at, now });
    queued(tx, [completeAttempt(tx, attempt.id, from, completion), updateIntentOutcome(tx, updated)]);
    const isOwnStep = attempt.source === 'plan' || attempt.source === 'subscription';
    const place = reserve(tx);
    const nextAttemptAt = await recorder?.completed({
      attempt,
      at,
      amount: intent.amount,
      outcome,
      now,
      scheme: null,
      isOwnStep,
      isRestricted: isRestricted(updated),
    });
    const about = { testClockId: intent.test_clock_id, at };
    const event = outcomeEvent(updated, about, attempt.number, nextAttemptAt ?? null);
    place.record(event, ...restrictionEvents(intent, updated, about));
    const eventIds = place.idsSince();
    afterCommit(tx, () =>
      emitCompleted(updated, attempt, outcome, {
        testClockId: intent.test_clock_id,
        requestId: record.requestId,
        eventIds,
        openedAt: from === 'processing' ? attempt.opened_at : null,
      }),
    );
    return updated;
  });
}
