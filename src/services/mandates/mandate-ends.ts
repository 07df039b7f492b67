import {
  endMandatesOf as endRows,
  expireInRealTime,
  expireOnClock,
  listLapsed,
  lockMandate,
  type MandateRow,
  updateMandate,
} from '../../db/mandates.ts';
import { type Id, namedId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { endAfterReturn, endStatus, type MandateEndReason } from '../../domain/mandates/mandate.ts';
import type { ReturnReason } from '../../domain/schemes/scheme-profile.ts';
import type { Pool, Tx, Writer } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { MandateCancel } from '../../resources/mandate-input.ts';
import type { Instants } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { mandateEvent, type NewEvent, positionHere, record, transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { customerTimeOf, lockMandateForUpdate, type MandateNow, type MandateOrigin } from './mandates.ts';

/**
 * Stops the debits that were accepted under some mandates and that the bank does not have, because those end. This room
 * knows nothing about debits. Call it before the mandates are locked: it locks plans and payments.
 */
export type StopDebits = (
  tx: Tx,
  of: { mandateId: Id<'mandate'> } | { methodId: Id<'payment_method'> } | { customerId: Id<'customer'> },
  code: 'mandate_unavailable' | 'payment_method_unavailable',
  record: Instants & { requestId: string | null },
) => Promise<void>;

const eventOf = { canceled: 'mandate.canceled', failed: 'mandate.failed', expired: 'mandate.expired' } as const;

/**
 * Cancels a mandate for the biller. After the commit no debit under it goes to the bank; what the bank has, runs on.
 * @throws NotFound
 * @throws InvalidState when the mandate has ended; while the customer's clock is advancing.
 */
export async function cancelMandate(
  db: Writer,
  context: RequestContext,
  id: string,
  { reason }: MandateCancel,
  stopDebits: StopDebits,
): Promise<MandateNow> {
  const end = { allowed: ['pending', 'active'], reason: 'requested', words: reason ?? null } as const;
  return endOnRequest(db, context, id, end, stopDebits);
}

/**
 * Cancels a mandate as a payer does at the bank: for a request, or because the processor has told.
 * @throws NotFound
 * @throws InvalidState when the mandate is not active: the bank knows of no other. While the customer's clock is
 * advancing.
 */
export async function cancelMandateAsPayer(
  db: Writer,
  context: MandateOrigin,
  id: string,
  stopDebits: StopDebits,
): Promise<MandateNow> {
  const end = { allowed: ['active'], reason: 'payer_canceled', words: null } as const;
  return endOnRequest(db, context, id, end, stopDebits);
}

/** Ends the mandates of a payment method or of a customer that have not ended, each with its event. Customer time. */
export async function endMandatesOf(
  tx: Tx,
  owner: ['payment_method_id' | 'customer_id', string],
  reason: MandateEndReason,
  at: CustomerInstant,
): Promise<void> {
  record(tx, ...(await endRows(tx, owner, endedBy(reason, at))).map(endEvent));
}

/**
 * Ends a mandate because the bank has refused a debit under it, or has taken one back for this reason. Does nothing if
 * the reason leaves the mandate as it is, or if the mandate has ended. Returns whether it has ended now.
 */
export async function endMandateAfterReturn(
  tx: Tx,
  id: string,
  cause: ReturnReason,
  at: CustomerInstant,
): Promise<boolean> {
  const reason = endAfterReturn(cause);
  const mandate = reason === null ? null : await lockMandate(tx, id);
  if (reason === null || mandate === null || mandate.ended_at !== null) return false;
  record(tx, endEvent(await updateMandate(tx, id, endedBy(reason, at))));
  return true;
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
  context: MandateOrigin,
  id: string,
  {
    allowed,
    reason,
    words,
  }: { allowed: readonly MandateRow['status'][]; reason: MandateEndReason; words: string | null },
  stopDebits: StopDebits,
): Promise<MandateNow> {
  return transact(db, context, async (tx) => {
    const position = positionHere(tx);
    const stop = { at: await customerTimeOf(tx, context, id), now: context.now, requestId: context.requestId };
    await stopDebits(tx, { mandateId: namedId('mandate', id) }, 'mandate_unavailable', stop);
    const { mandate, at } = await lockMandateForUpdate(tx, context, id);
    if (!allowed.includes(mandate.status)) {
      throw new InvalidState(
        `Mandate ${id} is ${mandate.status}; it can be canceled here while ${allowed.join(' or ')}.`,
      );
    }
    const ended = await updateMandate(tx, id, { ...endedBy(reason, at), cancellation_reason: words });
    position.record(endEvent(ended));
    return { mandate: ended, at };
  });
}

/** Returns the columns of a mandate that ends now. */
function endedBy(reason: MandateEndReason, at: CustomerInstant) {
  return { status: endStatus(reason), status_reason: reason, ended_at: at, updated_at: at };
}

// A mandate lapses after 15 months without a debit (`lapses_at`). From that instant on no debit is made under it
// (domain/mandates/mandate.ts), so it matters little when its status follows. In real time housekeeping ends it within
// seconds. On a test clock the advance that passes the instant does so when it is its turn.

/**
 * Ends mandates in real time that have lapsed, each with its event. If one cannot be ended, the others still are.
 * @param now by the database's clock.
 * @throws AggregateError with every failure, after all were tried.
 */
export async function expireMandates(sql: Pool, now: RealInstant): Promise<void> {
  const failures: unknown[] = [];
  for (const id of await listLapsed(sql, now)) {
    await transact(sql, { requestId: null, now }, async (tx) => {
      const mandate = await expireInRealTime(tx, id, now);
      if (mandate !== null) record(tx, endEvent(mandate));
    }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mandates could not be ended`);
}

/** Ends a mandate on a test clock that has lapsed by `at` (the clock's time), with its event. */
export async function expireMandateOnClock(tx: Tx, id: string, { at }: { at: CustomerInstant }): Promise<void> {
  const mandate = await expireOnClock(tx, id, at);
  if (mandate !== null) record(tx, endEvent(mandate));
}
