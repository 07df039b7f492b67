import { setupPlaceOf } from '../../db/card-setups.ts';
import { type CheckoutSessionRow, selectSessionByToken, updateCheckoutSession } from '../../db/checkout-sessions.ts';
import { selectAttemptOfRequest } from '../../db/payment-attempts.ts';
import { insertPaymentIntent, lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { type Id, namedId } from '../../domain/ids.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { saveCardOfSetup } from '../customers/entered-cards.ts';
import { saveEnteredMethod } from '../customers/payment-methods.ts';
import { assertRoomForMethod } from '../customers/resolve-references.ts';
import { Forbidden, InvalidState, ProcessorNotConfigured, ProcessorUnavailable, ValidationFailed } from '../errors.ts';
import { processorFor } from '../payments/charge.ts';
import { assertMayTry, OtherTotal } from '../payments/confirm-rules.ts';
import { confirmPaymentIntent } from '../payments/payment-confirmation.ts';
import { newIntent } from '../payments/payment-intents.ts';
import { unrepeatable } from '../payments/repeatable-request.ts';
import type { PayerRequest, RequestContext } from '../request-context.ts';
import { SessionClosed } from './availability.ts';
import { expireSession } from './changes.ts';
import { describeSession, findSession, type SessionForPayer } from './public-tokens.ts';
import {
  acceptMandateFor,
  contextOfSession,
  lockOpenSession,
  type OpenSession,
  withSession,
} from './session-parties.ts';
import { busyWhileAdvancing } from './session-start.ts';
import {
  consentAt,
  type FormResult,
  type SessionDeps,
  type Submission,
  type SubmissionRefusal,
  submissionErrors,
} from './submission.ts';
import { hashOfToken } from './tokens.ts';

/**
 * Pays a session: saves the method, makes customer and intent if there are none yet, and charges. A version that was
 * submitted before charges nothing: it returns what has come of it. A decline is no refusal: the session is open again,
 * and its intent says why.
 */
export async function paySession(
  pool: Pool,
  deps: SessionDeps,
  token: string,
  submission: Submission,
  payer: PayerRequest,
): Promise<FormResult> {
  const found = await findSession(pool, token, payer.now);
  if (found === null || found.session.mode !== 'payment') return { kind: 'unknown' };
  const { session } = found;
  const refusal = refusalBefore(found, submission);
  if (refusal === 'submitted') return submittedResult(pool, session, submission, payer);
  if (refusal !== null) return refusal;
  try {
    processorFor(deps.charging.processors, session.livemode);
    const context = await contextOfSession(pool, session, payer);
    const prepared = await withSession(pool, session, payer, (tx, read) =>
      prepare(tx, deps, context, read, submission),
    );
    if (prepared !== null) {
      const { intentId, methodId } = prepared;
      const asked = { payment_method: methodId, shownTotal: submission.shownTotal };
      const request = { ...unrepeatable, requestKey: requestKeyOf(session, submission) };
      await confirmPaymentIntent(pool, deps.charging, context, intentId, asked, request);
    }
  } catch (error) {
    const refused = formRefusalOf(error);
    const result = refused.kind === 'invalid' ? await submittedResult(pool, session, submission, payer) : refused;
    // The payment is refused to this form if another one was taken meanwhile.
    if (result.kind !== 'done' || result.session.session.submissions !== submission.version) return result;
    // So it is if its plan or subscription has charged it meanwhile.
    return result.session.state === 'open' ? refused : result;
  }
  return submittedResult(pool, session, submission, payer);
}

/** Returns what has come of a form of a session that takes a payment. */
async function submittedResult(
  pool: Pool,
  { token_hash: hash }: CheckoutSessionRow,
  submission: Submission,
  { now }: PayerRequest,
): Promise<FormResult> {
  const row = await selectSessionByToken(pool, hash);
  if (row === null) return { kind: 'unknown' };
  const bySameForm = await hasOpenedLastAttempt(pool, row, submission, now);
  return { kind: 'done', session: await describeSession(pool, row, now), bySameForm };
}

/** Whether it was this form that has opened the last attempt to pay a session. */
export async function hasOpenedLastAttempt(
  db: Db,
  session: CheckoutSessionRow,
  submission: Pick<Submission, 'version' | 'form'>,
  now: RealInstant,
): Promise<boolean> {
  const { payment_intent_id: intentId, submissions } = session;
  if (intentId === null || submissions !== submission.version + 1) return false;
  return (await selectAttemptOfRequest(db, intentId, requestKeyOf(session, submission), now)) !== null;
}

function requestKeyOf({ id }: CheckoutSessionRow, { version, form }: Pick<Submission, 'version' | 'form'>): string {
  return form === undefined ? `${id}/${version}` : `${id}/${version}/${form}`;
}

/**
 * Returns what there is to say about a submission before anything is written: `submitted` if a form of its version was
 * accepted already. Null: it can go on.
 */
export function refusalBefore(found: SessionForPayer, submission: Submission): SubmissionRefusal | 'submitted' | null {
  const { session, state } = found;
  if (submission.version < session.submissions) return 'submitted';
  if (submission.version > session.submissions) return { kind: 'stale' };
  if (state === 'advancing') return { kind: 'busy', reason: 'advancing' };
  if (state === 'challenge' || state === 'processing') return { kind: 'busy', reason: 'processing' };
  if (state !== 'open') return { kind: 'ended', state, reason: session.status_reason };
  const errors = submissionErrors(session, submission);
  return errors.length === 0 ? null : { kind: 'invalid', errors };
}

/**
 * Saves the method that the payer has entered, in the transaction that takes the form, or returns the id of the one
 * that was named.
 * @throws ValidationFailed `payment_method_limit` when the customer has as many methods as it can have;
 * `payment_method_detached` when the card must be entered again.
 */
export async function methodOf(
  tx: Tx,
  { vault }: SessionDeps,
  context: RequestContext,
  { session, customer }: OpenSession,
  { method }: Submission,
): Promise<Id<'payment_method'>> {
  if ('id' in method) return namedId('payment_method', method.id);
  const { data, setup } = method;
  const save = async () => {
    if (customer !== null) await assertRoomForMethod(tx, customer.id);
    return (await saveEnteredMethod(tx, vault, context, data)).id;
  };
  return setup === undefined ? save() : saveCardOfSetup(tx, setupPlaceOf(session), hashOfToken(setup), save);
}

/** Says what an error means for the payer. @throws any error that is a fault of ours. */
export function formRefusalOf(error: unknown): SubmissionRefusal {
  if (error instanceof SessionClosed) {
    if (error.reason === 'ended') return { kind: 'ended', state: 'expired', reason: null };
    return { kind: 'busy', reason: error.reason };
  }
  if (error instanceof OtherTotal) return { kind: 'stale' };
  if (error instanceof ProcessorNotConfigured) return { kind: 'unavailable' };
  if (error instanceof ProcessorUnavailable) return { kind: 'unclear' };
  if (error instanceof ValidationFailed) return { kind: 'invalid', errors: error.fieldErrors };
  if (error instanceof Forbidden && error.code === 'too_many_attempts') {
    return { kind: 'ended', state: 'expired', reason: error.code };
  }
  if (error instanceof Forbidden) {
    return { kind: 'invalid', errors: [fieldError('/method', 'invalid_value', error.message)] };
  }
  if (error instanceof InvalidState && error.code !== 'test_clock_advancing') {
    return { kind: 'invalid', errors: [fieldError('/method', 'invalid_value', error.message)] };
  }
  return busyWhileAdvancing(error);
}

/**
 * Prepares what the attempt needs, in one transaction: the customer, the method, the intent of this amount, the
 * mandate. Returns the ids of intent and method, or null if the session was submitted meanwhile by another page.
 */
async function prepare(
  tx: Tx,
  deps: SessionDeps,
  context: RequestContext,
  found: CheckoutSessionRow,
  submission: Submission,
): Promise<{ intentId: Id<'payment_intent'>; methodId: Id<'payment_method'> } | null> {
  const open = await lockOpenSession(tx, context, found, submission);
  if (open === null) return null;
  const { session } = open;
  const form = formOf(deps, session, submission);
  if (form !== null && session.taken_form?.equals(form) && session.taken_method && session.payment_intent_id) {
    return { intentId: session.payment_intent_id, methodId: session.taken_method };
  }
  const before = session.payment_intent_id === null ? null : await lockPaymentIntent(tx, session.payment_intent_id);
  if (before?.status === 'canceled') {
    await expireSession(tx, session, 'payment_canceled', { at: open.at, now: context.now });
    return null;
  }
  const amount = session.amount ?? submission.amount ?? 0;
  // An intent keeps its amount. If the payer chooses another one after a decline, it is another payment. The biller's
  // own stays the same, also if its plan or subscription has changed what it takes.
  const isSame = before !== null && before.amount === amount && isAsShown(before, context, open);
  const isGiven = !session.has_own_intent;
  const intent = before !== null && (isSame || isGiven) ? before : await makeIntent(tx, context, open, amount);
  assertMayTry(context, intent);
  const methodId = await methodOf(tx, deps, context, open, submission);
  await acceptMandateFor(tx, context, open, methodId, submission.acceptance);
  if ('id' in submission.method || submission.method.data.type === 'au_becs_debit') {
    const { apply_to_payment_plan_id: paymentPlanId, apply_to_subscription_id: subscriptionId } = session;
    const unpaid = session.apply_to_waives_unpaid ? 'waive' : 'collect';
    await deps.assertPays(tx, { paymentPlanId, subscriptionId, paymentMethodId: methodId, unpaid, at: open.at });
  }
  const isKept =
    'id' in submission.method ||
    submission.acceptance !== undefined ||
    session.save_payment_method === 'always' ||
    (session.save_payment_method === 'offer' && submission.save === true);
  await updateCheckoutSession(tx, session.id, {
    payment_intent_id: intent.id,
    taken_form: form,
    taken_method: form === null ? null : methodId,
    entered_method: 'id' in submission.method || submission.acceptance !== undefined ? null : methodId,
    unkept_methods: isKept ? session.unkept_methods : [...new Set([...session.unkept_methods, methodId])],
    consent: consentAt(submission, open.at),
  });
  return { intentId: intent.id, methodId };
}

/**
 * Returns a keyed hash of a form in which a way to pay was entered. The same form may be sent many times at once, and
 * still saves one method. Null for a method that is saved already.
 */
function formOf({ vault }: SessionDeps, { id }: CheckoutSessionRow, submission: Submission): Buffer | null {
  const { version, method, amount, details, save, acceptance } = submission;
  if ('id' in method) return null;
  const sent = JSON.stringify([version, method.data, amount, details, save, acceptance]);
  return vault.fingerprintsOf([`form of a session\n${id}\n${sent}`])[0];
}

/** Whether the payer bears the fee of an amount that was chosen, as the page has shown it. */
function isAsShown(intent: PaymentIntentRow, context: RequestContext, open: OpenSession): boolean {
  const { amount, surcharge_asked: isAsked } = intent;
  return open.session.amount !== null || isAsked === intentOf(context, open, amount).surcharge_asked;
}

async function makeIntent(
  tx: Tx,
  context: RequestContext,
  open: OpenSession,
  amount: MinorUnits,
): Promise<PaymentIntentRow> {
  const row = intentOf(context, open, amount);
  await insertPaymentIntent(tx, row);
  return row;
}

/** Returns a new intent of a session, which is not stored. */
function intentOf(
  context: RequestContext,
  { session, customer, at }: OpenSession,
  amount: MinorUnits,
): PaymentIntentRow {
  const { currency, metadata, surcharge_applied, tax_included, statement_descriptor: descriptor } = session;
  if (currency === null) throw new Error(`checkout session ${session.id} has no currency`);
  const terms = { amount, currency, metadata, surcharge_applied, tax_included };
  const input = descriptor === null ? terms : { ...terms, statement_descriptor: descriptor };
  return {
    ...newIntent(context, input, { at, payer: customer, method: null }),
    payment_link_id: session.payment_link_id,
    checkout_session_id: session.id,
  };
}
