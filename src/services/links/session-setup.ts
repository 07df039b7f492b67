import { type CheckoutSessionRow, selectCurrencyOfSubject } from '../../db/checkout-sessions.ts';
import { updateCustomer } from '../../db/customers.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { attachMethod } from '../customers/resolve-references.ts';
import { assertNoErrors, ValidationFailed } from '../errors.ts';
import { currencyErrors } from '../payments/fitting-method.ts';
import { lockMethodOfPayer } from '../payments/unattached-methods.ts';
import type { RequestContext } from '../request-context.ts';
import { completeSession } from './changes.ts';
import type { PayerRequest } from './payer-context.ts';
import { findSession } from './public-tokens.ts';
import { acceptMandateFor, contextOfSession, lockOpenSession, withSession } from './session-parties.ts';
import { methodOf, refusalBefore, refusalOf } from './session-payment.ts';
import { consentAt, type SessionDeps, type Submission, type Submitted } from './submission.ts';

/**
 * Saves a payer's method in a session of mode `setup`, and completes it. The method becomes the customer's default if
 * the payer has asked for that. A version that was submitted before saves nothing: it returns what has come of it.
 */
export async function saveSessionMethod(
  pool: Pool,
  deps: SessionDeps,
  token: string,
  submission: Submission,
  payer: PayerRequest,
): Promise<Submitted> {
  const found = await findSession(pool, token, payer.now);
  if (found === null || found.session.mode !== 'setup') return { kind: 'unknown' };
  const refusal = refusalBefore(found, submission);
  if (refusal !== null && refusal !== 'submitted') return refusal;
  let isOwn = false;
  try {
    if (refusal === null) {
      const context = await contextOfSession(pool, found.session, payer);
      isOwn = await withSession(pool, found.session, payer, (tx, read) =>
        complete(tx, deps, context, read, submission),
      );
    }
  } catch (error) {
    return refusalOf(error);
  }
  const session = await findSession(pool, token, payer.now);
  return session === null ? { kind: 'unknown' } : { kind: 'done', session, isOwn };
}

/** Returns whether this form has completed the session; false if another one was accepted meanwhile. */
async function complete(
  tx: Tx,
  deps: SessionDeps,
  context: RequestContext,
  found: CheckoutSessionRow,
  submission: Submission,
): Promise<boolean> {
  const open = await lockOpenSession(tx, context, found, submission);
  if (open === null) return false;
  const { session, link, customer, at } = open;
  if (customer === null) throw new Error(`checkout session ${session.id} has no customer`);
  const methodId = await methodOf(tx, deps, context, open, submission);
  const payer = { id: null, customer_id: customer.id, payment_method_id: null };
  const method = await lockMethodOfPayer(tx, context, methodId, payer);
  if (method.detached_at !== null) {
    throw ValidationFailed.of('/method', 'payment_method_detached', 'The payment method has been detached.');
  }
  const currency = await selectCurrencyOfSubject(tx, session);
  assertNoErrors(currency === null ? [] : currencyErrors(method, currency, '/method'));
  await attachMethod(tx, context, method, customer.id, at);
  await acceptMandateFor(tx, context, open, methodId, submission.acceptance);
  const { makesDefault = false } = submission;
  if (makesDefault) await updateCustomer(tx, customer.id, { default_payment_method_id: methodId, updated_at: at });
  const completion = { at, now: context.now, amount: null, paymentMethodId: methodId };
  const submitted = {
    ...session,
    submissions: session.submissions + 1,
    consent: consentAt(submission, at),
    made_default: makesDefault,
  };
  await completeSession(tx, submitted, link, completion, deps.applyTo);
  return true;
}
