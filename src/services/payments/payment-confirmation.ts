import { lockCustomer } from '../../db/customers.ts';
import { listAbandonedAttempts, type PaymentAttemptRow, selectAttemptOfRequest } from '../../db/payment-attempts.ts';
import {
  type LockedIntentRow,
  lockPaymentIntent,
  type PaymentIntentRow,
  updateReturnUrl,
} from '../../db/payment-intents.ts';
import { selectSubscriptionOfIntent } from '../../db/subscriptions.ts';
import { namedId } from '../../domain/ids.ts';
import { addMs, type CustomerInstant } from '../../domain/instants.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { PaymentIntentConfirm, PaymentIntentCreate } from '../../resources/payment-intent-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, type Resolved, resolveCustomer } from '../customers/resolve-references.ts';
import { assertNoErrors, InvalidState, NotFound, orNotFound, ValidationFailed } from '../errors.ts';
import { transact } from '../events.ts';
import { parsedUrl, payerUrlErrors } from '../payer-urls.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { allFinished, askProcessor, processorFor } from './ask-processor.ts';
import {
  assertSessionFound,
  type Charging,
  type OutcomeRecord,
  openCharge,
  recordOutcome,
  reopenAttempt,
} from './charge.ts';
import type { Charge } from './charge-records.ts';
import { chargeForRequest, continueCharge } from './charged-request.ts';
import { assertMayTry, confirmRefusal } from './confirm-rules.ts';
import { acceptDebit } from './debit-acceptance.ts';
import { newIntentId } from './new-intent.ts';
import { createLocked, getPaymentIntent } from './payment-intents.ts';
import { lockAndChooseRail, refusalError } from './rail.ts';
import { OtherTotal, type RepeatableRequest, unrepeatable } from './repeatable-request.ts';
import { decideSurcharge } from './surcharges.ts';
import { lockMethodOfPayer, recordUse, resolveMethodOfIntent } from './unattached-methods.ts';
import { createUnlocked, openUnlocked, recordUnlocked, type UnlockedCharge } from './unlocked-charge.ts';

/**
 * In milliseconds. No request lives this long, so its process is dead. A plan's attempt may still be under way, in the
 * retries of its workflow: then both ask under the same key, and one of them records the outcome.
 */
const abandonedAfterMs = 60_000;

/**
 * Charges an intent now, with the given method or the one that the intent carries. If two confirms race, the intent is
 * charged once: the second finds it charged or being charged.
 * @throws NotFound
 * @throws InvalidState in any status other than requires_payment_method and failed, and when the customer was deleted;
 * `mandate_unavailable` or `mandate_limit_exceeded` for a bank account that must not be debited.
 * @throws Forbidden `too_many_attempts` with a publishable key, after ten attempts of payers that failed.
 * @throws ValidationFailed when there is no method that can be charged.
 * @throws InvalidState `mandate_unavailable`, `mandate_limit_exceeded` when the mandate of a bank account forbids it.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome. The payment stays processing.
 */
export async function confirmPaymentIntent(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  input: PaymentIntentConfirm,
  request: RepeatableRequest<PaymentIntentRow> = unrepeatable,
): Promise<PaymentIntentRow> {
  const opened =
    (await openUnlocked(pool, charging.processors, context, id, input, request)) ??
    (await transact(pool, context, (tx) => openConfirmation(tx, charging, context, id, input, request)));
  return finishConfirmation(pool, charging, context, opened, request);
}

/**
 * Creates an intent and charges it. If an earlier try of this request has created one, its charge is continued: there
 * is never a second intent.
 * @throws ValidationFailed with every field error of the body.
 * @throws InvalidState while the customer's clock is advancing, and when it was deleted meanwhile with the intent.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 */
export async function createAndConfirm(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  input: PaymentIntentCreate,
  request: RepeatableRequest<PaymentIntentRow> = unrepeatable,
): Promise<PaymentIntentRow> {
  const opened =
    (await createUnlocked(pool, charging.processors, context, input, request)) ??
    (await transact(pool, context, async (tx) => {
      await request.claimKey(tx);
      const newId = newIntentId(context);
      const id = await request.subjectOf(tx, newId);
      if (id === newId) await createLocked(tx, context, input, id);
      return openConfirmation(tx, charging, context, id, {}, { ...request, claimKey: async () => {} }).catch(
        unlessGone,
      );
    }));
  return finishConfirmation(pool, charging, context, opened, request).catch(unlessGone);
}

