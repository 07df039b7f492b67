import {
  type CheckoutSessionRow,
  countProcessing,
  lockCheckoutSession,
  lockSessionOfIntent,
  selectSessionOfIntent,
  updateCheckoutSession,
} from '../../db/checkout-sessions.ts';
import { selectCustomer } from '../../db/customers.ts';
import { lockPaymentLink, type PaymentLinkRow } from '../../db/payment-links.ts';
import { earliestInstant, laterInstant } from '../../domain/calendar.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import type { Id } from '../../domain/ids.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pass } from '../crash-points.ts';
import type { Instants } from '../customer-time.ts';
import type { ChargeHook, ChargeRecorder, CompletedAttempt } from '../payments/charge.ts';
import { wake } from '../wake.ts';
import { assertAcceptsPayment, failuresPerSession, SessionClosed } from './availability.ts';
import {
  type ApplyTo,
  completeSession,
  dropMethod,
  dropUnkeptMethod,
  expireIfOverdue,
  expireSession,
  uncount,
} from './changes.ts';

/**
 * Records the charges of a payment on the session in which it is paid, and on the link of that session. An attempt is
 * opened only while both are open: `opened` throws SessionClosed otherwise. Locks the link, then the session.
 */
export function linkHookWith(applyTo: ApplyTo): ChargeHook {
  return async (tx, { paymentIntentId }) => {
    const locked = await lockSessionOfIntent(tx, paymentIntentId);
    if (locked === null) return null;
    const link = locked.payment_link_id === null ? null : await lockPaymentLink(tx, locked.payment_link_id);
    const session = await lockCheckoutSession(tx, locked.id);
    if (session === null) return null;
    const hasEnded = session.status === 'completed' || session.status === 'expired';
    if (hasEnded && !session.has_own_intent) return withoutSession(tx, paymentIntentId, session.id);
    return {
      challengeEndsAt: earliestInstant([
        session.status === 'processing' ? session.wake_at : null,
        link?.expires_at ?? null,
      ]),
      challengeEnd: (_attempt, at) =>
        earliestInstant([session.expires_at, link?.expires_at ?? null, challengeEnd(at)]) ?? session.expires_at,
      async opened(at) {
        if (session.payment_intent_id !== paymentIntentId) {
          const message = `The payer has chosen another amount in checkout session ${session.id}.`;
          throw new SessionClosed(message, 'processing');
        }
        assertAcceptsPayment(session, link, link === null ? 0 : await countProcessing(tx, link.id), at);
        const submissions = session.submissions + 1;
        await updateCheckoutSession(tx, session.id, { status: 'processing', submissions, updated_at: at });
      },
      async completed(outcome) {
        await completed(tx, session, link, outcome, applyTo);
        return null;
      },
      async canceled(instant) {
        // An intent of an amount that the payer has given up: the session may be paying another one.
        if (hasEnded || session.payment_intent_id !== paymentIntentId) return;
        await expireSession(tx, session, 'payment_canceled', instant);
        if (link !== null) await expireIfOverdue(tx, link, instant);
      },
      async returned({ amount, at, now }) {
        if (link !== null) await uncount(tx, link, amount, { at, now });
        return null;
      },
    };
  };
}

/** The biller's own payment can be charged without the session that was made for it, once that has ended. */
function withoutSession(
  tx: Tx,
  paymentIntentId: Id<'payment_intent'>,
  endedId: Id<'checkout_session'>,
): ChargeRecorder {
  const nothing = async () => null;
  return {
    async opened() {
      const present = await selectSessionOfIntent(tx, paymentIntentId);
      if (present !== null && present.id !== endedId) {
        throw new SessionClosed(`Payment intent ${paymentIntentId} now has checkout session ${present.id}.`, 'ended');
      }
    },
    completed: nothing,
    returned: nothing,
  };
}

async function completed(
  tx: Tx,
  session: CheckoutSessionRow,
  link: PaymentLinkRow | null,
  { attempt, amount, at, now, outcome, isRestricted, challengeEndsAt }: CompletedAttempt,
  applyTo: ApplyTo,
): Promise<void> {
  const instant = { at, now };
  // A subscription or a plan has tried its payment while the page of it is open. No payer has sent the form.
  if (session.status === 'open' && !session.has_own_intent && outcome.kind !== 'succeeded') return;
  switch (outcome.kind) {
    case 'succeeded': {
      pass('session charged');
      const completion = { ...instant, amount, paymentMethodId: attempt.payment_method_id };
      return completeSession(tx, session, link, completion, applyTo);
    }
    case 'requires_action': {
      const wakeAt = earliestInstant([session.expires_at, link?.expires_at ?? null, challengeEndsAt]);
      const row = await updateCheckoutSession(tx, session.id, { wake_at: wakeAt, updated_at: at });
      await wake.checkoutSession(tx, row, now);
      return;
    }
    case 'failed':
      return failed(tx, session, link, { methodId: attempt.payment_method_id, isRestricted }, instant);
  }
}

async function failed(
  tx: Tx,
  session: CheckoutSessionRow,
  link: PaymentLinkRow | null,
  { methodId, isRestricted }: { methodId: Id<'payment_method'> | null; isRestricted: boolean },
  instant: Instants,
): Promise<void> {
  const { at, now } = instant;
  // Otherwise a stranger who has the URL could fill the customer's methods with cards that do not work.
  if (methodId !== null && methodId === session.entered_method) await dropMethod(tx, methodId, at);
  else await dropUnkeptMethod(tx, session, methodId, at);
  const failures = session.failed_attempts + 1;
  const row = await updateCheckoutSession(tx, session.id, {
    status: 'open',
    failed_attempts: failures,
    // A payment that was begun while its session was being made, by a version that did not count it.
    submissions: Math.max(session.submissions, failures),
    unkept_methods: [],
    wake_at: session.expires_at,
    updated_at: at,
  });
  if (session.wake_at?.getTime() !== session.expires_at.getTime()) await wake.checkoutSession(tx, row, now);
  // Payers may also have failed elsewhere: with a publishable key, or in a session before.
  if (failures >= failuresPerSession || isRestricted) {
    await expireSession(tx, row, 'too_many_attempts', instant);
    if (link !== null) await expireIfOverdue(tx, link, instant);
    return;
  }
  if (link !== null && link.status !== 'open') return expireSession(tx, row, `link_${link.status}`, instant);
  const { biller_id: billerId, livemode, customer_id: customerId } = session;
  const customer = customerId === null ? null : await selectCustomer(tx, { billerId, livemode }, customerId);
  if (customer !== null && customer.deleted_at !== null) return expireSession(tx, row, 'customer_deleted', instant);
  if (link !== null && (await expireIfOverdue(tx, link, instant))) return;
  // A session whose wake_at is null has waited for this outcome, which has the time of its attempt.
  const isOver = session.wake_at === null || session.expires_at <= at;
  if (isOver) await expireSession(tx, row, 'time', { at: laterInstant(at, session.expires_at), now });
}
