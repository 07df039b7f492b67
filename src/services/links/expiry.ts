import {
  type CheckoutSessionRow,
  lockCheckoutSession,
  lockSessionsOfLink,
  selectIntentOfSession,
  updateCheckoutSession,
} from '../../db/checkout-sessions.ts';
import { lockPaymentLink, updatePaymentLink } from '../../db/payment-links.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Instants } from '../customer-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { transact } from '../events.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import type { ChargeHook } from '../payments/charge.ts';
import { endSession, expireLink } from './changes.ts';

type Time = WorkflowTime & { now: RealInstant };

/**
 * Lets a link expire if its time is over. A challenge that waits for a payer fails. A payment that was begun in time
 * and may still succeed is waited for: the link then ends with its outcome. In real time the database's clock decides
 * whether the time is over (see `instantOf`).
 * @throws WorkflowClockAhead when it is over by the workflow's clock only. Nothing has changed then.
 */
export async function expireDueLink(db: Db, hook: ChargeHook, id: string, { now, ...time }: Time): Promise<void> {
  await transact(db, { requestId: null, now }, async (tx) => {
    const [link, sessions, databaseTime] = await pipelined(tx, [
      lockPaymentLink(tx, id),
      lockSessionsOfLink(tx, id),
      databaseNow(tx),
    ]);
    if (link === null || link.wake_at === null) return;
    const at = instantOf({ id, isOnClock: link.test_clock_id !== null, dueAt: link.wake_at }, time, databaseTime);
    if (at === null) return;
    const isProcessing = ({ status }: CheckoutSessionRow) => status === 'processing';
    for (const session of sessions.filter(isProcessing)) await failChallenge(tx, hook, session, { at, now });
    // The outcome of the last challenge has let the link expire.
    const present = sessions.some(isProcessing) ? await lockPaymentLink(tx, id) : link;
    if (present === null || present.wake_at === null) return;
    if (sessions.some(isProcessing)) await updatePaymentLink(tx, id, { wake_at: null });
    else await expireLink(tx, link, sessions, { at, now });
  });
}

/**
 * Lets a session expire if its time is over, or fails its challenge that the payer has not passed within 15 minutes.
 * Otherwise as `expireDueLink`.
 */
export async function expireDueSession(db: Db, hook: ChargeHook, id: string, { now, ...time }: Time): Promise<void> {
  await transact(db, { requestId: null, now }, async (tx) => {
    await lockSubjectOfSession(tx, hook, id);
    const found = await lockSessionWithLink(tx, id);
    if (found === null || found.wake_at === null) return;
    const databaseTime = await databaseNow(tx);
    const at = instantOf({ id, isOnClock: found.test_clock_id !== null, dueAt: found.wake_at }, time, databaseTime);
    if (at === null) return;
    // If the session is over too, it expires with the outcome of its challenge.
    if (await failChallenge(tx, hook, found, { at, now })) return;
    if (found.status === 'processing') await updateCheckoutSession(tx, id, { wake_at: null });
    else await endSession(tx, found, 'time', at);
  });
}

/** Locks the plan or the subscription whose payment can be paid in a session: before the session. */
async function lockSubjectOfSession(tx: Tx, hook: ChargeHook, id: string): Promise<void> {
  const intent = await selectIntentOfSession(tx, id);
  if (intent === null || (intent.payment_plan_id === null && intent.subscription_id === null)) return;
  await hook(tx, { paymentIntentId: intent.id, paymentPlanId: intent.payment_plan_id });
}

/** Locks the link of a session, then the session. */
async function lockSessionWithLink(tx: Tx, id: string): Promise<CheckoutSessionRow | null> {
  const [row] = await tx<{ payment_link_id: string | null }[]>`
    select payment_link_id from checkout_sessions where id = ${id}`;
  if (row === undefined) return null;
  if (row.payment_link_id !== null) await lockPaymentLink(tx, row.payment_link_id);
  return lockCheckoutSession(tx, id);
}

/** Fails the challenge that a payer has not completed. Returns false if the session has none. */
async function failChallenge(
  tx: Tx,
  hook: ChargeHook,
  { status, payment_intent_id: intentId }: CheckoutSessionRow,
  instant: Instants,
): Promise<boolean> {
  return status === 'processing' && intentId !== null && endChallenge(tx, hook, intentId, instant);
}
