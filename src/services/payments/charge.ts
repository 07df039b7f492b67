import {
  type AttemptSource,
  completeAttempt,
  insertAttempt,
  lockAttempt,
  type PaymentAttemptRow,
} from '../../db/payment-attempts.ts';
import {
  lockPaymentIntent,
  markOutcome,
  markProcessing,
  type PaymentIntentRow,
  type PaymentIntentStatus,
} from '../../db/payment-intents.ts';
import { findPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { type ChargeOutcome, declined, unattended } from '../../domain/charge-outcome.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { afterCommit, atomically, withoutWaiting } from '../../platform/postgres/transaction.ts';
import { emit, secondsBetween } from '../../platform/telemetry.ts';
import { traced } from '../../platform/tracing.ts';
import type { ChargeRequest, PaymentProcessor, Processors } from '../../processors/processor.ts';
import { presentPaymentIntent } from '../../resources/payment-intent.ts';
import { ProcessorNotConfigured } from '../errors.ts';
import { type NewEvent, recordEvents } from '../events.ts';

/** An opened charge: its attempt is in the database before the processor hears of it. */
export interface Charge {
  attemptId: string;
  paymentIntentId: string;
  paymentPlanId: string | null;
  livemode: boolean;
  /** What the processor is asked; null when there is no method to charge, and then nobody is asked. */
  request: ChargeRequest | null;
  /** Nobody is there to answer a challenge: a plan's or a scheduled charge. */
  unattended: boolean;
}

/** How a charge is opened: `at` in the customer's time, the others real; the key is that of the request, if it has one. */
interface NewCharge {
  source: AttemptSource;
  at: Date;
  now: Date;
  /** When it was to be made, the customer's time, if anybody has waited for that. */
  dueAt?: Date | null;
  testClockId: string | null;
  requestKey?: string | null;
  keyExpiresAt?: Date | null;
}

/** An attempt with its outcome, to be booked elsewhere too. `amount` in minor units without surcharge, `at` the customer's time. */
export interface AttemptOutcome {
  attempt: PaymentAttemptRow;
  amount: number;
  at: Date;
  outcome: ChargeOutcome;
  /** Real time. */
  now: Date;
}

/** What an outcome came to elsewhere: when the payment is tried again (the customer's time), and the events to record. */
export interface BookedOutcome {
  nextAttemptAt: Date | null;
  events: NewEvent[];
}

/**
 * Books outcomes on what a payment is made for, such as the slot of a plan: payments know nothing of it. It is called before
 * the payment is locked and takes its own locks; what it returns books the outcome in the same transaction. Null: the payment
 * is made for nothing else.
 */
export type OutcomeHook = (
  tx: Db,
  charge: Pick<Charge, 'paymentIntentId' | 'paymentPlanId'>,
) => Promise<((outcome: AttemptOutcome) => Promise<BookedOutcome>) | null>;

/** What charges are made with. */
export interface Charging {
  processors: Processors;
  onOutcome: OutcomeHook;
}

/** What a settlement is recorded with. */
export interface OutcomeRecord {
  outcome: ChargeOutcome;
  requestId: string | null;
  /** Real time. */
  now: Date;
  /** The customer's time of the outcome; that of the attempt, unless somebody has been waited for. */
  at?: Date;
  /** What the attempt is at until now. */
  from?: 'processing' | 'requires_action';
}

const statusOf: Record<ChargeOutcome['kind'], PaymentIntentStatus> = {
  succeeded: 'succeeded',
  failed: 'failed',
  requires_action: 'requires_action',
};

/**
 * The processor of a mode.
 * @throws ProcessorNotConfigured in live mode as long as none is.
 */
export function processorFor(processors: Processors, livemode: boolean): PaymentProcessor {
  const processor = livemode ? processors.live : processors.sandbox;
  if (processor === null) throw new ProcessorNotConfigured();
  return processor;
}

/**
 * Opens the next attempt of a locked intent: after the commit the processor may be asked, and whoever finds the attempt
 * later can ask again under the same key.
 */
export async function openCharge(
  tx: Db,
  intent: PaymentIntentRow,
  method: PaymentMethodRow | null,
  { source, at, now, dueAt = null, testClockId, requestKey = null, keyExpiresAt = null }: NewCharge,
): Promise<Charge> {
  const attempt = {
    id: attemptIdOf(intent, intent.attempt_count + 1),
    payment_intent_id: intent.id,
    number: intent.attempt_count + 1,
    payment_method_id: method?.id ?? null,
    source,
    request_key: requestKey,
    request_key_expires_at: keyExpiresAt,
    at,
    opened_at: now,
  };
  const opening = Promise.all([
    insertAttempt(tx, attempt),
    markProcessing(tx, intent.id, {
      number: attempt.number,
      paymentMethodId: attempt.payment_method_id,
      customerId: method?.customer_id ?? null,
      at,
    }),
  ]);
  await withoutWaiting(tx, opening);
  afterCommit(tx, () =>
    emit({
      kind: 'charge opened',
      source,
      ...ownerOf(intent, testClockId),
      paymentIntentId: intent.id,
      paymentPlanId: intent.payment_plan_id,
      lagSeconds: dueAt === null || testClockId !== null ? null : secondsBetween(dueAt, now),
    }),
  );
  return chargeOf(intent, method, attempt);
}

/**
 * The id of an attempt, and so the processor's key, says what is paid for and which try it is, no more: a database that was
 * restored from a back-up, and has lost the attempt, asks under the same key, and the processor takes nothing again. A plan
 * may have lost the intent of a slot too, so that does not count.
 */
function attemptIdOf(intent: PaymentIntentRow, number: number): string {
  const { id, payment_plan_id: planId, payment_plan_slot: slot } = intent;
  if (planId === null) return derivedId('payment_attempt', id, String(number));
  return derivedId('payment_attempt', planId, `${slot}/${number}`);
}

function chargeOf(
  intent: PaymentIntentRow,
  method: PaymentMethodRow | null,
  attempt: { id: string; number: number; source: AttemptSource; opened_at: Date },
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
    fixtureToken: method.fixture_token,
    metadata: intent.metadata,
  };
  return {
    attemptId: attempt.id,
    paymentIntentId: intent.id,
    paymentPlanId: intent.payment_plan_id,
    livemode: intent.livemode,
    request,
    unattended: attempt.source !== 'confirm',
  };
}