/** The request names no payment intent, so it cannot be told that there is none. */
function unlessGone(error: unknown): never {
  if (!(error instanceof NotFound)) throw error;
  throw new InvalidState('The payment was deleted meanwhile, together with the test clock of its customer.');
}

/**
 * What opening has come to: a charge to be made, or an intent that is done for now: its outcome was recorded by an
 * earlier try, or its debit is accepted.
 */
type Opened = { charge: Charge } | UnlockedCharge | { completed: PaymentIntentRow };

async function finishConfirmation(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  opened: Opened,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<PaymentIntentRow> {
  if ('completed' in opened) return opened.completed;
  const { charge } = opened;
  const respond = async (tx: Tx, intent: PaymentIntentRow) => {
    await request.storeResponse(tx, intent);
    return intent;
  };
  const recordAlone = async (record: OutcomeRecord) =>
    'version' in opened ? recordUnlocked(pool, opened, record, request) : null;
  return orNotFound(
    await chargeForRequest(pool, charging, context, charge, respond, recordAlone),
    'payment intent',
    charge.paymentIntentId,
  );
}

/**
 * Finishes charges of any source whose process died after opening them. Asks the processor again under the attempt's
 * key, so no money is taken twice, records the outcome, and makes the workflow of a plan or of a scheduled payment look
 * again. If one charge cannot be finished, the others still are.
 * @throws AggregateError with every failure, after all charges were tried.
 */
export async function recoverCharges(sql: Pool, { processors, hook }: Charging, now: RealInstant): Promise<void> {
  const abandoned = await listAbandonedAttempts(sql, addMs(now, -abandonedAfterMs));
  // At once, because a processor that hangs takes half a minute for each. The processor's own limit holds.
  await allFinished(
    'charges',
    abandoned.map(async (attempt) => {
      const charge = await atomically(sql, (tx) => reopenAttempt(tx, attempt));
      if (charge === null) return;
      const outcome = await askProcessor(sql, processors, charge);
      await atomically(sql, async (tx) => {
        await recordOutcome(tx, charge, { outcome, requestId: null, now }, hook);
        await wakeAfterOutcome(tx, attempt, charge, now);
      });
    }),
  );
}

/**
 * Makes the workflow of a plan or a scheduled payment look again: it may have stalled, because the processor gave it no
 * outcome.
 */
export async function wakeAfterOutcome(
  tx: Tx,
  { source }: Pick<PaymentAttemptRow, 'source'>,
  { livemode, paymentIntentId, paymentPlanId }: Charge,
  now: RealInstant,
): Promise<void> {
  if (source === 'plan' && paymentPlanId) await wake.paymentPlan(tx, { id: paymentPlanId, livemode }, now);
  if (source === 'subscription') {
    const id = await selectSubscriptionOfIntent(tx, paymentIntentId);
    if (id !== null) await wake.subscription(tx, { id, livemode }, now);
  }
  if (source === 'schedule') await wake.scheduledPayment(tx, { id: paymentIntentId, livemode }, now);
}

/**
 * Opens the attempt, or finds the one that an earlier try of the same request has opened. That one is either continued
 * (`charge`) or already has its outcome (`completed`).
 */
async function openConfirmation(
  tx: Tx,
  { processors, hook }: Charging,
  context: RequestContext,
  id: string,
  input: PaymentIntentConfirm,
  { requestKey, keyExpiresAt, claimKey, storeResponse, shownTotal }: RepeatableRequest<PaymentIntentRow>,
): Promise<Opened> {
  const [, found] = await pipelined(tx, [claimKey(tx), getPaymentIntent(tx, context, id)]);
  const { customer_id: customerId, payment_plan_id: paymentPlanId } = found;
  const newPayer = customerId === null && context.keyKind === 'secret' ? input.customer_id : undefined;
  const named = newPayer === undefined ? null : await resolveCustomer(tx, context, newPayer, '/customer_id');
  const [customer, recorder, intent, before] = await pipelined(tx, [
    customerId === null ? null : lockCustomer(tx, context, customerId),
    hook(tx, { paymentIntentId: found.id, paymentPlanId }),
    lockPaymentIntent(tx, id),
    requestKey === null ? null : selectAttemptOfRequest(tx, id, requestKey, context.now),
  ]);
  if (intent === null) throw new NotFound('payment intent', id);
  assertSessionFound(recorder, intent);
  // Another confirm may have given the intent a customer after it was read. The intent is locked by now, so its
  // customer no longer changes.
  const { customer_id: payerId } = intent;
  const isNew = payerId !== null && payerId !== customerId;
  const payer = isNew ? await lockCustomer(tx, context, payerId) : (customer ?? named?.value ?? null);
  if (before !== null) {
    const charge = await continueCharge(tx, before, keyExpiresAt);
    return charge === null ? { completed: intent } : { charge };
  }
  const wrong = customerErrorOf(context, intent, named, input);
  if (wrong) throw new ValidationFailed([wrong]);
  const at = timeOf(payer, context.now);
  const refusal = confirmRefusal(intent, payer);
  if (refusal) throw refusal;
  assertMayTry(context, intent);
  const method = await methodToCharge(tx, context, intent, input, at);
  if (input.return_url !== undefined) {
    assertNoErrors(payerUrlErrors(input.return_url, '/return_url', context.livemode));
    await updateReturnUrl(tx, id, parsedUrl(input.return_url));
  }
  processorFor(processors, context.livemode);
  const decided = decideSurcharge(intent, method, context, at);
  if (shownTotal !== undefined && shownTotal !== decided.total_amount) throw new OtherTotal();
  const rail = await lockAndChooseRail(tx, decided, method, at);
  if (rail.kind === 'refused') throw refusalError(rail.refusal, method.id, '/payment_method');
  const newCharge = {
    source: 'confirm' as const,
    byPayer: context.keyKind === 'publishable',
    at,
    now: context.now,
    testClockId: intent.test_clock_id,
    requestKey,
    keyExpiresAt,
  };
  if (intent.scheduled_at !== null) {
    // This charge ends the schedule. The signal keeps the workflow from waiting for the date.
    await wake.scheduledPayment(tx, intent, context.now);
  }
  await recorder?.opened(at);
  if (rail.kind === 'at_once') return { charge: await openCharge(tx, decided, method, newCharge) };
  const accepted = await acceptDebit(tx, decided, method, rail, newCharge);
  await storeResponse(tx, accepted);
  return { completed: accepted };
}

/** Returns what is wrong with the customer that a confirm names in addition to the intent's own. */
function customerErrorOf(
  { keyKind }: RequestContext,
  { customer_id: payerId }: LockedIntentRow,
  named: Resolved<unknown> | null,
  { customer_id: namedId }: PaymentIntentConfirm,
): FieldError | undefined {
  if (namedId === undefined || (payerId !== null && payerId === namedId)) return undefined;
  const path = '/customer_id';
  if (keyKind === 'publishable')
    return fieldError(path, 'invalid_value', 'Leave out customer_id. A publishable key cannot send it.');
  if (payerId !== null) return fieldError(path, 'invalid_value', 'The payment intent belongs to another customer.');
  return named?.error;
}

async function methodToCharge(
  tx: Tx,
  context: RequestContext,
  intent: LockedIntentRow,
  input: PaymentIntentConfirm,
  at: CustomerInstant,
) {
  const path = '/payment_method';
  const methodId = input.payment_method ?? intent.payment_method_id;
  if (methodId === null) {
    const message = 'payment_method is required, because the payment intent has no saved method.';
    throw ValidationFailed.of(path, 'parameter_missing', message);
  }
  if (context.keyKind === 'publishable') await lockMethodOfPayer(tx, context, methodId, intent);
  const named = intent.customer_id ?? namedId('customer', input.customer_id) ?? null;
  const meeting = { payer: named, intentId: intent.id, isCharged: true };
  const { value: method, error } = await resolveMethodOfIntent(tx, context, methodId, meeting, path);
  if (error) throw new ValidationFailed([error]);
  if (named !== null) return attachMethod(tx, context, method, named, at);
  await recordUse(tx, context, method, intent.id);
  return method;
}
