import { type PaymentAttemptRow, updateAttemptKeyExpiry } from '../../db/payment-attempts.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import {
  askAndRecord,
  type ChargeHook,
  type Charging,
  type OutcomeRecord,
  recordOutcome,
  reopenAttempt,
} from './charge.ts';
import type { Charge } from './charge-records.ts';
import { type RepeatableRequest, storeResponse } from './repeatable-request.ts';

/**
 * Asks the processor about the charge that a request has opened and committed, and records the outcome with the
 * response. If the process dies in between, a repetition of the request continues with the attempt (`continueCharge`),
 * or housekeeping finishes it.
 * @param resultOf reads the result, in the transaction that records the outcome.
 * @returns null if the payment was deleted meanwhile.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function chargeForRequest<Result>(
  pool: Pool,
  { processors, hook }: Charging,
  { requestId, now }: RequestContext,
  charge: Charge,
  request: RepeatableRequest<Result>,
  resultOf: (tx: Tx, intent: PaymentIntentRow) => Promise<Result>,
): Promise<Result | null> {
  return askAndRecord(pool, processors, charge, 'confirm', (outcome) =>
    recordForRequest(pool, hook, charge, { outcome, requestId, now }, request, resultOf),
  );
}

/** Records the outcome of a charge, with the response to its request. See `chargeForRequest`. */
export async function recordForRequest<Result>(
  pool: Pool,
  hook: ChargeHook,
  charge: Charge,
  record: OutcomeRecord,
  request: RepeatableRequest<Result>,
  resultOf: (tx: Tx, intent: PaymentIntentRow) => Promise<Result>,
): Promise<Result | null> {
  return transact(pool, record, async (tx) => {
    const intent = await recordOutcome(tx, charge, record, hook);
    if (intent === null) return null;
    const result = await resultOf(tx, intent);
    storeResponse(tx, request, result);
    return result;
  });
}

/**
 * Returns the charge of an attempt that an earlier try of the same request has opened, or null if the attempt has its
 * outcome. The key of the attempt now expires when the response of this try does.
 */
export async function continueCharge(
  tx: Tx,
  attempt: PaymentAttemptRow,
  keyExpiresAt: RealInstant | null,
): Promise<Charge | null> {
  if (keyExpiresAt) await updateAttemptKeyExpiry(tx, attempt.id, keyExpiresAt);
  return attempt.outcome === 'processing' ? reopenAttempt(tx, attempt) : null;
}
