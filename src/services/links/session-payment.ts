import { type CheckoutSessionRow, selectSessionByToken, updateCheckoutSession } from '../../db/checkout-sessions.ts';
import { insertPaymentIntent, lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { createPaymentMethod } from '../customers/payment-methods.ts';
import { Forbidden, InvalidState, ProcessorNotConfigured, ProcessorUnavailable, ValidationFailed } from '../errors.ts';
import { processorFor } from '../payments/ask-processor.ts';
import { confirmPaymentIntent } from '../payments/payment-confirmation.ts';
import { newIntent } from '../payments/payment-intents.ts';
import { unrepeatable } from '../payments/repeatable-request.ts';
import type { RequestContext } from '../request-context.ts';
import { SessionClosed } from './door.ts';
import type { PayerRequest } from './payer-context.ts';
import { describeSession, findSession } from './public-tokens.ts';
import {
  acceptMandateFor,
  contextOfSession,
  lockOpenSession,
  type OpenSession,
  withSession,
} from './session-parties.ts';
import { ifAdvancing } from './session-start.ts';
import { type Refusal, type SessionDeps, type Submission, type Submitted, submissionErrors } from './submission.ts';

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
): Promise<Submitted> {
  const found = await findSession(pool, token, payer.now);
  if (found === null || found.session.mode !== 'payment') return { kind: 'unknown' };
  const refusal = refusalBefore(found, submission);
  if (refusal !== null) return refusal;
  const { session } = found;
  try {
    processorFor(deps.charging.processors, session.livemode);
    const context = await contextOfSession(pool, session, payer);
    const methodId = await methodOf(pool, deps, context, submission);
    const intentId = await withSession(pool, session, (tx, read) => prepare(tx, context, read, submission, methodId));
    if (intentId !== null) {
      const request = { ...unrepeatable, requestKey: `${session.id}/${submission.version}` };
      await confirmPaymentIntent(pool, deps.charging, context, intentId, { payment_method: methodId }, request);
    }
  } catch (error) {
    return refusalOf(error);
  }
  return submittedResult(pool, session, payer);
}

/** Returns the result of a session that was just submitted. */
export async function submittedResult(
  pool: Pool,
  { token_hash: hash }: CheckoutSessionRow,
  { now }: PayerRequest,
): Promise<Submitted> {
  const row = await selectSessionByToken(pool, hash);
  return row === null ? { kind: 'unknown' } : { kind: 'done', session: await describeSession(pool, row, now) };
}

/** Returns what there is to say about a submission before anything is written. Null: it can go on. */
export function refusalBefore(
  found: Extract<Submitted, { kind: 'done' }>['session'],
  submission: Submission,
): Submitted | null {
  const { session, state } = found;
  if (submission.version < session.submissions) return { kind: 'done', session: found };
  if (submission.version > session.submissions) return { kind: 'stale' };
  if (state === 'advancing') return { kind: 'busy', reason: 'advancing' };
  if (state === 'challenge' || state === 'processing') return { kind: 'busy', reason: 'processing' };
  if (state !== 'open') return { kind: 'ended', state, reason: session.status_reason };
  const errors = submissionErrors(session, submission);
  return errors.length === 0 ? null : { kind: 'invalid', errors };
}

/** Saves the method that the payer has entered, or returns the id of the one that was named. */
export async function methodOf(
  pool: Pool,
  { vault }: SessionDeps,
  context: RequestContext,
  { method }: Submission,
): Promise<string> {
  return 'id' in method ? method.id : (await createPaymentMethod(pool, vault, context, method.data)).id;
}

/** Says what an error means for the payer. @throws any error that is a fault of ours. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof SessionClosed) {
    if (error.reason === 'ended') return { kind: 'ended', state: 'expired', reason: null };
    return { kind: 'busy', reason: error.reason };
  }
  if (error instanceof ProcessorNotConfigured) return { kind: 'unavailable' };
  if (error instanceof ProcessorUnavailable) return { kind: 'unclear' };
  if (error instanceof ValidationFailed) return { kind: 'invalid', errors: error.fieldErrors };
  if (error instanceof Forbidden) {
    return { kind: 'invalid', errors: [fieldError('/method', 'invalid_value', error.message)] };
  }
  if (error instanceof InvalidState && error.code !== 'test_clock_advancing') {
    return { kind: 'invalid', errors: [fieldError('/method', 'invalid_value', error.message)] };
  }
  return ifAdvancing(error);
}

/**
 * Prepares what the attempt needs, in one transaction: the customer, the intent of this amount, the mandate. Returns
 * the intent's id, or null if the session was submitted meanwhile by another page.
 */
async function prepare(
  tx: Tx,
  context: RequestContext,
  found: CheckoutSessionRow,
  submission: Submission,
  methodId: string,
): Promise<string | null> {
  const open = await lockOpenSession(tx, context, found, submission);
  if (open === null) return null;
  const { session } = open;
  const amount = session.amount ?? submission.amount ?? 0;
  const before = session.payment_intent_id === null ? null : await lockPaymentIntent(tx, session.payment_intent_id);
  // An intent keeps its amount. If the payer chooses another one after a decline, it is another payment; also if the
  // chosen one costs another surcharge by now, because the page has shown that.
  const isSame = before !== null && before.amount === amount && isAsShown(before, context, open);
  const intent = isSame ? before : await makeIntent(tx, context, open, amount);
  await acceptMandateFor(tx, context, open, methodId, submission.acceptance);
  const isKept =
    'id' in submission.method ||
    submission.acceptance !== undefined ||
    session.save_payment_method === 'always' ||
    (session.save_payment_method === 'offer' && submission.save === true);
  await updateCheckoutSession(tx, session.id, {
    payment_intent_id: intent.id,
    entered_method: 'id' in submission.method || submission.acceptance !== undefined ? null : methodId,
    unkept_methods: isKept ? session.unkept_methods : [...session.unkept_methods, methodId],
  });
  return intent.id;
}

/** Whether a page has shown the total of this intent: its own, or that of an amount that the payer has chosen. */
function isAsShown({ amount, total_amount }: PaymentIntentRow, context: RequestContext, open: OpenSession): boolean {
  return open.session.amount !== null || total_amount === intentOf(context, open, amount).total_amount;
}

async function makeIntent(
  tx: Tx,
  context: RequestContext,
  open: OpenSession,
  amount: number,
): Promise<PaymentIntentRow> {
  const row = intentOf(context, open, amount);
  await insertPaymentIntent(tx, row);
  return row;
}

/** Returns a new intent of a session, which is not stored. */
function intentOf(context: RequestContext, { session, customer, at }: OpenSession, amount: number): PaymentIntentRow {
  const { currency, metadata, surcharge_applied, statement_descriptor: descriptor } = session;
  if (currency === null) throw new Error(`checkout session ${session.id} has no currency`);
  const terms = { amount, currency, metadata, surcharge_applied };
  const input = descriptor === null ? terms : { ...terms, statement_descriptor: descriptor };
  return {
    ...newIntent(context, input, { at, payer: customer, methodId: null }),
    payment_link_id: session.payment_link_id,
    checkout_session_id: session.id,
  };
}
