import { type CustomerRow, lockCustomer } from '../../db/customers.ts';
import { listAbandonedAttempts, type PaymentAttemptRow, selectAttemptOfRequest } from '../../db/payment-attempts.ts';
import {
  type LockedIntentRow,
  lockPaymentIntent,
  type PaymentIntentRow,
  updateReturnUrl,
} from '../../db/payment-intents.ts';
import { lockPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { selectSubscriptionOfIntent } from '../../db/subscriptions.ts';
import { addMs, type CustomerInstant } from '../../domain/instants.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { PaymentIntentCreate } from '../../resources/payment-intent-input.ts';
import { timeOf } from '../customer-time.ts';
import { attachMethod, resolveCustomer } from '../customers/resolve-references.ts';
import { InvalidState, NotFound, orNotFound } from '../errors.ts';
import { transact } from '../events.ts';
import { parsedUrl } from '../payer-urls.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import {
  allFinished,
  askAndRecord,
  askProcessor,
  assertSessionFound,
  type Charging,
  openCharge,
  recordOutcome,
  reopenAttempt,
} from './charge.ts';
import type { Charge } from './charge-records.ts';
import { continueCharge, recordForRequest } from './charged-request.ts';
import { type Confirmation, decideConfirm, methodToCharge } from './confirm-rules.ts';
import { acceptDebit } from './debit-acceptance.ts';
import { createOptimistic, type OptimisticCharge, openOptimistic, recordOptimistic } from './optimistic-charge.ts';
import { createLocked, getPaymentIntent, newIntentId } from './payment-intents.ts';
import { lockAndChooseRail, refusalError } from './rail.ts';
import { claimKey, type RepeatableRequest, storeResponse, unrepeatable } from './repeatable-request.ts';
import { recordUse } from './unattached-methods.ts';

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
  input: Confirmation,
  request: RepeatableRequest<PaymentIntentRow> = unrepeatable,
): Promise<PaymentIntentRow> {
  const opened =
    (await openOptimistic(pool, charging.processors, context, id, input, request)) ??
    (await transact(pool, context, async (tx) => {
      const [, found] = await pipelined(tx, [claimKey(tx, request), getPaymentIntent(tx, context, id)]);
      return openConfirmation(tx, charging, context, found, input, request);
    }));
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
  try {
    const opened =
      (await createOptimistic(pool, charging.processors, context, input, request)) ??
      (await transact(pool, context, async (tx) => {
        const newId = newIntentId(context);
        const id = (await claimKey(tx, request, newId)) ?? newId;
        const isNew = id === newId;
        const found = await (isNew ? createLocked(tx, context, input, newId) : getPaymentIntent(tx, context, id));
        return openConfirmation(tx, charging, context, found, {}, request);
      }));
    return await finishConfirmation(pool, charging, context, opened, request);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // A create never returns 404.
    throw new InvalidState('The payment was deleted meanwhile, together with the test clock of its customer.');
  }
}

/**
 * The result of opening: a charge to be made, whose rows were locked or not, or an intent that is done for now: its
 * outcome was recorded by an earlier try, or its debit is accepted.
 */
type OpenedConfirmation =
  | { kind: 'locked'; charge: Charge }
  | OptimisticCharge
  | { kind: 'completed'; intent: PaymentIntentRow };

async function finishConfirmation(
  pool: Pool,
  { processors, hook }: Charging,
  { requestId, now }: RequestContext,
  opened: OpenedConfirmation,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<PaymentIntentRow> {
  if (opened.kind === 'completed') return opened.intent;
  const { charge } = opened;
  const completed = await askAndRecord(pool, processors, charge, 'confirm', async (outcome) => {
    const record = { outcome, requestId, now };
    const recorded = opened.kind === 'optimistic' ? await recordOptimistic(pool, opened, record, request) : null;
    return recorded ?? recordForRequest(pool, hook, charge, record, request, async (_tx, intent) => intent);
  });
  return orNotFound(completed, 'payment intent', charge.paymentIntentId);
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
 * Locks an intent and opens its attempt, or finds the one that an earlier try of the same request has opened. That one
 * is either continued or already has its outcome.
 */
async function openConfirmation(
  tx: Tx,
  { processors, hook }: Charging,
  context: RequestContext,
  found: PaymentIntentRow,
  input: Confirmation,
  request: RepeatableRequest<PaymentIntentRow>,
): Promise<OpenedConfirmation> {
  const { id, customer_id: customerId, payment_plan_id: paymentPlanId } = found;
  const { requestKey, keyExpiresAt } = request;
  const newPayer = customerId === null && context.keyKind === 'secret' ? input.customer_id : undefined;
  const named = newPayer === undefined ? null : await resolveCustomer(tx, context, newPayer, '/customer_id');
  const [customer, recorder, intent, before] = await pipelined(tx, [
    customerId === null ? null : lockCustomer(tx, context, customerId),
    hook(tx, { paymentIntentId: id, paymentPlanId }),
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
    return charge === null ? { kind: 'completed', intent } : { kind: 'locked', charge };
  }
  const at = timeOf(payer, context.now);
  const methodId = methodToCharge(input, intent);
  const locked = methodId === null ? null : await lockPaymentMethod(tx, context, methodId);
  const rows = { intent, payer, named, method: locked, at };
  const { decided, method: chosen } = decideConfirm(context, processors, input, rows);
  const method = await takeMethod(tx, context, intent, chosen, payer, at);
  if (input.return_url !== undefined) await updateReturnUrl(tx, id, parsedUrl(input.return_url));
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
  if (rail.kind === 'at_once') return { kind: 'locked', charge: await openCharge(tx, decided, method, newCharge) };
  const accepted = await acceptDebit(tx, decided, method, rail, newCharge);
  storeResponse(tx, request, accepted);
  return { kind: 'completed', intent: accepted };
}

/** Attaches the method to the payer, or records its use for an intent without one. Returns it as it is then. */
async function takeMethod(
  tx: Tx,
  context: RequestContext,
  intent: LockedIntentRow,
  method: PaymentMethodRow,
  payer: Pick<CustomerRow, 'id'> | null,
  at: CustomerInstant,
): Promise<PaymentMethodRow> {
  if (payer !== null) return attachMethod(tx, context, method, payer.id, at);
  await recordUse(tx, context, method, intent.id);
  return method;
}
