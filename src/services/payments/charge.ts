// The three steps of a charge, each committed before the next: its attempt is opened, the processor is asked, its
// outcome is recorded.

import { completeAttempt, insertAttempt, lockAttempt, type PaymentAttemptRow } from '../../db/payment-attempts.ts';
import {
  lockPaymentIntent,
  markProcessing,
  type PaymentIntentRow,
  updateIntentOutcome,
} from '../../db/payment-intents.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { type ChargeOutcome, type DeclineCode, declined, unattended } from '../../domain/charge-outcome.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { SchemeProfile } from '../../domain/schemes/scheme-profile.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { afterCommit, ChangedMeanwhile, pipelined, queued } from '../../platform/postgres/transaction.ts';
import { type RealInstant, realInstant } from '../../platform/real-time.ts';
import { traced } from '../../platform/tracing.ts';
import { OutcomeUnknown, type PaymentProcessor, type Processors, type Submitted } from '../../processors/processor.ts';
import { pass } from '../crash-points.ts';
import type { Instants } from '../customer-time.ts';
import { ProcessorNotConfigured, ProcessorUnavailable } from '../errors.ts';
import { positionHere, transact } from '../events.ts';
import {
  type Charge,
  chargeOf,
  completed,
  emitCompleted,
  emitOpened,
  isRestricted,
  type NewCharge,
  nextAttempt,
  outcomeEvent,
  restrictionEvents,
} from './charge-records.ts';
import { chargeReserved, type RequestedCharge, type ReservingProcessor, reservePayment } from './reserved-charge.ts';
import type { DecidedIntent } from './surcharges.ts';

/** An attempt and its outcome, passed on so that they can be recorded elsewhere too. `amount` is without surcharge. */
export interface CompletedAttempt {
  attempt: PaymentAttemptRow;
  amount: MinorUnits;
  at: CustomerInstant;
  outcome: ChargeOutcome;
  now: RealInstant;
  /** The scheme of a debit under a mandate, whose bank has reported the outcome. Null for any other attempt. */
  scheme: SchemeProfile | null;
  /** Whether the loop of the plan or subscription that is paid records this, and so looks again on its own. */
  isOwnStep: boolean;
  /** Whether payers have failed so often that only a secret key may confirm the payment. */
  isRestricted: boolean;
  /**
   * Until when the payer has time for the challenge that now waits. Null: none does, or it waits at a live processor,
   * where only `processor-challenge.ts` ends it.
   */
  challengeEndsAt: CustomerInstant | null;
}

/** A payment that has succeeded and came back: the bank took a debit back, or a dispute was lost. */
export interface AttemptReturn extends Omit<CompletedAttempt, 'outcome' | 'isRestricted' | 'challengeEndsAt'> {
  code: DeclineCode;
}

/**
 * Records the steps of a charge on what the payment is for, such as the slot of a plan, in the same transaction.
 * `completed` and `returned` return when the payment is tried again, or null.
 */
