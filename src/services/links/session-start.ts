import { selectBiller } from '../../db/billers.ts';
import {
  type CheckoutSessionRow,
  countProcessing,
  insertCheckoutSession,
  lockSessionsOfLink,
} from '../../db/checkout-sessions.ts';
import { lockCustomer } from '../../db/customers.ts';
import { lockPaymentLink, type OfferColumns, type PaymentLinkRow, selectLinkByToken } from '../../db/payment-links.ts';
import { tenantOf } from '../../db/tenant.ts';
import { newId } from '../../domain/ids.ts';
import { addMs, type CustomerInstant } from '../../domain/instants.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import type { Vault } from '../accounts/vault.ts';
import { timeOf } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { transact } from '../events.ts';
import { type PayerRequest, payerContext, type Tenant } from '../request-context.ts';
import { start } from '../wake.ts';
import { stateOfLink } from './availability.ts';
import { expireSession } from './changes.ts';
import { describeSession, type SessionForPayer } from './public-tokens.ts';
import type { SubmissionRefusal } from './submission.ts';
import { hashOfToken, newToken, tokenOf } from './tokens.ts';

/** In milliseconds: 24 hours. */
export const sessionMs = 24 * 3_600_000;

/**
 * Makes the session in which the payer of a link pays. All pages of a link that takes one payment share one session, so
 * they share its payment.
 */
export async function startSession(
  db: Writer,
  vault: Vault,
  token: string,
  payer: PayerRequest,
): Promise<{ kind: 'started'; token: string; session: SessionForPayer } | SubmissionRefusal> {
  const found = await selectLinkByToken(db, hashOfToken(token));
  if (found === null) return { kind: 'unknown' };
  const started = await transact(db, payer, (tx) => startLocked(tx, vault, found, payer)).catch(busyWhileAdvancing);
  if ('kind' in started) return started;
  return { kind: 'started', ...started, session: await describeSession(db, started.session, payer.now) };
}

/** A payer meets a clock that moves. @throws any other error. */
export function busyWhileAdvancing(error: unknown): SubmissionRefusal {
  if (error instanceof InvalidState && error.code === 'test_clock_advancing')
    return { kind: 'busy', reason: 'advancing' };
  throw error;
}

async function startLocked(
  tx: Tx,
  vault: Vault,
  found: PaymentLinkRow,
  payer: PayerRequest,
): Promise<{ token: string; session: CheckoutSessionRow } | SubmissionRefusal> {
  const tenant = tenantOf(found);
  const customer = found.customer_id === null ? null : await lockCustomer(tx, tenant, found.customer_id);
  const at = timeOf(customer, payer.now);
  const link = await lockPaymentLink(tx, found.id);
  if (link === null || !link.token_hash.equals(found.token_hash)) return { kind: 'unknown' };
  const state = stateOfLink(link, at);
  if (state !== 'open') return { kind: 'ended', state, reason: link.status_reason };
  const sessions = link.max_payments === 1 ? await lockSessionsOfLink(tx, link.id) : [];
  for (const session of sessions) {
    if (session.status === 'processing' || session.expires_at > at) {
      return { token: tokenOf(vault, 'checkout_session_tokens', session), session };
    }
    await expireSession(tx, session, 'time', { at, now: payer.now });
  }
  const { max_payments: max, payments_count: count } = link;
  if (max !== null && count + (await countProcessing(tx, link.id)) >= max) {
    return { kind: 'busy', reason: 'last_payment' };
  }
  const biller = await selectBiller(tx, link.biller_id);
  if (biller === null) throw new Error(`biller ${link.biller_id} does not exist`);
  const context = payerContext(biller, link.livemode, payer);
  const { token, row } = newSession(vault, context, link, { at, expiresAt: addMs(at, sessionMs) });
  const session: CheckoutSessionRow = {
    ...row,
    test_clock_id: link.test_clock_id,
    payment_link_id: link.id,
    single_use: max === 1,
    customer_id: link.customer_id,
  };
  await insertCheckoutSession(tx, session);
  await start.checkoutSession(tx, session, payer.now);
  return { token, session };
}

/** Returns the row of a new session, of no link, customer and intent, and the token of its URL. Customer time. */
export function newSession(
  vault: Vault,
  tenant: Tenant,
  offer: OfferColumns,
  { at, expiresAt }: { at: CustomerInstant; expiresAt: CustomerInstant },
): { token: string; row: CheckoutSessionRow } {
  const id = newId('checkout_session');
  const { token, columns } = newToken(vault, 'checkout_session_tokens', tenant, id);
  const row: CheckoutSessionRow = {
    id,
    biller_id: tenant.billerId,
    livemode: tenant.livemode,
    test_clock_id: null,
    payment_link_id: null,
    single_use: false,
    customer_id: null,
    payment_intent_id: null,
    has_own_intent: true,
    payment_method_id: null,
    unkept_methods: [],
    entered_method: null,
    taken_form: null,
    taken_method: null,
    consent: null,
    made_default: false,
    ...offerColumnsOf(offer),
    ...columns,
    status: 'open',
    status_reason: null,
    submissions: 0,
    failed_attempts: 0,
    expires_at: expiresAt,
    wake_at: expiresAt,
    completed_at: null,
    expired_at: null,
    created_at: at,
    updated_at: at,
  };
  return { token, row };
}

function offerColumnsOf(from: OfferColumns): OfferColumns {
  const { mode, name, description, amount, amount_min, amount_max, amount_suggested, currency, collect } = from;
  const { payment_method_types, takes_cards, save_payment_method, makes_default, surcharge_applied, tax_included } =
    from;
  const {
    apply_to_payment_plan_id,
    apply_to_subscription_id,
    apply_to_waives_unpaid,
    statement_descriptor,
    metadata,
    success_url,
    cancel_url,
  } = from;
  return {
    ...{ mode, name, description, amount, amount_min, amount_max, amount_suggested, currency, collect },
    ...{ payment_method_types, takes_cards, save_payment_method, makes_default, surcharge_applied, tax_included },
    ...{ apply_to_payment_plan_id, apply_to_subscription_id, apply_to_waives_unpaid },
    ...{ statement_descriptor, metadata, success_url, cancel_url },
  };
}
