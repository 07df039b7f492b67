import { selectBiller } from '../../db/billers.ts';
import {
  type CheckoutSessionRow,
  countProcessing,
  lockCheckoutSession,
  selectCheckoutSession,
  updateCheckoutSession,
} from '../../db/checkout-sessions.ts';
import { insertCustomer, type LockedCustomerRow, lockCustomer } from '../../db/customers.ts';
import { lockMandateOfMethod } from '../../db/mandates.ts';
import { lockPaymentLink, type PaymentLinkRow } from '../../db/payment-links.ts';
import { lockPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import { timeOf } from '../customer-time.ts';
import { newCustomer } from '../customers/customers.ts';
import { orNotFound } from '../errors.ts';
import { transact } from '../events.ts';
import { giveMandate } from '../mandates/mandates.ts';
import { type PayerRequest, payerContext, type RequestContext } from '../request-context.ts';
import { assertAcceptsPayment } from './availability.ts';
import type { Submission } from './submission.ts';

/** A session that takes an attempt, with everything locked that the attempt depends on. */
export interface OpenSession {
  session: CheckoutSessionRow;
  link: PaymentLinkRow | null;
  /** Null for the payment of a biller that has no customer. */
  customer: LockedCustomerRow | null;
  at: CustomerInstant;
}

/** Returns the context of a payer's request in this session. */
export async function contextOfSession(
  db: Db,
  session: Pick<CheckoutSessionRow, 'biller_id' | 'livemode'>,
  payer: PayerRequest,
): Promise<RequestContext> {
  const biller = await selectBiller(db, session.biller_id);
  if (biller === null) throw new Error(`biller ${session.biller_id} does not exist`);
  return payerContext(biller, session.livemode, payer);
}

/** Another page of the session has made its customer since it was read. The transaction begins again with that one. */
class CustomerMade extends Error {}

/**
 * Locks customer, link and session, in this order. A session without a customer gets one from what the payer has said.
 * Returns null if the session was submitted since: its `submissions` is no longer `version`.
 * @throws CustomerMade
 * @throws SessionClosed; NotFound if the session was deleted; InvalidState while the customer's clock is advancing.
 */
export async function lockOpenSession(
  tx: Tx,
  context: RequestContext,
  found: CheckoutSessionRow,
  { version, details = {} }: Submission,
): Promise<OpenSession | null> {
  const customer = found.customer_id === null ? null : await lockCustomer(tx, context, found.customer_id);
  const link = found.payment_link_id === null ? null : await lockPaymentLink(tx, found.payment_link_id);
  const session = orNotFound(await lockCheckoutSession(tx, found.id), 'checkout session', found.id);
  if (session.submissions !== version) return null;
  if (session.customer_id !== found.customer_id) throw new CustomerMade();
  const at = timeOf(customer, context.now);
  assertAcceptsPayment(session, link, link === null ? 0 : await countProcessing(tx, link.id), at);
  if (customer !== null || !session.has_own_intent) return { session, link, customer, at };
  const made = await makeCustomer(tx, context, details, at);
  return { session: await updateCheckoutSession(tx, session.id, { customer_id: made.id }), link, customer: made, at };
}

/** Makes the customer of a session. A payer without a name is called by the email address, or "Payer". */
async function makeCustomer(
  tx: Tx,
  context: RequestContext,
  { name, email, phone }: NonNullable<Submission['details']>,
  at: CustomerInstant,
): Promise<LockedCustomerRow> {
  const given = (text: string | undefined) => text?.trim() || undefined;
  const input = {
    name: given(name) ?? given(email) ?? 'Payer',
    email: given(email),
    phones: given(phone) === undefined ? undefined : [{ raw: given(phone) ?? '' }],
  };
  const row = newCustomer(context, input, at);
  await insertCustomer(tx, row);
  return { ...row, clock_status: null, frozen_time: null };
}

/** Runs `work` with the session in one transaction, and again if another page has made the session's customer. */
export async function withSession<T>(
  pool: Pool,
  session: CheckoutSessionRow,
  payer: PayerRequest,
  work: (tx: Tx, found: CheckoutSessionRow) => Promise<T>,
): Promise<T> {
  const run = (found: CheckoutSessionRow) => transact(pool, payer, (tx) => work(tx, found));
  return run(session).catch(async (error: unknown) => {
    if (!(error instanceof CustomerMade)) throw error;
    const tenant = tenantOf(session);
    const present = orNotFound(await selectCheckoutSession(pool, tenant, session.id), 'checkout session', session.id);
    return run(present);
  });
}

/**
 * Records the payer's agreement to debits of a bank account, unless the account has a mandate already.
 * @throws ValidationFailed, InvalidState as `giveMandate`.
 */
export async function acceptMandateFor(
  tx: Tx,
  context: RequestContext,
  { customer, at }: OpenSession,
  methodId: string,
  acceptance: Submission['acceptance'],
): Promise<void> {
  if (acceptance === undefined || customer === null) return;
  const method = orNotFound(await lockPaymentMethod(tx, context, methodId), 'payment method', methodId);
  const existing = await lockMandateOfMethod(tx, methodId);
  if (existing !== null && existing.ended_at === null) return;
  await giveMandate(tx, context, { customer, method, at }, { payment_method_id: methodId, acceptance });
}
