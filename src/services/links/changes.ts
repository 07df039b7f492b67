import {
  type CheckoutSessionRow,
  lockSessionsOfCustomer,
  lockSessionsOfLink,
  updateCheckoutSession,
} from '../../db/checkout-sessions.ts';
import { clearDefaultMethod, selectCustomer } from '../../db/customers.ts';
import { lockLinksOfCustomer, type PaymentLinkRow, updatePaymentLink } from '../../db/payment-links.ts';
import { markDetached, selectPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { laterInstant } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pass } from '../crash-points.ts';
import type { Instants } from '../customer-time.ts';
import { checkoutSessionEvent, paymentLinkEvent, record } from '../events.ts';
import { wake } from '../wake.ts';
import type { SessionEnd } from './availability.ts';

// What the states of links and sessions become, with their events. The rows are locked: the link first, then its
// sessions.

/** What a completed payment or setup does to the plan or subscription of its link, in the caller's transaction. */
export type ApplyTo = (
  tx: Tx,
  completed: Instants & {
    paymentPlanId: Id<'payment_plan'> | null;
    subscriptionId: Id<'subscription'> | null;
    /** Whether what a paused subscription has served unpaid is collected, or let go. */
    unpaid: 'collect' | 'waive';
    paymentMethodId: Id<'payment_method'>;
  },
) => Promise<void>;

/** A method was saved, or a payment has succeeded. `amount` is null if no money was taken. */
interface Completion extends Instants {
  amount: MinorUnits | null;
  paymentMethodId: Id<'payment_method'> | null;
}

/** Ends a session that was not completed, and with it its workflow. */
export async function expireSession(
  tx: Tx,
  session: CheckoutSessionRow,
  reason: SessionEnd,
  { at, now }: Instants,
): Promise<void> {
  await wake.checkoutSession(tx, session, now);
  await endSession(tx, session, reason, at);
}

/** As `expireSession`, called by its workflow, which reads the session again on its own. */
export async function endSession(
  tx: Tx,
  session: CheckoutSessionRow,
  reason: SessionEnd,
  at: CustomerInstant,
): Promise<void> {
  const row = await updateCheckoutSession(tx, session.id, {
    status: 'expired',
    status_reason: reason,
    expired_at: at,
    wake_at: null,
    updated_at: at,
  });
  record(tx, checkoutSessionEvent('checkout_session.expired', row, at));
}

/** Completes a session: its payment has succeeded, or its method is saved. Counts it on its link. */
export async function completeSession(
  tx: Tx,
  session: CheckoutSessionRow,
  link: PaymentLinkRow | null,
  completion: Completion,
  applyTo: ApplyTo,
): Promise<void> {
  const { at, now, paymentMethodId } = completion;
  await dropUnkeptMethod(tx, session, paymentMethodId, at);
  const row = await updateCheckoutSession(tx, session.id, {
    status: 'completed',
    status_reason: null,
    payment_method_id: paymentMethodId,
    unkept_methods: [],
    submissions: session.submissions,
    consent: session.consent,
    made_default: session.made_default,
    taken_form: session.taken_form,
    completed_at: at,
    wake_at: null,
    updated_at: at,
  });
  await wake.checkoutSession(tx, row, now);
  if (link !== null) await countOnLink(tx, link, completion);
  record(tx, checkoutSessionEvent('checkout_session.completed', row, at));
  const { apply_to_payment_plan_id: paymentPlanId, apply_to_subscription_id: subscriptionId } = session;
  if ((paymentPlanId === null && subscriptionId === null) || paymentMethodId === null) return;
  // A challenge or a bank takes its time: the method may have been detached meanwhile.
  const tenant = tenantOf(session);
  const method = await selectPaymentMethod(tx, tenant, paymentMethodId);
  if (method === null || method.detached_at !== null) return;
  const unpaid = session.apply_to_waives_unpaid ? 'waive' : 'collect';
  await applyTo(tx, { at, now, paymentPlanId, subscriptionId, unpaid, paymentMethodId });
}

/** Counts a completed session on its link, which ends when it takes no more. */
async function countOnLink(tx: Tx, link: PaymentLinkRow, { at, now, amount }: Completion): Promise<void> {
  const count = link.payments_count + 1;
  const isLast = link.status === 'open' && count === link.max_payments;
  const row = await updatePaymentLink(tx, link.id, {
    payments_count: count,
    collected_amount: link.collected_amount + (amount ?? 0),
    ...(isLast ? { status: 'completed', completed_at: at, wake_at: null } : {}),
    updated_at: at,
  });
  if (amount !== null) record(tx, paymentLinkEvent('payment_link.paid', row, at));
  if (!isLast) {
    await expireIfOverdue(tx, row, { at, now });
    return;
  }
  record(tx, paymentLinkEvent('payment_link.completed', row, at));
  await wake.paymentLink(tx, row, now);
  await endOpenSessions(tx, row, await lockSessionsOfLink(tx, row.id), { at, now });
  pass('link completed');
}

