import {
  type CheckoutSessionFilter,
  type CheckoutSessionRow,
  insertCheckoutSession,
  listCheckoutSessions as listSessionRows,
  lockCheckoutSession,
  selectCheckoutSession,
  selectSessionOfIntent,
} from '../../db/checkout-sessions.ts';
import { type LockedCustomerRow, lockCustomer } from '../../db/customers.ts';
import { selectPurpose } from '../../db/page-payments.ts';
import { type LockedIntentRow, lockPaymentIntent, noteSession, selectPaymentIntent } from '../../db/payment-intents.ts';
import { lockPaymentLink, type OfferColumns } from '../../db/payment-links.ts';
import { addMs, type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { CheckoutSessionCreate } from '../../resources/checkout-session-input.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { Vault } from '../accounts/vault.ts';
import { timeOf } from '../customer-time.ts';
import { resolveCustomer } from '../customers/resolve-references.ts';
import { assertNoErrors, InvalidState, missingReference, orNotFound } from '../errors.ts';
import { transact } from '../events.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { ChargeHook } from '../payments/charge.ts';
import { isRestricted } from '../payments/charge-records.ts';
import { confirmRefusal } from '../payments/confirm-rules.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { start } from '../wake.ts';
import { stateOfSession } from './availability.ts';
import { expireSession } from './changes.ts';
import { errorsOfOffer, type OfferingKey, offerOf, takesLiveCards, urlErrors } from './offers.ts';
import { newSession, sessionMs } from './session-start.ts';

/** How long a session may last: 5 minutes to 31 days, in milliseconds. */
const shortestMs = 5 * 60_000;
const longestMs = 31 * 86_400_000;

/** What a new session is about. `intent` is the biller's own, locked; null if the session makes one. */
interface Subject {
  offer: OfferColumns;
  customer: LockedCustomerRow | null;
  intent: LockedIntentRow | null;
  errors: FieldError[];
}

/**
 * Creates a session without a link: for a payment, to save a method, or for an intent of the biller, such as an unpaid
 * one of a plan or a subscription.
 * @param hook locks what an intent is for.
 * @throws ValidationFailed with every field error of the body; InvalidState if the intent cannot be confirmed or has an
 * open session, and while the customer's clock is advancing.
 */
export async function createCheckoutSession(
  db: Writer,
  vault: Vault,
  hook: ChargeHook,
  context: RequestContext,
  input: CheckoutSessionCreate,
  key: OfferingKey,
): Promise<CheckoutSessionRow> {
  return atomically(db, async (tx) => {
    const { offer, customer, intent, errors } = await subjectOf(tx, hook, context, input, key);
    const at = timeOf(customer, context.now);
    const expiresAt = input.expires_at === undefined ? addMs(at, sessionMs) : customerInstant(input.expires_at);
    assertNoErrors([...errors, ...expiryErrors(expiresAt, at)]);
    const { row } = newSession(vault, context, offer, { at, expiresAt });
    const session: CheckoutSessionRow = {
      ...row,
      customer_id: customer?.id ?? null,
      test_clock_id: customer?.test_clock_id ?? null,
      payment_intent_id: intent?.id ?? null,
      has_own_intent: intent === null,
    };
    await insertCheckoutSession(tx, session);
    if (intent !== null) await noteSession(tx, intent.id, session.id);
    await start.checkoutSession(tx, session, context.now);
    return session;
  });
}

/** @throws NotFound */
export async function getCheckoutSession(db: Db, tenant: Tenant, id: string): Promise<CheckoutSessionRow> {
  return orNotFound(await selectCheckoutSession(db, tenant, id), 'checkout session', id);
}

/** Returns a page of sessions, newest first. Those on a test clock are listed only when the filter names the clock. */
export async function listCheckoutSessions(
  db: Db,
  tenant: Tenant,
  filter: CheckoutSessionFilter,
  query: PageQuery,
): Promise<Rows<CheckoutSessionRow>> {
  return rowsOfPage(db, 'checkout_sessions', tenant, query, (page) => listSessionRows(db, tenant, filter, page));
}

/**
 * Ends an open session: after the commit no attempt is opened.
 * @throws NotFound; InvalidState if the session is not open, and while its clock is advancing.
 */
export async function expireCheckoutSession(
  db: Writer,
  context: RequestContext,
  id: string,
): Promise<CheckoutSessionRow> {
  return transact(db, context, async (tx) => {
    const { customer_id: customerId, payment_link_id: linkId } = await getCheckoutSession(tx, context, id);
    const at = timeOf(customerId === null ? null : await lockCustomer(tx, context, customerId), context.now);
    const link = linkId === null ? null : await lockPaymentLink(tx, linkId);
    const session = orNotFound(await lockCheckoutSession(tx, id), 'checkout session', id);
    if (session.status !== 'open') {
      const state = stateOfSession(session, link, null, at);
      throw new InvalidState(`Checkout session ${id} is ${state}; it can be ended while open.`);
    }
    await expireSession(tx, session, 'requested', { at, now: context.now });
    return getCheckoutSession(tx, context, id);
  });
}

async function subjectOf(
  tx: Tx,
  hook: ChargeHook,
  context: RequestContext,
  input: CheckoutSessionCreate,
  key: OfferingKey,
): Promise<Subject> {
  const { customer_id: customerId, payment_intent_id: intentId } = input;
  const takesCards = await takesLiveCards(tx, context, input, key);
  if (intentId !== undefined) return subjectOfIntent(tx, hook, context, input, intentId, takesCards);
  const named = customerId === undefined ? null : await resolveCustomer(tx, context, customerId, '/customer_id');
  const customer = named?.value ?? null;
  const errors = [...(named?.error ? [named.error] : []), ...(await errorsOfOffer(tx, context, input, customer))];
  return { offer: offerOf(input, customer, key, takesCards), customer, intent: null, errors };
}

async function subjectOfIntent(
  tx: Tx,
  hook: ChargeHook,
  context: RequestContext,
  input: CheckoutSessionCreate,
  id: string,
  takesCards: boolean,
): Promise<Subject> {
  const path = '/payment_intent_id';
  const found = await selectPaymentIntent(tx, context, id);
  const customer = found?.customer_id ? await lockCustomer(tx, context, found.customer_id) : null;
  const recorder =
    found === null ? null : await hook(tx, { paymentIntentId: found.id, paymentPlanId: found.payment_plan_id });
  const intent = found === null ? null : await lockPaymentIntent(tx, id);
  const offer = offerOf(input, customer, { setsDefaults: false }, takesCards);
  const asked = { ...offer, collect: { email: 'no', name: 'no', phone: 'no' } as const };
  if (intent === null) {
    return { offer: asked, customer, intent, errors: [missingReference(path, 'payment intent', id)] };
  }
  // A period that is over has left a canceled payment: its subscription says what to do instead.
  if (intent.status === 'canceled' && intent.subscription_id !== null) recorder?.assertOpens?.();
  const refusal = confirmRefusal(intent, customer);
  if (refusal) throw intent.status === 'returned' ? new InvalidState(`${refusal.message}${wayOf(intent)}`) : refusal;
  if (isRestricted(intent)) {
    throw new InvalidState(
      `Too many attempts of payers to pay ${id} have failed. Confirm it with a secret key, or create a new payment intent.`,
    );
  }
  const isOfSubject = intent.payment_plan_id !== null || intent.subscription_id !== null;
  const isUnpaid = recorder?.assertOpens !== undefined && intent.status === 'failed';
  if (intent.scheduled_at !== null || intent.payment_link_id !== null || (isOfSubject && !isUnpaid)) {
    throw new InvalidState(
      `Payment intent ${id} cannot have a checkout session: its plan, schedule, subscription or link charges it.`,
    );
  }
  recorder?.assertOpens?.();
  const name = asked.name ?? (isOfSubject ? (await selectPurpose(tx, id)).name : null);
  const before = await selectSessionOfIntent(tx, id);
  if (before !== null && (before.status === 'open' || before.status === 'processing' || before.has_own_intent)) {
    throw new InvalidState(`Payment intent ${id} has checkout session ${before.id}, which is ${before.status}.`);
  }
  const { amount, currency, metadata, statement_descriptor, description } = intent;
  return {
    offer: {
      ...asked,
      ...{ name, amount, currency, metadata, statement_descriptor },
      description: asked.description ?? description,
      surcharge_applied: intent.surcharge_asked,
      tax_included: intent.tax_basis !== null || context.tax === null,
    },
    customer,
    intent,
    errors: [...urlErrors(input, context.livemode), ...typeErrors(input, currency)],
  };
}

/** How a payer can pay what a bank has taken back, as a sentence. */
function wayOf({ subscription_id: subscriptionId, payment_plan_id: planId }: LockedIntentRow): string {
  if (subscriptionId !== null) return ` Create the session with subscription_id ${subscriptionId} instead.`;
  return planId === null ? '' : ` Create a session of mode setup whose apply_to names ${planId} instead.`;
}

function typeErrors({ payment_method_types: types = [] }: CheckoutSessionCreate, currency: string): FieldError[] {
  if (currency === 'AUD' || !types.includes('au_becs_debit')) return [];
  const message = 'A bank account is debited in AUD only. Leave out au_becs_debit.';
  return [fieldError('/payment_method_types', 'method_currency_mismatch', message)];
}

function expiryErrors(expiresAt: CustomerInstant, at: CustomerInstant): FieldError[] {
  const ms = expiresAt.getTime() - at.getTime();
  if (ms >= shortestMs && ms <= longestMs) return [];
  const [from, to] = [shortestMs, longestMs].map((ahead) => addMs(at, ahead).toISOString());
  return [fieldError('/expires_at', 'out_of_range', `expires_at must be from ${from} to ${to}, the customer’s time.`)];
}
