import {
  type AttemptSource,
  completeAttempt,
  insertAttempt,
  lockAttempt,
  type PaymentAttemptRow,
} from '../../db/payment-attempts.ts';
import {
  lockPaymentIntent,
  markProcessing,
  type PaymentIntentRow,
  type PaymentIntentStatus,
  updateIntentOutcome,
} from '../../db/payment-intents.ts';
import { type Instrument, type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import type { ChargeOutcome } from '../../domain/charge-outcome.ts';
import { derivedId } from '../../domain/ids.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { afterCommit, atomically, pipelined } from '../../platform/postgres/transaction.ts';
import { emit, secondsBetween } from '../../platform/telemetry.ts';
import type { ChargeRequest, Processors } from '../../processors/processor.ts';
import { intentEvent, type NewEvent, recordEvents } from '../events.ts';

/** An opened charge. Its attempt is committed before the processor is asked. */
export interface Charge {
  attemptId: string;
  paymentIntentId: string;
  paymentPlanId: string | null;
  livemode: boolean;
  /** The request to the processor. Null when there is no method to charge: the processor is then not asked. */
  request: ChargeRequest | null;
  /** True for plan and scheduled charges: no payer is present to complete a challenge. */
  unattended: boolean;
}

/**
 * How a charge is opened. `at` is customer time; `now` and `keyExpiresAt` are real time. `requestKey` is the
 * Idempotency-Key of the request, if it has one.
 */
interface NewCharge {
  source: AttemptSource;
  at: Date;
  now: Date;
  /** When the charge was due, in customer time. Null when it had no due date. */
  dueAt?: Date | null;
  testClockId: string | null;
  requestKey?: string | null;
  keyExpiresAt?: Date | null;
}

/**
 * An attempt and its outcome, passed on so that they can be recorded elsewhere too. `amount` is in minor units without
 * surcharge; `at` is customer time.
 */
export interface AttemptOutcome {
  attempt: PaymentAttemptRow;
  amount: number;
  at: Date;
  outcome: ChargeOutcome;
  /** Real time. */
  now: Date;
}

/** When the payment is tried again (customer time), and the events to record. */
export interface BookedOutcome {
  nextAttemptAt: Date | null;
  events: NewEvent[];
}

/** Records the steps of a charge on what the payment is for, such as the slot of a plan, in the same transaction. */
export interface ChargeRecorder {
  /** A payer has confirmed the payment, and its attempt is opened. `at` is customer time. */
  opened(at: Date): Promise<void>;
  completed(outcome: AttemptOutcome): Promise<BookedOutcome>;
}

/**
 * Locks what a payment is for. The payments folder knows nothing about that. The hook is called before the payment is
 * locked, and takes its own locks. It returns null if the payment is for nothing else.
 */
export type ChargeHook = (
  tx: Tx,
  charge: Pick<Charge, 'paymentIntentId' | 'paymentPlanId'>,
) => Promise<ChargeRecorder | null>;

/** The dependencies of a charge. */
export interface Charging {
  processors: Processors;
  hook: ChargeHook;
}

/** An outcome, as `recordOutcome` takes it. */
export interface OutcomeRecord {
  outcome: ChargeOutcome;
  requestId: string | null;
  /** Real time. */
  now: Date;
  /** Customer time of the outcome. The default is the attempt's time; a completed challenge has its own. */
  at?: Date;
  /** The status that the attempt must still have. The default is `processing`. */
  from?: 'processing' | 'requires_action';
}

const statusOf: Record<ChargeOutcome['kind'], PaymentIntentStatus> = {
  succeeded: 'succeeded',
  failed: 'failed',
  requires_action: 'requires_action',
};

/**
 * Opens the next attempt of a locked intent. The caller asks the processor after the commit. If its process dies,
 * another one finds the attempt and asks again under the same key.
 */
export async function openCharge(
  tx: Tx,
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
  void pipelined(tx, [
    insertAttempt(tx, attempt),
    markProcessing(tx, intent.id, {
      number: attempt.number,
      paymentMethodId: attempt.payment_method_id,
      customerId: method?.customer_id ?? null,
      at,
    }),
  ]);
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
 * Returns the id of an attempt, which is also the processor's idempotency key. It is derived only from what is paid for
 * and the number of the try. A database restored from a back-up may have lost the attempt. It then asks again under the
 * same key, and the processor takes no money twice. For a plan, the id is derived from the plan and the slot, because
 * the restored database may have lost the slot's intent too.
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
    paymentMethodType: method.instrument.type,
    paymentMethodToken: tokenOf(method.instrument),
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

/** Returns the token that the biller saved with the method, or null. */
function tokenOf({ type, instrument_data: saved }: Instrument): string | null {
  if (type === 'card') return saved.card_number_token ?? null;
  if (type === 'au_becs_debit') return saved.account_number_token ?? null;
  return type === 'paypal' ? (saved.paypal_token ?? null) : null;
}

/** Continues an attempt that has no outcome yet. The processor key stays the same, so no money is taken twice. */
export async function reopenCharge(tx: Tx, intent: PaymentIntentRow, attempt: PaymentAttemptRow): Promise<Charge> {
  const tenant = { billerId: intent.biller_id, livemode: intent.livemode };
  const methodId = attempt.payment_method_id;
  return chargeOf(intent, methodId === null ? null : await selectPaymentMethod(tx, tenant, methodId), attempt);
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
  return atomically(db, async (tx) => {
    // The plan is locked first, then the intent, then the attempt.
    const [recorder, intent, attempt] = await pipelined(tx, [
      hook?.(tx, charge),
      lockPaymentIntent(tx, charge.paymentIntentId),
      lockAttempt(tx, charge.attemptId),
    ]);
    if (intent === null || attempt === null) return null;
    const { outcome, now, at = attempt.at, from = 'processing' } = record;
    if (attempt.outcome !== from) return intent;
    const error = outcome.kind === 'failed' ? { code: outcome.code, message: outcome.message } : null;
    const completion = {
      outcome: outcome.kind,
      code: error?.code ?? null,
      message: error?.message ?? null,
      now,
    };
    const updated = {
      ...intent,
      status: statusOf[outcome.kind],
      last_error_code: completion.code,
      last_error_message: completion.message,
      updated_at: at,
    };
    void pipelined(tx, [completeAttempt(tx, attempt.id, from, completion), updateIntentOutcome(tx, updated)]);
    const booked = await recorder?.completed({ attempt, at, amount: intent.amount, outcome, now });
    const origin = { billerId: intent.biller_id, livemode: intent.livemode, ...record };
    const eventIds = await recordEvents(tx, origin, [
      outcomeEvent(updated, { testClockId: intent.test_clock_id, at }, attempt.number, booked?.nextAttemptAt ?? null),
      ...(booked?.events ?? []),
    ]);
    afterCommit(tx, () =>
      emit({
        kind: 'charge completed',
        source: attempt.source,
        ...ownerOf(intent, intent.test_clock_id),
        attemptId: attempt.id,
        attempt: attempt.number,
        paymentIntentId: intent.id,
        paymentPlanId: intent.payment_plan_id,
        requestId: record.requestId,
        outcome: outcome.kind,
        code: error?.code ?? null,
        eventIds,
        openedAt: from === 'processing' ? attempt.opened_at : null,
      }),
    );
    return updated;
  });
}

function ownerOf({ biller_id, livemode }: PaymentIntentRow, testClockId: string | null) {
  return { billerId: biller_id, livemode, testClockId };
}

function outcomeEvent(
  intent: PaymentIntentRow,
  about: { testClockId: string | null; at: Date },
  attempt: number,
  nextAttemptAt: Date | null,
): NewEvent {
  if (intent.status === 'succeeded') return intentEvent('payment_intent.succeeded', intent, about);
  if (intent.status === 'requires_action') return intentEvent('payment_intent.requires_action', intent, about);
  return intentEvent('payment_intent.failed', intent, about, {
    attempt,
    will_retry: nextAttemptAt !== null,
    next_attempt_at: nextAttemptAt === null ? null : nextAttemptAt.toISOString(),
  });
}
