import { lockCustomer } from '../../db/customers.ts';
import { listAbandonedAttempts, selectAttemptOfRequest, updateAttemptKeyExpiry } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { selectEarliestRetry, updateSlot } from '../../db/payment-plan-slots.ts';
import { lockPlan, updatePlan } from '../../db/payment-plans.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import { enqueue } from '../../platform/postgres/outbox.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { Processors } from '../../processors/processor.ts';
import type { PaymentIntentConfirm } from '../../resources/payment-intent.ts';
import { timeOf } from '../customer-time.ts';
import { InvalidState, NotFound, ValidationFailed } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { attachMethod, lockOwner, resolveMethod } from '../resolve-references.ts';
import {
  askProcessor,
  type Charge,
  type Charging,
  openCharge,
  processorFor,
  recordOutcome,
  reopenCharge,
} from './charge.ts';
import { fetchPaymentIntent } from './payment-intents.ts';
import { bindingFault, lockMethodOfPayer, recordUse } from './unattached-methods.ts';

/** How a confirm with an Idempotency-Key finds what an earlier try has done, and stores its response. */
export interface Repeatable {
  requestKey: string | null;
  /** When the key expires, in real time. After that, the same key is a new request. */
  keyExpiresAt?: Date | null;
  /** Called first in the transaction that opens the attempt. Claims the key, or throws when another request has it. */
  hold(tx: Tx): Promise<void>;
  /** Called in the transaction that records the outcome. Stores the response. */
  remember(tx: Tx, intent: PaymentIntentRow): Promise<void>;
}

const once: Repeatable = { requestKey: null, async hold() {}, async remember() {} };

/** In milliseconds. No request lives this long, so the process that opened such an attempt is dead. */
const abandonedAfterMilliseconds = 60_000;

const confirmable: readonly string[] = ['requires_payment_method', 'failed'];

/**
 * Charges an intent now, with the given method or the one that the intent carries. If two confirms race, the intent is
 * charged once: the second finds it charged or being charged.
 * @throws NotFound
 * @throws InvalidState in any status other than requires_payment_method and failed, and when the customer was deleted.
 * @throws ValidationFailed when there is no method that can be charged.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 */
export async function confirmPaymentIntent(
  db: Db,
  { processors, onOutcome }: Charging,
  call: RequestContext,
  id: string,
  input: PaymentIntentConfirm,
  request: Repeatable = once,
): Promise<PaymentIntentRow> {
  const opened = await atomically(db, (tx) => openConfirmation(tx, processors, call, id, input, request));
  // An earlier try of this request opened the charge, and its outcome is already recorded. Return that result.
  if ('settled' in opened) return opened.settled;
  const { charge } = opened;
  pass('confirm opened');
  const outcome = await askProcessor(processors, charge);
  pass('confirm charged');
  const settled = await atomically(db, async (tx) => {
    const intent = await recordOutcome(tx, charge, { outcome, requestId: call.requestId, now: call.now }, onOutcome);
    if (intent !== null) await request.remember(tx, intent);
    return intent;
  });
  pass('confirm completed');
  if (settled === null) throw new NotFound('payment intent', id);
  return settled;
}

/**
 * Finishes charges of any source whose process died after opening them. Asks the processor again under the attempt's
 * key, so no money is taken twice, and records the outcome. If one charge cannot be finished, the others still are.
 * @param now real time.
 * @throws AggregateError with every failure, after all charges were tried.
 */
