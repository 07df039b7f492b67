import { lockCustomer } from '../../db/customers.ts';
import { findAbandonedAttempts, findAttemptOfRequest, setAttemptKeyExpiry } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, lockPaymentIntent, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { earliestRetry, updateSlot } from '../../db/payment-plan-slots.ts';
import { lockPlan, updatePlan } from '../../db/payment-plans.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { enqueue } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
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

/** How a confirm with an Idempotency-Key finds what an earlier try of it has done, and keeps its answer. */
export interface Repeatable {
  requestKey: string | null;
  /** When the key expires, real time: after it the same key is a new request. */
  keyExpiresAt?: Date | null;
  /** Called first in the transaction that opens the attempt: takes the key, or throws when another request has it. */
  hold(tx: Db): Promise<void>;
  /** Called in the transaction that records the outcome. */
  remember(tx: Db, intent: PaymentIntentRow): Promise<void>;
}

const once: Repeatable = { requestKey: null, async hold() {}, async remember() {} };

/** Longer than any request lives: whoever opened such an attempt is dead. */
const abandonedAfterMilliseconds = 60_000;

const confirmable: readonly string[] = ['requires_payment_method', 'failed'];

/**
 * Charges an intent now, with the method given or the one that it carries. Two confirms that race charge once: the second
 * finds the intent charged, or being charged.
 * @throws NotFound; InvalidState in any other status than requires_payment_method and failed, and when the customer was
 * deleted; ValidationFailed when there is no method that can be charged; ProcessorNotConfigured in live mode, and then nothing has changed.
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
  // Somebody else has finished what this very request began; what it came to is its answer.
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
  pass('confirm settled');
  if (settled === null) throw new NotFound('payment intent', id);
  return settled;
}

/**
 * Finishes charges of any source whose process died after opening them: asks the processor again under the attempt's key,
 * which takes nothing more, and records the answer. One that cannot be finished does not keep the others waiting.
 * @param now real time.
 * @throws AggregateError of what could not be finished, after all have been tried.
 */
export async function recoverCharges(sql: Pool, { processors, onOutcome }: Charging, now: Date): Promise<void> {
  const abandoned = await findAbandonedAttempts(sql, new Date(now.getTime() - abandonedAfterMilliseconds));
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

/** Opens the attempt, or finds the one that an earlier try of the same request has opened: to be gone on with, or settled. */
async function openConfirmation(
  tx: Db,
  processors: Processors,
  call: RequestContext,
  id: string,
  input: PaymentIntentConfirm,
  { requestKey, keyExpiresAt, hold }: Repeatable,
): Promise<{ charge: Charge } | { settled: PaymentIntentRow }> {
  // Sent together, run in this order.
  const [, found] = await Promise.all([hold(tx), fetchPaymentIntent(tx, call, id)]);
  const { customer_id: customerId, payment_plan_id: planId } = found;
  // An intent without a customer becomes that of the method's customer, and so lives on the same clock. A publishable key
  // may not use such a method, and is to learn nothing about it.
  const methodId = input.payment_method ?? found.payment_method_id;
  const findsOwner = customerId === null && methodId !== null && call.keyKind === 'secret';
  const owner = findsOwner ? await lockOwner(tx, call, methodId) : null;
  const [customer, plan, intent, before] = await Promise.all([
    customerId === null ? null : lockCustomer(tx, call, customerId),
    planId === null ? null : lockPlan(tx, planId),
    lockPaymentIntent(tx, id),
    requestKey === null ? null : findAttemptOfRequest(tx, id, requestKey, call.now),
  ]);
  if (intent === null) throw new NotFound('payment intent', id);
  // Another confirm may have given it a customer between the two: now that it is locked, its customer is known for good.
  const { customer_id: payerId } = intent;
  const isNew = payerId !== null && payerId !== customerId;
  const payer = isNew ? await lockCustomer(tx, call, payerId) : (customer ?? owner);
  if (before !== null) {
    // The key lives from now on as long as the answer of this try.
    if (keyExpiresAt) await setAttemptKeyExpiry(tx, before.id, keyExpiresAt);
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
    // The schedule ends with this charge; its workflow is told, so that it does not wait for the date.
    await enqueue(tx, [{ workflowType: 'scheduledPayment', subjectId: id, start: false, signal: 'poke' }], call.now);
  }
  if (plan !== null && intent.payment_plan_slot !== null) {
    await updateSlot(tx, plan.id, intent.payment_plan_slot, { status: 'processing', next_attempt_at: null });
    if (plan.state === 'active') {
      await updatePlan(tx, plan.id, { next_attempt_at: await earliestRetry(tx, plan.id), updated_at: at });
    }
  }
  return { charge };
}

async function methodToCharge(
  tx: Db,
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
