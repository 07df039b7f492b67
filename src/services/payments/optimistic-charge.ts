// The simple payment in fewer steps. It is read without locks and decided by the rules of every payment. Then one
// statement opens it, and one records its outcome, each on the condition that nothing has changed since. For a payment
// that is not simple, or that changes meanwhile, these functions return null and have changed nothing: the caller then
// locks the rows and decides again.

import {
  insertChargedWhere,
  isStillOpen,
  openAttemptWhere,
  type Parties,
  selectIntentAndParties,
  selectParties,
} from '../../db/optimistic-payments.ts';
import { attemptCompletion, type NewAttempt } from '../../db/payment-attempts.ts';
import { intentOutcome, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { tenantOf } from '../../db/tenant.ts';
import { namedId } from '../../domain/ids.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { unlessLocked } from '../../platform/postgres/transaction.ts';
import type { Processors } from '../../processors/processor.ts';
import type { PaymentIntentCreate } from '../../resources/payment-intent-input.ts';
import { ServiceError } from '../errors.ts';
import { recordEventsWhere } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import type { OutcomeRecord } from './charge.ts';
import {
  type Charge,
  chargeOf,
  completed,
  emitCompleted,
  emitOpened,
  type NewCharge,
  nextAttempt,
  outcomeEvent,
} from './charge-records.ts';
import { type Confirmation, decideConfirm, OtherTotal } from './confirm-rules.ts';
import { bodyErrors, newIntent } from './payment-intents.ts';
import type { RepeatableRequest } from './repeatable-request.ts';
import type { DecidedIntent } from './surcharges.ts';

/** A charge that one statement has opened: its rows, as they were committed. */
export interface OptimisticCharge {
  kind: 'optimistic';
  charge: Charge;
  intent: PaymentIntentRow;
  /** The version of the intent's row. As long as it lasts, nothing has happened to the payment. */
  version: string;
  attempt: NewAttempt;
}

/** Opens the charge of an intent in one statement, after one read. */
export async function openOptimistic(
  pool: Pool,
  processors: Processors,
  context: RequestContext,
  id: string,
  input: Confirmation,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<OptimisticCharge | null> {
  if (context.keyKind !== 'secret' || input.return_url !== undefined) return null;
  const found = await selectIntentAndParties(pool, context, id, input.payment_method ?? null);
  if (found === null || !areSimple(found)) return null;
  const { intent } = found;
  // A payment of a plan or subscription concerns that, one in a checkout session its session, a scheduled one its
  // workflow.
  if (intent.payment_plan_id !== null || intent.subscription_id !== null) return null;
  if (intent.scheduled_at !== null || intent.checkout_session_id !== null) return null;
  const decided = decide(processors, context, input, intent, found);
  if (decided === null) return null;
  const opening = openingOf(context, decided, found, request);
  const conditions = request.claim(null, { mayResume: false });
  const version = await unlessLocked(openAttemptWhere(pool, found, opening.intent, opening.attempt, conditions));
  return version === null ? null : opened(opening, version);
}

/** Creates an intent and opens its first charge in one statement, after one read. */
export async function createOptimistic(
  pool: Pool,
  processors: Processors,
  context: RequestContext,
  input: PaymentIntentCreate,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<OptimisticCharge | null> {
  const { customer_id: customerId = null, payment_method: methodId } = input;
  if (methodId === undefined || customerId === null || bodyErrors(context, input).length > 0) return null;
  const parties = await selectParties(pool, context, {
    customerId: namedId('customer', customerId),
    methodId: namedId('payment_method', methodId),
  });
  if (parties === null || !areSimple(parties)) return null;
  const created = newIntent(context, input, { at: withoutClock(context.now), ...parties });
  const decided = decide(processors, context, {}, created, parties);
  if (decided === null) return null;
  const opening = openingOf(context, decided, parties, request);
  const conditions = request.claim(created.id, { mayResume: false });
  const version = await unlessLocked(insertChargedWhere(pool, parties, opening.intent, opening.attempt, conditions));
  return version === null ? null : opened(opening, version);
}

/** Records an outcome in one statement, with its event and the response to the request. */
export async function recordOptimistic(
  pool: Pool,
  { intent, version, attempt }: OptimisticCharge,
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
        ...request.response(updated, { mayWait: false }),
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
function areSimple({ payer, method }: Parties): boolean {
  const isDebitable = method.instrument.type === 'au_becs_debit';
  return payer.test_clock_id === null && method.customer_id === payer.id && !isDebitable;
}

/** Decides by the rules of every confirm. Returns null if one of them is broken: the caller then says which. */
function decide(
  processors: Processors,
  context: RequestContext,
  input: Confirmation,
  intent: PaymentIntentRow,
  { payer, method }: Parties,
): DecidedIntent | null {
  const at = withoutClock(context.now);
  try {
    return decideConfirm(context, processors, input, { intent, payer, named: null, method, at }).decided;
  } catch (error) {
    if (error instanceof ServiceError || error instanceof OtherTotal) return null;
    throw error;
  }
}

interface Opening {
  newCharge: NewCharge;
  attempt: NewAttempt;
  /** The intent as the attempt makes it. */
  intent: PaymentIntentRow;
  method: Parties['method'];
}

/** Returns the attempt that a request opens now. */
function openingOf(
  { now }: RequestContext,
  decided: DecidedIntent,
  { payer, method }: Parties,
  { requestKey, keyExpiresAt }: RepeatableRequest<PaymentIntentRow>,
): Opening {
  const at = withoutClock(now);
  const newCharge = { source: 'confirm' as const, at, now, testClockId: null, requestKey, keyExpiresAt };
  const attempt = nextAttempt(decided, method.id, newCharge);
  const intent: PaymentIntentRow = {
    ...decided,
    status: 'processing',
    attempt_count: attempt.number,
    customer_id: payer.id,
    payment_method_id: method.id,
    updated_at: at,
  };
  return { newCharge, attempt, intent, method };
}

function opened({ newCharge, attempt, intent, method }: Opening, version: string): OptimisticCharge {
  emitOpened(intent, newCharge);
  return { kind: 'optimistic', charge: chargeOf(intent, method, attempt), intent, version, attempt };
}
