import { endMandatesOf as endRows, lockMandate, type MandateRow, updateMandate } from '../../db/mandates.ts';
import { endAfterReturn, endStatus, type MandateEndReason } from '../../domain/mandates/mandate.ts';
import type { ReturnReason } from '../../domain/schemes/scheme-profile.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { MandateCancel } from '../../resources/mandate-input.ts';
import { InvalidState } from '../errors.ts';
import { mandateEvent, type NewEvent, recordEvents } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { lockMandateForUpdate, type MandateNow } from './mandates.ts';

const eventOf = { canceled: 'mandate.canceled', failed: 'mandate.failed', expired: 'mandate.expired' } as const;

/**
 * Cancels a mandate for the biller. After the commit its account is not debited.
 * @throws NotFound
 * @throws InvalidState when the mandate has ended; while the customer's clock is advancing.
 */
export async function cancelMandate(
  db: Writer,
  context: RequestContext,
  id: string,
  { reason }: MandateCancel,
): Promise<MandateNow> {
  return endOnRequest(db, context, id, { allowed: ['pending', 'active'], reason: 'requested', words: reason ?? null });
}

/**
 * Cancels a mandate as a payer does at the bank.
 * @throws NotFound
 * @throws InvalidState when the mandate is not active: the bank knows of no other. While the customer's clock is
 * advancing.
 */
export async function cancelMandateAsPayer(db: Writer, context: RequestContext, id: string): Promise<MandateNow> {
  return endOnRequest(db, context, id, { allowed: ['active'], reason: 'payer_canceled', words: null });
}

/**
 * Ends the mandates of a payment method or of a customer that have not ended. `at` is customer time. Returns the events
 * for the caller to record.
 */
export async function endMandatesOf(
  tx: Tx,
  owner: ['payment_method_id' | 'customer_id', string],
  reason: MandateEndReason,
  at: Date,
): Promise<NewEvent[]> {
  return (await endRows(tx, owner, endedBy(reason, at))).map(endEvent);
}

/**
 * Ends a mandate because the bank has refused a debit under it, or has taken one back for this reason. Does nothing if
 * the reason leaves the mandate as it is, or if the mandate has ended. `at` is customer time. Returns the event for the
 * caller to record, if there is one.
 */
export async function endMandateAfterReturn(tx: Tx, id: string, cause: ReturnReason, at: Date): Promise<NewEvent[]> {
  const reason = endAfterReturn(cause);
  const mandate = reason === null ? null : await lockMandate(tx, id);
  if (reason === null || mandate === null || mandate.ended_at !== null) return [];
  return [endEvent(await updateMandate(tx, id, endedBy(reason, at)))];
}

/**
 * Returns the event of a mandate that has ended.
 * @throws TypeError if it has not.
 */
export function endEvent(mandate: MandateRow): NewEvent {
  const { id, status, ended_at: at } = mandate;
  if (status === 'pending' || status === 'active' || at === null) throw new TypeError(`mandate ${id} is ${status}`);
  return mandateEvent(eventOf[status], mandate, at);
}

async function endOnRequest(
  db: Writer,
  context: RequestContext,
  id: string,
  { allowed, reason, words }: { allowed: readonly string[]; reason: MandateEndReason; words: string | null },
): Promise<MandateNow> {
  return atomically(db, async (tx) => {
    const { mandate, at } = await lockMandateForUpdate(tx, context, id);
    if (!allowed.includes(mandate.status)) {
      throw new InvalidState(
        `Mandate ${id} is ${mandate.status}; it can be canceled here while ${allowed.join(' or ')}.`,
      );
    }
    const ended = await updateMandate(tx, id, { ...endedBy(reason, at), cancellation_reason: words });
    await recordEvents(tx, context, [endEvent(ended)]);
    return { mandate: ended, at };
  });
}

/** Returns the columns of a mandate that ends now. */
function endedBy(reason: MandateEndReason, at: Date) {
  return { status: endStatus(reason), status_reason: reason, ended_at: at, updated_at: at };
}
