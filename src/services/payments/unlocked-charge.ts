import { tenantOf } from '../../db/tenant.ts';
// The plain payment in fewer steps. It is read without locks and decided by the rules of every payment. Then one
// statement opens it, and one records its outcome, each on the condition that nothing has changed since. For a payment
// that is not plain, or that changes meanwhile, these functions return null and have changed nothing: the caller then
// locks the rows and decides again.

import { attemptCompletion, type NewAttempt } from '../../db/payment-attempts.ts';
import { intentOutcome, type PaymentIntentRow } from '../../db/payment-intents.ts';
import {
  insertChargedWhere,
  isStillOpen,
  openAttemptWhere,
  type Parties,
  selectIntentAndParties,
  selectParties,
} from '../../db/unlocked-payments.ts';
import { namedId } from '../../domain/ids.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { unlessLocked } from '../../platform/postgres/transaction.ts';
import type { Processors } from '../../processors/processor.ts';
import type { PaymentIntentConfirm, PaymentIntentCreate } from '../../resources/payment-intent-input.ts';
import { customerError, methodError } from '../customers/resolve-references.ts';
import { recordEventsWhere } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { processorFor } from './ask-processor.ts';
import type { OutcomeRecord } from './charge.ts';
import {
  type Charge,
  chargeOf,
  completed,
  emitCompleted,
  emitOpened,
  nextAttempt,
  outcomeEvent,
} from './charge-records.ts';
import { confirmRefusal } from './confirm-rules.ts';
import { newIntent } from './new-intent.ts';
import { bodyErrors } from './payment-intents.ts';
import type { RepeatableRequest } from './repeatable-request.ts';
import { decideSurcharge } from './surcharges.ts';

/** A charge that one statement has opened: its rows, as they were committed. */
export interface UnlockedCharge {
  charge: Charge;
  intent: PaymentIntentRow;
  /** The version of the intent's row. As long as it lasts, nothing has happened to the payment. */
  version: string;
  attempt: NewAttempt;
}

/**
 * Opens the charge of an intent in one statement, after one read.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 */
export async function openUnlocked(
  pool: Pool,
  processors: Processors,
  context: RequestContext,
  id: string,
  input: PaymentIntentConfirm,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<UnlockedCharge | null> {
  if (context.keyKind !== 'secret' || input.return_url !== undefined) return null;
  const found = await selectIntentAndParties(pool, context, id, input.payment_method ?? null);
  if (found === null || !arePlain(found)) return null;
  const { intent, payer, method } = found;
  // A request that names another customer is refused.
  if ((input.customer_id ?? payer.id) !== payer.id) return null;
  // A payment of a plan or subscription concerns that, one in a checkout session its session, a scheduled one its
  // workflow.
  if (intent.payment_plan_id !== null || intent.subscription_id !== null) return null;
  if (intent.scheduled_at !== null || intent.checkout_session_id !== null) return null;
  if (confirmRefusal(intent, payer) ?? methodError(method, intent.customer_id, '/payment_method')) return null;
  const { opened, newCharge, attempt } = attemptBy(context, intent, found, request);
  processorFor(processors, context.livemode);
  const version = await unlessLocked(openAttemptWhere(pool, found, opened, attempt, request.claim()));
  if (version === null) return null;
  emitOpened(opened, newCharge);
  return { charge: chargeOf(opened, method, attempt), intent: opened, version, attempt };
}

/**
 * Creates an intent and opens its first charge in one statement, after one read.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 */
export async function createUnlocked(
  pool: Pool,
  processors: Processors,
  context: RequestContext,
  input: PaymentIntentCreate,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<UnlockedCharge | null> {
  const { customer_id: customerId = null, payment_method: methodId } = input;
  if (methodId === undefined || customerId === null || bodyErrors(context, input).length > 0) return null;
  const parties = await selectParties(pool, context, {
    customerId: namedId('customer', customerId),
    methodId: namedId('payment_method', methodId),
  });
  if (parties === null || !arePlain(parties)) return null;
  const { payer, method } = parties;
  if (customerError(payer, '/customer_id') ?? methodError(method, payer.id, '/payment_method')) return null;
  const created = newIntent(context, input, { at: withoutClock(context.now), payer, method });
  const { opened, newCharge, attempt } = attemptBy(context, created, parties, request);
  processorFor(processors, context.livemode);
  const version = await unlessLocked(insertChargedWhere(pool, parties, opened, attempt, request.claim(opened.id)));
  if (version === null) return null;
  emitOpened(opened, newCharge);
  return { charge: chargeOf(opened, method, attempt), intent: opened, version, attempt };
}

/** Records an outcome in one statement, with its event and the response to the request. */
export async function recordUnlocked(
  pool: Pool,
  { intent, version, attempt }: UnlockedCharge,
  { outcome, requestId, now }: OutcomeRecord,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<PaymentIntentRow | null> {
  const { at } = attempt;
  const { completion, updated } = completed(intent, attempt, outcome, { at, now });
  const origin = { ...tenantOf(intent), requestId, now };
  const event = outcomeEvent(updated, { testClockId: null, at }, attempt.number, null);
  const eventIds = await unlessLocked(
    recordEventsWhere(
      pool,
      origin,
      [event],
      [
        isStillOpen({ id: intent.id, version }, attempt.id),
        ...request.withResponse(updated),
        attemptCompletion(attempt.id, 'processing', completion),
        intentOutcome(updated),
      ],
    ),
  );
  if (eventIds === null) return null;
  emitCompleted(updated, attempt, outcome, { testClockId: null, requestId, eventIds, openedAt: attempt.opened_at });
  return updated;
}

/**
 * Whether a customer in real time pays by a method of its own: nothing must be attached, and no clock locked. For a
 * bank account, a mandate must be.
 */
function arePlain({ payer, method }: Parties): boolean {
  const isDebitable = method.instrument.type === 'au_becs_debit';
  return payer.test_clock_id === null && method.customer_id === payer.id && !isDebitable;
}

/** Returns the attempt that a request opens now, and the intent as the attempt makes it. */
function attemptBy(
  context: RequestContext,
  intent: PaymentIntentRow,
  { payer, method }: Parties,
  { requestKey, keyExpiresAt = null }: RepeatableRequest<PaymentIntentRow>,
) {
  const { now } = context;
  const at = withoutClock(now);
  const newCharge = { source: 'confirm' as const, at, now, testClockId: null, requestKey, keyExpiresAt };
  const attempt = nextAttempt(intent, method.id, newCharge);
  const opened: PaymentIntentRow = {
    ...decideSurcharge(intent, method, context, at),
    status: 'processing',
    attempt_count: attempt.number,
    customer_id: payer.id,
    payment_method_id: method.id,
    updated_at: at,
  };
  return { newCharge, attempt, opened };
}
