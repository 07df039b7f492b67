import { type PaymentAttemptRow, updateAttemptKeyExpiry } from '../../db/payment-attempts.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { askAndRecord } from './ask-processor.ts';
import { type Charging, type OutcomeRecord, recordOutcome, reopenAttempt } from './charge.ts';
import type { Charge } from './charge-records.ts';

/**
 * Asks the processor about the charge that a request has opened and committed, and records the outcome. If the process
 * dies in between, a repetition of the request continues with the attempt (`continueCharge`), or housekeeping finishes
 * it.
 * @param respond is called in the transaction that records the outcome. Returns the result, and stores the response.
 * @param recordAlone records the outcome in one statement instead. Returns null if that is not possible.
 * @returns null if the payment was deleted meanwhile.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function chargeForRequest<Result>(
  pool: Pool,
  { processors, hook }: Charging,
  { requestId, now }: RequestContext,
  charge: Charge,
  respond: (tx: Tx, intent: PaymentIntentRow) => Promise<Result>,
  recordAlone: (record: OutcomeRecord) => Promise<Result | null> = async () => null,
): Promise<Result | null> {
  return askAndRecord(pool, processors, charge, 'confirm', async (outcome) => {
    const record = { outcome, requestId, now };
    const recorded = await recordAlone(record);
    if (recorded !== null) return recorded;
    return transact(pool, record, async (tx) => {
      const intent = await recordOutcome(tx, charge, record, hook);
      return intent && respond(tx, intent);
    });
  });
}

/**
 * Returns the charge of an attempt that an earlier try of the same request has opened, or null if the attempt has its
 * outcome. The key of the attempt now expires when the response of this try does.
 */
export async function continueCharge(
  tx: Tx,
  attempt: PaymentAttemptRow,
  keyExpiresAt: RealInstant | null | undefined,
): Promise<Charge | null> {
  if (keyExpiresAt) await updateAttemptKeyExpiry(tx, attempt.id, keyExpiresAt);
  return attempt.outcome === 'processing' ? reopenAttempt(tx, attempt) : null;
}
