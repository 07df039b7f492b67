import { lockFreeSessionOfIntent } from '../../db/checkout-sessions.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { Instants } from '../customer-time.ts';
import { expireSession } from './changes.ts';

/**
 * Ends the session in which a payer could pay this locked payment of a plan or a subscription, which is canceled or
 * withdrawn. If another transaction has the session, it is a form of the payer: it finds the payment canceled, and ends
 * the session.
 */
export async function endSessionOf(
  tx: Tx,
  { id, checkout_session_id: sessionId }: Pick<PaymentIntentRow, 'id' | 'checkout_session_id'>,
  instant: Instants,
): Promise<void> {
  const session = sessionId === null ? null : await lockFreeSessionOfIntent(tx, id);
  if (session !== null) await expireSession(tx, session, 'payment_canceled', instant);
}
