// Whether a link or a session is open at an instant. The row may still say so after its time: expiry is a moment late
// in real time. So whatever takes an attempt asks here, with the customer's time.

import type { CheckoutSessionRow } from '../../db/checkout-sessions.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { PaymentLinkRow, PaymentLinkStatus } from '../../db/payment-links.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { InvalidState } from '../errors.ts';

/** What a payer finds behind the URL of a link. `advancing`: its test clock moves, so it has no definite time. */
export type LinkState = PaymentLinkStatus | 'advancing';

/** What a payer finds behind the URL of a session. */
export type SessionState = 'open' | 'challenge' | 'processing' | 'completed' | 'expired' | 'advancing';

/** Why a session has ended, other than `completed`. */
export type SessionEnd =
  | 'time'
  | 'requested'
  | 'too_many_attempts'
  | 'customer_deleted'
  | 'payment_canceled'
  | `link_${Exclude<PaymentLinkStatus, 'open'>}`;

/** After so many failed attempts a session ends, so that stolen cards cannot be tried out in it. */
export const failuresPerSession = 10;

/** Returns the state of a link at this instant. */
export function stateOfLink(
  link: Pick<PaymentLinkRow, 'status' | 'expires_at'>,
  at: CustomerInstant,
): PaymentLinkStatus {
  return link.status === 'open' && link.expires_at !== null && link.expires_at <= at ? 'expired' : link.status;
}

/** Returns the state of a session at this instant. `link` is its link, `intent` its payment, if there is one. */
export function stateOfSession(
  session: Pick<CheckoutSessionRow, 'status' | 'expires_at'>,
  link: Pick<PaymentLinkRow, 'status' | 'expires_at'> | null,
  intent: Pick<PaymentIntentRow, 'status'> | null,
  at: CustomerInstant,
): Exclude<SessionState, 'advancing'> {
  if (session.status === 'processing') return intent?.status === 'requires_action' ? 'challenge' : 'processing';
  if (session.status !== 'open') return session.status;
  // A plan or a subscription charges its payment without the session.
  if (intent?.status === 'requires_action') return 'challenge';
  if (intent?.status === 'processing') return 'processing';
  if (intent?.status === 'canceled') return 'expired';
  const isOver = session.expires_at <= at || (link !== null && stateOfLink(link, at) !== 'open');
  return isOver ? 'expired' : 'open';
}

/** Why a session takes no attempt. `last_payment`: another payer is paying the last one that the link takes. */
export type ClosedReason = 'ended' | 'processing' | 'last_payment';

/** A session or its link takes no attempt now. Nothing was charged. */
export class SessionClosed extends InvalidState {
  readonly reason: ClosedReason;

  constructor(message: string, reason: ClosedReason) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Checks that a locked session may open an attempt at this instant. `underWay` counts the payments of its link that may
 * still succeed.
 * @throws SessionClosed
 */
export function assertAcceptsPayment(
  session: CheckoutSessionRow,
  link: PaymentLinkRow | null,
  underWay: number,
  at: CustomerInstant,
): void {
  if (link !== null && stateOfLink(link, at) !== 'open') {
    throw new SessionClosed(`Payment link ${link.id} is ${stateOfLink(link, at)}; it accepts no payments.`, 'ended');
  }
  const state = stateOfSession(session, link, null, at);
  if (state !== 'open') {
    const reason = state === 'processing' ? 'processing' : 'ended';
    throw new SessionClosed(`Checkout session ${session.id} is ${state}; it accepts no payments.`, reason);
  }
  if (link === null || link.max_payments === null) return;
  if (link.payments_count + underWay >= link.max_payments) {
    throw new SessionClosed(`Another payer is making the last payment of ${link.id}. Try again.`, 'last_payment');
  }
}
