import { type CheckoutSessionRow, selectCurrencyOfSubject } from '../../db/checkout-sessions.ts';
import { updateCustomer } from '../../db/customers.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { Vault } from '../accounts/vault.ts';
import { attachMethod } from '../customers/resolve-references.ts';
import { assertNoErrors, ValidationFailed } from '../errors.ts';
import { currencyErrors } from '../payments/fitting-method.ts';
import { lockMethodOfPayer } from '../payments/unattached-methods.ts';
import type { PayerRequest, RequestContext } from '../request-context.ts';
import { completeSession } from './changes.ts';
import { findSession } from './public-tokens.ts';
import { acceptMandateFor, contextOfSession, lockOpenSession, withSession } from './session-parties.ts';
import { formRefusalOf, methodOf, refusalBefore } from './session-payment.ts';
import { consentAt, type FormResult, type SessionDeps, type Submission } from './submission.ts';

/**
 * Saves a payer's method in a session of mode `setup`, and completes it. The method becomes the customer's default if
 * the link is made for that, or if it offers that and the payer has ticked the box. A version that was submitted before
 * saves nothing: it returns what has come of it.
 */
export async function saveSessionMethod(
  pool: Pool,
  deps: SessionDeps,
  token: string,
  submission: Submission,
  payer: PayerRequest,
): Promise<FormResult> {
  const found = await findSession(pool, token, payer.now);
  if (found === null || found.session.mode !== 'setup') return { kind: 'unknown' };
  const refusal = refusalBefore(found, submission);
  if (refusal !== null && refusal !== 'submitted') return refusal;
  try {
    if (refusal === null) {
      const context = await contextOfSession(pool, found.session, payer);
      await withSession(pool, found.session, payer, (tx, read) => complete(tx, deps, context, read, submission));
    }
  } catch (error) {
    return formRefusalOf(error);
  }
  const session = await findSession(pool, token, payer.now);
  if (session === null) return { kind: 'unknown' };
  return { kind: 'done', session, bySameForm: hasSavedMethod(deps.vault, session.session, submission) };
}

/** Whether it was this form, sent once or more often, that has completed a session of mode `setup`. */
export function hasSavedMethod(
  vault: Vault,
  session: CheckoutSessionRow,
  submission: Pick<Submission, 'version' | 'form'>,
): boolean {
  if (session.mode !== 'setup' || session.status !== 'completed') return false;
  return session.taken_form?.equals(keyOfForm(vault, session, submission)) ?? false;
}

/** Returns a keyed hash of the name of a form. */
function keyOfForm(
  vault: Vault,
  { id }: CheckoutSessionRow,
  { version, form = '' }: Pick<Submission, 'version' | 'form'>,
): Buffer {
  return vault.fingerprintsOf([`form of a setup session\n${id}\n${version}\n${form}`])[0];
}

/** Completes the session by this form, unless another one was accepted meanwhile. */
async function complete(
  tx: Tx,
  deps: SessionDeps,
  context: RequestContext,
  found: CheckoutSessionRow,
  submission: Submission,
): Promise<void> {
  const open = await lockOpenSession(tx, context, found, submission);
  if (open === null) return;
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
  const { apply_to_payment_plan_id: paymentPlanId, apply_to_subscription_id: subscriptionId } = session;
  if (method.instrument.type === 'au_becs_debit') {
    const unpaid = session.apply_to_waives_unpaid ? 'waive' : 'collect';
    await deps.assertPays(tx, { paymentPlanId, subscriptionId, paymentMethodId: methodId, unpaid, at });
  }
  const makesDefault =
    session.makes_default === 'always' || (session.makes_default === 'offer' && submission.makesDefault === true);
  if (makesDefault) {
    await updateCustomer(tx, customer.id, { default_payment_method_id: methodId, updated_at: at });
    await deps.defaultChanged(tx, customer, methodId, { at, now: context.now });
  }
  const completion = { at, now: context.now, amount: null, paymentMethodId: methodId };
  const submitted = {
    ...session,
    submissions: session.submissions + 1,
    consent: consentAt(submission, at),
    made_default: makesDefault,
    taken_form: keyOfForm(deps.vault, session, submission),
  };
  await completeSession(tx, submitted, link, completion, deps.applyTo);
}