/**
 * Takes a payment that came back off its link. A link that was completed by it opens again. If its time is over, it is
 * expired, and if its customer was deleted, deactivated. A link that has ended otherwise stays as it is.
 */
export async function uncount(tx: Tx, link: PaymentLinkRow, amount: MinorUnits, { at, now }: Instants): Promise<void> {
  const row = await updatePaymentLink(tx, link.id, {
    payments_count: Math.max(0, link.payments_count - 1),
    collected_amount: Math.max(0, link.collected_amount - amount),
    ...(link.status === 'completed' ? { status: 'open', completed_at: null, wake_at: link.expires_at } : {}),
    updated_at: at,
  });
  if (link.status !== 'completed') return;
  const { customer_id: customerId, expires_at: expiresAt } = row;
  const customer = customerId === null ? null : await selectCustomer(tx, tenantOf(row), customerId);
  if (customer !== null && customer.deleted_at !== null) {
    await deactivateLink(tx, row, 'customer_deleted', { at, now });
  } else if (expiresAt !== null && expiresAt <= at) {
    await expireLink(tx, row, [], { at, now }, 'payment_returned');
  } else {
    record(tx, paymentLinkEvent('payment_link.reopened', row, at));
    await wake.paymentLink(tx, row, now, { start: expiresAt !== null });
  }
}

/** Lets an open link expire. Its sessions are locked too; the open ones end with it. Its workflow is not woken. */
export async function expireLink(
  tx: Tx,
  link: PaymentLinkRow,
  sessions: readonly CheckoutSessionRow[],
  { at, now }: Instants,
  reason: 'time' | 'payment_returned' = 'time',
): Promise<void> {
  const row = await updatePaymentLink(tx, link.id, {
    status: 'expired',
    status_reason: reason,
    expired_at: at,
    wake_at: null,
    updated_at: at,
  });
  record(tx, paymentLinkEvent('payment_link.expired', row, at));
  await endOpenSessions(tx, row, sessions, { at, now });
}

/** Deactivates an open link. Its open sessions end with it; an attempt in flight runs on. */
export async function deactivateLink(
  tx: Tx,
  link: PaymentLinkRow,
  reason: 'requested' | 'customer_deleted',
  { at, now }: Instants,
): Promise<PaymentLinkRow> {
  const row = await updatePaymentLink(tx, link.id, {
    status: 'deactivated',
    status_reason: reason,
    wake_at: null,
    updated_at: at,
  });
  record(tx, paymentLinkEvent('payment_link.deactivated', row, at));
  await wake.paymentLink(tx, row, now);
  await endOpenSessions(tx, row, await lockSessionsOfLink(tx, row.id), { at, now });
  return row;
}

/**
 * Lets an open link expire if its time is over, unless a payment that was begun before may still succeed. The link has
 * then waited for it. An outcome has the time of its attempt; the link does not expire before its own. Returns whether
 * it has expired.
 */
export async function expireIfOverdue(tx: Tx, link: PaymentLinkRow, { at, now }: Instants): Promise<boolean> {
  const { status, expires_at: expiresAt, wake_at: wakeAt } = link;
  if (status !== 'open' || expiresAt === null || (wakeAt !== null && expiresAt > at)) return false;
  const sessions = await lockSessionsOfLink(tx, link.id);
  if (sessions.some((session) => session.status === 'processing')) return false;
  await wake.paymentLink(tx, link, now);
  await expireLink(tx, link, sessions, { at: laterInstant(at, expiresAt), now });
  return true;
}

/** Ends the open ones among the locked sessions of a link that has ended. */
async function endOpenSessions(
  tx: Tx,
  link: PaymentLinkRow,
  sessions: readonly CheckoutSessionRow[],
  instant: Instants,
): Promise<void> {
  if (link.status === 'open') return;
  for (const session of sessions) {
    if (session.status === 'open') await expireSession(tx, session, `link_${link.status}`, instant);
  }
}

/** Detaches the method that was charged if the payer has entered it for this payment only. */
export async function dropUnkeptMethod(
  tx: Tx,
  { unkept_methods: unkept }: CheckoutSessionRow,
  id: Id<'payment_method'> | null,
  at: CustomerInstant,
): Promise<void> {
  if (id !== null && unkept.includes(id)) await dropMethod(tx, id, at);
}

/** Detaches a method that a payer has entered. */
export async function dropMethod(tx: Tx, id: Id<'payment_method'>, at: CustomerInstant): Promise<void> {
  await markDetached(tx, id, at);
  await clearDefaultMethod(tx, id, at);
}

/** Ends the open links and sessions of a locked customer, who is deleted. */
export async function endLinksOfCustomer(tx: Tx, customerId: string, instant: Instants): Promise<void> {
  for (const link of await lockLinksOfCustomer(tx, customerId)) {
    if (link.status === 'open') await deactivateLink(tx, link, 'customer_deleted', instant);
  }
  for (const session of await lockSessionsOfCustomer(tx, customerId)) {
    if (session.status === 'open') await expireSession(tx, session, 'customer_deleted', instant);
  }
}
