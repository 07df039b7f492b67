import { lockPaymentIntent, selectLastPaidOfSubscription } from '../../db/payment-intents.ts';
import {
  amountBeingRefunded,
  type RefundRow,
  selectCreditRefundOfRequest,
  updateRefundKeyExpiry,
} from '../../db/refunds.ts';
import { addCredit } from '../../db/subscriptions.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import type { Processors } from '../../processors/processor.ts';
import type { CreditRefund } from '../../resources/subscription-change.ts';
import { InvalidState, ValidationFailed } from '../errors.ts';
import { executeRefundRequest, insertRefundOf } from '../payments/refunds.ts';
import { type RepeatableRequest, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { lockForRequest } from './subscription-requests.ts';

/**
 * Pays credit of a subscription out: a refund of its last payment that succeeded, of at most what remains of that. The
 * credit is taken when the refund is opened, and given back if the refund fails. In any state, also once it is
 * canceled.
 * @throws NotFound
 * @throws InvalidState without credit or without a payment that can be refunded, or while the customer's clock is
 * advancing.
 * @throws ValidationFailed when the amount exceeds the credit, or what remains of the payment.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The refund stays processing.
 */
export async function refundCredit(
  db: Writer,
  processors: Processors,
  context: RequestContext,
  id: string,
  input: CreditRefund,
  request: RepeatableRequest<RefundRow> = unrepeatable,
): Promise<RefundRow> {
  const openedBefore = (tx: Tx) => findEarlierTry(tx, context, id, request);
  return executeRefundRequest(db, processors, context, request, {
    openedBefore,
    async open(tx) {
      const { locked, at } = await lockForRequest(tx, context, id);
      // Another process that also believes it has the key may have opened the refund first.
      const rival = await openedBefore(tx);
      if (rival !== null) return rival;
      const { credit_balance_cents: credit } = locked.row;
      if (credit === 0) throw new InvalidState(`Subscription ${id} has no credit.`);
      const paidId = await selectLastPaidOfSubscription(tx, id);
      const intent = paidId === null ? null : await lockPaymentIntent(tx, paidId);
      if (intent === null) throw new InvalidState(`Subscription ${id} has no payment that can be refunded.`);
      const remaining = intent.total_amount - intent.total_refunded_amount - (await amountBeingRefunded(tx, intent.id));
      if (remaining <= 0) throw new InvalidState(`Its last payment, ${intent.id}, has been refunded in full.`);
      const most = Math.min(credit, remaining);
      const amount = input.amount_cents ?? most;
      if (amount > most) throw tooMuch({ most, credit, intentId: intent.id });
      const refund = { ...input, amount, ofCredit: true };
      const row = await insertRefundOf(tx, processors, context, { intent, at }, refund, request);
      await addCredit(tx, id, 0 - amount, at);
      return row;
    },
  });
}

function tooMuch({ most, credit, intentId }: { most: number; credit: MinorUnits; intentId: string }): ValidationFailed {
  const why = most === credit ? 'the credit' : `what remains of its last payment, ${intentId}`;
  return ValidationFailed.of('/amount_cents', 'out_of_range', `amount_cents must be at most ${most}, ${why}.`);
}

async function findEarlierTry(
  tx: Tx,
  context: RequestContext,
  id: string,
  { requestKey, keyExpiresAt }: RepeatableRequest<RefundRow>,
): Promise<RefundRow | null> {
  if (requestKey === null) return null;
  const refund = await selectCreditRefundOfRequest(tx, id, requestKey, context.now);
  // Its key now expires when the response of this try expires.
  if (refund !== null && keyExpiresAt) await updateRefundKeyExpiry(tx, refund.id, keyExpiresAt);
  return refund;
}