/** An attempt that was opened before and has no outcome yet, to be gone on with: the same key, so nothing is taken twice. */
export async function reopenCharge(tx: Db, intent: PaymentIntentRow, attempt: PaymentAttemptRow): Promise<Charge> {
  const tenant = { billerId: intent.biller_id, livemode: intent.livemode };
  const methodId = attempt.payment_method_id;
  return chargeOf(intent, methodId === null ? null : await findPaymentMethod(tx, tenant, methodId), attempt);
}

/** Asks the processor. What it throws means that the outcome is unknown: the attempt stays open and is asked for again. */
export async function askProcessor(processors: Processors, charge: Charge): Promise<ChargeOutcome> {
  if (charge.request === null) return declined('payment_method_unavailable');
  const { request } = charge;
  const attributes = {
    payment_intent_id: charge.paymentIntentId,
    payment_plan_id: charge.paymentPlanId ?? undefined,
    attempt_id: charge.attemptId,
  };
  const processor = processorFor(processors, charge.livemode);
  const outcome = await traced('charge', { kind: 'client', attributes }, () => processor.charge(request));
  return charge.unattended ? unattended(outcome) : outcome;
}

/**
 * Records the outcome of an attempt, once, with its events: on the attempt, on the intent and, by `onOutcome`, on what the
 * payment is made for. A repetition finds that the attempt has its outcome and changes nothing.
 * @returns the intent as it is now, or null when it was deleted meanwhile.
 */
export async function recordOutcome(
  db: Db,
  charge: Pick<Charge, 'attemptId' | 'paymentIntentId' | 'paymentPlanId'>,
  settlement: OutcomeRecord,
  onOutcome: OutcomeHook | null,
): Promise<PaymentIntentRow | null> {
  return atomically(db, async (tx) => {
    // Sent together, run in this order: plan before intent before attempt.
    const [book, intent, attempt] = await Promise.all([
      onOutcome?.(tx, charge),
      lockPaymentIntent(tx, charge.paymentIntentId),
      lockAttempt(tx, charge.attemptId),
    ]);
    if (intent === null || attempt === null) return null;
    const { outcome, now, at = attempt.at, from = 'processing' } = settlement;
    if (attempt.outcome !== from) return intent;
    const error = outcome.kind === 'failed' ? { code: outcome.code, message: outcome.message } : null;
    const settlementOfAttempt = {
      outcome: outcome.kind,
      code: error?.code ?? null,
      message: error?.message ?? null,
      now,
    };
    const [, settled, booked] = await Promise.all([
      withoutWaiting(tx, completeAttempt(tx, attempt.id, from, settlementOfAttempt)),
      markOutcome(tx, intent, statusOf[outcome.kind], error, at),
      book?.({ attempt, at, amount: intent.amount, outcome, now }),
    ]);
    const origin = { billerId: intent.biller_id, livemode: intent.livemode, ...settlement };
    const eventIds = await recordEvents(tx, origin, [
      eventOf(
        settled,
        { testClockId: intent.test_clock_id, at, attempt: attempt.number },
        booked?.nextAttemptAt ?? null,
      ),
      ...(booked?.events ?? []),
    ]);
    afterCommit(tx, () =>
      emit({
        kind: 'charge settled',
        source: attempt.source,
        ...ownerOf(intent, intent.test_clock_id),
        attemptId: attempt.id,
        attempt: attempt.number,
        paymentIntentId: intent.id,
        paymentPlanId: intent.payment_plan_id,
        requestId: settlement.requestId,
        outcome: outcome.kind,
        code: error?.code ?? null,
        eventIds,
        openedAt: from === 'processing' ? attempt.opened_at : null,
      }),
    );
    return settled;
  });
}

function ownerOf({ biller_id, livemode }: PaymentIntentRow, testClockId: string | null) {
  return { billerId: biller_id, livemode, testClockId };
}

function eventOf(
  intent: PaymentIntentRow,
  { testClockId, at, attempt }: { testClockId: string | null; at: Date; attempt: number },
  nextAttemptAt: Date | null,
): NewEvent {
  const data = presentPaymentIntent(intent);
  const common = { subjectId: intent.id, customerId: intent.customer_id, testClockId, at };
  if (intent.status === 'succeeded') return { ...common, type: 'payment_intent.succeeded', data };
  if (intent.status === 'requires_action') return { ...common, type: 'payment_intent.requires_action', data };
  return {
    ...common,
    type: 'payment_intent.failed',
    data: {
      ...data,
      attempt,
      will_retry: nextAttemptAt !== null,
      next_attempt_at: nextAttemptAt === null ? null : nextAttemptAt.toISOString(),
    },
  };
}