export async function recoverCharges(sql: Pool, { processors, onOutcome }: Charging, now: Date): Promise<void> {
  const abandoned = await listAbandonedAttempts(sql, new Date(now.getTime() - abandonedAfterMilliseconds));
  const failures: unknown[] = [];
  for (const attempt of abandoned) {
    try {
      const charge = await atomically(sql, async (tx) => {
        const intent = await lockPaymentIntent(tx, attempt.payment_intent_id);
        return intent === null ? null : reopenCharge(tx, intent, attempt);
      });
      if (charge === null) continue;
      const outcome = await askProcessor(processors, charge);
      await recordOutcome(sql, charge, { outcome, requestId: null, now }, onOutcome);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} abandoned charges could not be finished`);
}

/**
 * Opens the attempt, or finds the one that an earlier try of the same request has opened. That one is either continued
 * (`charge`) or already has its outcome (`settled`).
 */
async function openConfirmation(
  tx: Tx,
  processors: Processors,
  call: RequestContext,
  id: string,
  input: PaymentIntentConfirm,
  { requestKey, keyExpiresAt, hold }: Repeatable,
): Promise<{ charge: Charge } | { settled: PaymentIntentRow }> {
  const [, found] = await pipelined(tx, [hold(tx), fetchPaymentIntent(tx, call, id)]);
  const { customer_id: customerId, payment_plan_id: planId } = found;
  // An intent without a customer takes over the customer of its method, and so lives on the same clock. With a
  // publishable key the owner is not looked up: such a key may not use a customer's method for this intent, and must
  // learn nothing about it.
  const methodId = input.payment_method ?? found.payment_method_id;
  const findsOwner = customerId === null && methodId !== null && call.keyKind === 'secret';
  const owner = findsOwner ? await lockOwner(tx, call, methodId) : null;
  const [customer, plan, intent, before] = await pipelined(tx, [
    customerId === null ? null : lockCustomer(tx, call, customerId),
    planId === null ? null : lockPlan(tx, planId),
    lockPaymentIntent(tx, id),
    requestKey === null ? null : selectAttemptOfRequest(tx, id, requestKey, call.now),
  ]);
  if (intent === null) throw new NotFound('payment intent', id);
  // Another confirm may have given the intent a customer after it was read. The intent is locked by now, so its
  // customer no longer changes.
  const { customer_id: payerId } = intent;
  const isNew = payerId !== null && payerId !== customerId;
  const payer = isNew ? await lockCustomer(tx, call, payerId) : (customer ?? owner);
  if (before !== null) {
    // The attempt's key now expires when the response of this try expires.
    if (keyExpiresAt) await updateAttemptKeyExpiry(tx, before.id, keyExpiresAt);
    return before.outcome === 'processing' ? { charge: await reopenCharge(tx, intent, before) } : { settled: intent };
  }
  const at = timeOf(payer, call.now);
  if (payer !== null && payer.deleted_at !== null) {
    throw new InvalidState('The customer of this payment has been deleted: nothing of it can be charged.');
  }
  if (!confirmable.includes(intent.status)) {
    throw new InvalidState(
      `Payment intent ${id} is ${intent.status}; it can be confirmed while ${confirmable.join(' or ')}.`,
    );
  }
  const method = await methodToCharge(tx, call, intent, input, at);
  processorFor(processors, call.livemode);
  const charge = await openCharge(tx, intent, method, {
    source: 'confirm',
    at,
    now: call.now,
    testClockId: intent.test_clock_id,
    requestKey,
    keyExpiresAt,
  });
  if (intent.scheduled_at !== null) {
    // This charge ends the schedule. The signal keeps the workflow from waiting for the date.
    await enqueue(tx, [{ workflowType: 'scheduledPayment', subjectId: id, start: false, signal: 'poke' }], call.now);
  }
  if (plan !== null && intent.payment_plan_slot !== null) {
    await updateSlot(tx, plan.id, intent.payment_plan_slot, { status: 'processing', next_attempt_at: null });
    if (plan.state === 'active') {
      await updatePlan(tx, plan.id, { next_attempt_at: await selectEarliestRetry(tx, plan.id), updated_at: at });
    }
  }
  return { charge };
}

async function methodToCharge(
  tx: Tx,
  call: RequestContext,
  intent: LockedIntentRow,
  input: PaymentIntentConfirm,
  at: Date,
) {
  const path = '/payment_method';
  const methodId = input.payment_method ?? intent.payment_method_id;
  if (methodId === null) {
    throw ValidationFailed.of(
      path,
      'parameter_missing',
      'payment_method is required: the intent carries no saved method.',
    );
  }
  if (call.keyKind === 'publishable') await lockMethodOfPayer(tx, call, methodId, intent);
  const { found, fault } = await resolveMethod(tx, call, methodId, intent.customer_id, path);
  if (fault) throw new ValidationFailed([fault]);
  if (intent.customer_id !== null) return attachMethod(tx, call, found, intent.customer_id, at);
  const bound = bindingFault(found, intent.id, path);
  if (bound) throw new ValidationFailed([bound]);
  await recordUse(tx, call, found, intent.id);
  return found;
}