export interface ChargeRecorder {
  /**
   * Checks that a payer can pay what is unpaid now. Only a plan or a subscription decides that.
   * @throws InvalidState
   */
  assertOpens?: (() => void) | undefined;
  /** A payer has confirmed the payment, and its attempt is opened. */
  opened(at: CustomerInstant): Promise<void>;
  completed(outcome: CompletedAttempt): Promise<CustomerInstant | null>;
  returned(returned: AttemptReturn): Promise<CustomerInstant | null>;
  /** The payment was canceled for good. */
  canceled?(instant: Instants): Promise<void>;
  /** The deadline for the challenge of the bank. Undefined or null: there is none. */
  challengeEndsAt?: CustomerInstant | null;
  /** Returns until when the payer has time for the challenge of this attempt, which is opened at this instant. */
  challengeEnd?(attempt: PaymentAttemptRow, at: CustomerInstant): CustomerInstant;
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

/** Whether the loop of a plan or a subscription has opened the attempt. */
export function isOwnAttempt({ source }: Pick<PaymentAttemptRow, 'source'>): boolean {
  return source === 'plan' || source === 'subscription';
}

/** Continues an attempt that has no outcome yet: the processor is asked about it before it charges. */
export async function reopenCharge(tx: Tx, intent: PaymentIntentRow, attempt: PaymentAttemptRow): Promise<Charge> {
  const tenant = tenantOf(intent);
  const methodId = attempt.payment_method_id;
  const method = methodId === null ? null : await selectPaymentMethod(tx, tenant, methodId);
  return { ...chargeOf(intent, method, attempt), isReopened: true };
}

/** As `reopenCharge`, for the intent of an attempt, which it locks. Returns null if the intent was deleted. */
export async function reopenAttempt(tx: Tx, attempt: PaymentAttemptRow): Promise<Charge | null> {
  const intent = await lockPaymentIntent(tx, attempt.payment_intent_id);
  return intent && reopenCharge(tx, intent, attempt);
}

/**
 * Returns the processor of a mode.
 * @throws ProcessorNotConfigured in live mode when no live processor is configured.
 */
export function processorFor(processors: Processors, livemode: boolean): PaymentProcessor {
  const processor = livemode ? processors.live : processors.sandbox;
  if (processor === null) throw new ProcessorNotConfigured();
  return processor;
}

/**
 * Asks the processor. If this throws, the outcome is unknown. The attempt stays open and the processor is asked again.
 * A processor that reserves is first asked for a reference, which is committed before the charge.
 * @throws ProcessorUnavailable when the processor gave no outcome.
 * @throws ProcessorNotConfigured
 */
export async function askProcessor(db: Db, processors: Processors, charge: Charge): Promise<ChargeOutcome> {
  if (charge.request === null) return declined('payment_method_unavailable');
  const { request } = charge;
  const attributes = {
    payment_intent_id: charge.paymentIntentId,
    payment_plan_id: charge.paymentPlanId ?? undefined,
    attempt_id: charge.attemptId,
  };
  const processor = processorFor(processors, charge.livemode);
  const outcome = await traced('charge', { kind: 'client', attributes }, () =>
    orUnavailable('payment', take(db, processor, { ...charge, request })),
  );
  if (outcome.kind === 'submitted') {
    throw new ProcessorUnavailable('payment', new OutcomeUnknown('the processor has not decided yet'));
  }
  return charge.unattended ? unattended(outcome) : outcome;
}

/**
 * Takes the two last steps of a charge that is opened and committed: asks the processor, and has the outcome recorded.
 * Returns what `record` returns. If the process dies before that, the attempt stays open, and is asked about again.
 * @param what names the crash points between the steps.
 * @throws as `askProcessor`.
 */
export async function askAndRecord<Recorded>(
  db: Db,
  processors: Processors,
  charge: Charge,
  what: 'collection' | 'confirm' | 'scheduled payment',
  record: (outcome: ChargeOutcome) => Promise<Recorded>,
): Promise<Recorded> {
  pass(`${what} opened`);
  const outcome = await askProcessor(db, processors, charge);
  pass(`${what} charged`);
  const recorded = await record(outcome);
  pass(`${what} completed`);
  return recorded;
}

/** Takes the money. Without a reservation, the same key always gets the same outcome: it is asked again. */
async function take(db: Db, processor: PaymentProcessor, charge: RequestedCharge): Promise<ChargeOutcome | Submitted> {
  const { request } = charge;
  if (!reserves(processor)) return processor.charge(request, request.idempotencyKey);
  const reserved = await reservePayment(db, processor, charge);
  return reserved.kind === 'failed' ? reserved : chargeReserved(db, processor, charge, reserved);
}

/** Whether a processor reserves a payment before it takes money. */
export function reserves(processor: PaymentProcessor): processor is ReservingProcessor {
  return processor.prepare !== null;
}

/**
 * Returns the outcome that the processor gives.
 * @throws ProcessorUnavailable when it gives none. `what` stays processing then.
 */
export async function orUnavailable<T>(what: 'payment' | 'refund', asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof OutcomeUnknown ? new ProcessorUnavailable(what, error) : error;
  }
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
    const endsAt = outcome.kind === 'requires_action' ? (recorder?.challengeEnd?.(attempt, at) ?? null) : null;
    // Live mode has no clocks.
    const challengeEndsAt = intent.livemode && endsAt !== null ? realInstant(endsAt.getTime()) : null;
    queued(tx, [
      completeAttempt(tx, attempt.id, from, { ...completion, challengeEndsAt }),
      updateIntentOutcome(tx, updated),
    ]);
    const isOwnStep = isOwnAttempt(attempt);
    const position = positionHere(tx);
    const nextAttemptAt = await recorder?.completed({
      attempt,
      at,
      amount: intent.amount,
      outcome,
      now,
      scheme: null,
      isOwnStep,
      isRestricted: isRestricted(updated),
      challengeEndsAt: intent.livemode ? null : endsAt,
    });
    const about = { testClockId: intent.test_clock_id, at };
    const event = outcomeEvent(updated, about, attempt.number, nextAttemptAt ?? null);
    position.record(event, ...restrictionEvents(intent, updated, about));
    const eventIds = position.idsSince();
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

/**
 * Waits until all of these abandoned charges or refunds were tried.
 * @throws AggregateError with every failure. Its message has the reason of the first.
 */
export async function allFinished(what: 'charges' | 'refunds', tried: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(tried);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length === 0) return;
  const [first] = failures;
  const error = first instanceof ProcessorUnavailable ? first.cause : first;
  const reason = error instanceof Error ? error.message : String(error);
  throw new AggregateError(failures, `${failures.length} abandoned ${what} could not be finished: ${reason}`);
}
