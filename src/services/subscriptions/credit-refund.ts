import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { listCreditRefundsOfRequest, listRefundable, type RefundRow, updateRefundKeyExpiry } from '../../db/refunds.ts';
import { addCredit } from '../../db/subscriptions.ts';
import { payOut } from '../../domain/subscriptions/cover.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import type { Processors } from '../../processors/processor.ts';
import type { CreditRefund } from '../../resources/subscription-change.ts';
import { InvalidState, orNotFound, ValidationFailed } from '../errors.ts';
import { recordCredit } from '../payments/credit-cover.ts';
import { executeRefundRequest, insertRefundOf } from '../payments/refunds.ts';
import { type RepeatableRequest, storeResponse, unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { lockForRequest } from './subscription-requests.ts';

/**
 * Pays credit of a subscription out: refunds of its payments that succeeded, the newest first, each of at most what
 * remains of it. The credit is taken when the refunds are opened, all in one transaction. If one fails, its part is
 * given back. In any state, also once it is canceled.
 * @returns the refunds, that of the newest payment first.
 * @throws NotFound
 * @throws InvalidState without credit or without a payment that can be refunded, or while the customer's clock is
 * advancing.
 * @throws ValidationFailed when the amount exceeds the credit, or what remains of the payments.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. That refund and those after it stay processing.
 */
export async function refundCredit(
  db: Writer,
  processors: Processors,
  context: RequestContext,
  id: string,
  input: CreditRefund,
  request: RepeatableRequest<RefundRow[]> = unrepeatable,
): Promise<RefundRow[]> {
  const openedBefore = (tx: Tx) => findEarlierTry(tx, context, id, request);
  return executeRefundRequest(db, processors, context, request, {
    openedBefore,
    async open(tx) {
      const { locked, at } = await lockForRequest(tx, context, id);
      // Another process that also believes it has the key may have opened the refunds first.
      const rival = await openedBefore(tx);
      if (rival.length > 0) return rival;
      const { credit_balance_cents: credit, refundable_credit_cents: most } = locked.row;
      if (credit === 0) throw new InvalidState(`Subscription ${id} has no credit.`);
      if (most === 0) throw new InvalidState(`Subscription ${id} has no payment that can be refunded.`);
      const { amount_cents: total = most, ...about } = input;
      if (total > most) {
        const why = most === credit ? 'the credit' : 'what remains of its payments';
        const message = `amount_cents must be at most ${most}, ${why}.`;
        throw ValidationFailed.of('/amount_cents', 'out_of_range', message);
      }
      const opened: RefundRow[] = [];
      for (const { payment, amount } of payOut(await listRefundable(tx, id), total)) {
        const intent = orNotFound(await lockPaymentIntent(tx, payment.id), 'payment intent', payment.id);
        const refund = { ...about, amount, creditIn: () => amount };
        opened.push(await insertRefundOf(tx, processors, context, { intent, at }, refund, request));
        await addCredit(tx, id, intent.id, 0 - amount, at);
      }
      await recordCredit(tx, locked.row, at);
      return opened;
    },
    storeResponse: (tx, refunds) => storeResponse(tx, request, refunds),
  });
}

async function findEarlierTry(
  tx: Tx,
  context: RequestContext,
  id: string,
  { requestKey, keyExpiresAt }: RepeatableRequest<RefundRow[]>,
): Promise<RefundRow[]> {
  if (requestKey === null) return [];
  const refunds = await listCreditRefundsOfRequest(tx, id, requestKey, context.now);
  // Their key now expires when the response of this try expires.
  if (keyExpiresAt) for (const refund of refunds) await updateRefundKeyExpiry(tx, refund.id, keyExpiresAt);
  return refunds;
}
