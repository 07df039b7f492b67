import { lockMandateOfMethod, updateMandate } from '../../db/mandates.ts';
import type { PlainDate } from '../../domain/calendar.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import {
  changeNoticeDueBy,
  mostNotices,
  withNoticeDue,
  withNoticeSent,
} from '../../domain/mandates/mandate-notices.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { MandateNoticeSent } from '../../resources/mandate-input.ts';
import { InvalidState, ValidationFailed } from '../errors.ts';
import { mandateEvent, record } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { lockMandateForUpdate, type MandateNow } from './mandates.ts';

// The service sends nothing to payers. It says which notices are due: on the mandate, and by events. The biller sends
// them, and records that here.

/**
 * Records that the biller has sent a notice to the payer: the open one of its kind or, if none is open, one more.
 * @throws NotFound
 * @throws ValidationFailed when `sent_at` is ahead of the customer's time.
 * @throws InvalidState when the mandate has as many notices as it keeps; while the customer's clock is advancing.
 */
export async function recordNoticeSent(
  db: Writer,
  context: RequestContext,
  id: string,
  { kind, channel, sent_at: sent }: MandateNoticeSent,
): Promise<MandateNow> {
  return atomically(db, async (tx) => {
    const { mandate, at } = await lockMandateForUpdate(tx, context, id);
    const sentAt = sent === undefined ? at : customerInstant(sent);
    if (sentAt > at) {
      const message = `sent_at must not be after the customer’s current time, ${at.toISOString()}.`;
      throw ValidationFailed.of('/sent_at', 'out_of_range', message);
    }
    const notices = withNoticeSent(mandate.notices, { kind, sentAt, channel });
    if (notices === null) throw new InvalidState(`Mandate ${id} has ${mostNotices} notices, and keeps no more.`);
    return { mandate: await updateMandate(tx, id, { notices, updated_at: at }), at };
  });
}

/**
 * Notes that the payer must be told of a new amount, if the method is debited under an active mandate. Locks the
 * mandate. `nextDebit` is the date of the first debit of the new amount. There is one event, unless such a notice is
 * open already.
 */
export async function announceAmount(
  tx: Tx,
  methodId: string,
  { nextDebit, at }: { nextDebit: PlainDate; at: CustomerInstant },
): Promise<void> {
  const mandate = await lockMandateOfMethod(tx, methodId);
  if (mandate?.status !== 'active') return;
  const dueBy = changeNoticeDueBy(schemes[mandate.scheme], nextDebit);
  const { notices, isNew } = withNoticeDue(mandate.notices, 'amount_changed', dueBy);
  const updated = await updateMandate(tx, mandate.id, { notices, updated_at: at });
  if (isNew) record(tx, mandateEvent('mandate.notice_due', updated, at));
}
