import { selectRefundedCharge } from '../../db/payment-reservations.ts';
import type { RefundRow } from '../../db/refunds.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import {
  OutcomeUnknown,
  type PaymentProcessor,
  type PendingRefund,
  type RefundOutcome,
  RequestRefused,
} from '../../processors/processor.ts';
import { chargingIsHeld } from './reserved-charge.ts';

/**
 * Asks the processor for a refund and returns the outcome. If another try may have asked, or if the response is lost,
 * the processor is asked for the state of the refund.
 * @throws OutcomeUnknown when the processor gives no outcome, or when live charging is held.
 */
export async function requestRefund(
  db: Db,
  processor: PaymentProcessor,
  refund: RefundRow,
  { isReopened }: { isReopened: boolean },
): Promise<RefundOutcome | PendingRefund> {
  const {
    id: idempotencyKey,
    biller_id: billerId,
    payment_intent_id: paymentIntentId,
    amount,
    currency,
    metadata,
  } = refund;
  const request = { idempotencyKey, billerId, paymentIntentId, chargeReference: null, amount, currency, metadata };
  // Without reservations, the same key always gets the same outcome: it is asked again.
  if (processor.prepare === null) return processor.refund(request);
  const { reference, is_open: isOpen } = await selectRefundedCharge(db, paymentIntentId, refund.livemode);
  const asked = { ...request, chargeReference: reference };
  const known = isReopened ? await processor.inquireRefund(asked) : null;
  if (known !== null && known.kind !== 'not_found') return known;
  if (!isOpen) throw new OutcomeUnknown(chargingIsHeld);
  try {
    return await processor.refund(asked);
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    const truth = await processor.inquireRefund(asked).catch(() => null);
    if (truth === null) throw error;
    if (truth.kind !== 'not_found') return truth;
    if (error instanceof RequestRefused) return { kind: 'failed' };
    throw error;
  }
}
