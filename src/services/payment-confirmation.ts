import type { Db, Pool } from '../db/connection.ts';
import { findAbandonedConfirmations, findAttemptOfRequest } from '../db/payment-attempts.ts';
import { lockPaymentIntent, type LockedIntentRow, type PaymentIntentRow } from '../db/payment-intents.ts';
import { earliestRetry, updateSlot } from '../db/payment-plan-slots.ts';
import { lockPlan, updatePlan } from '../db/payment-plans.ts';
import { atomically } from '../db/transaction.ts';
import { stageIntents } from '../db/workflow-intents.ts';
import type { Processors } from '../processors/processor.ts';
import type { PaymentIntentConfirm } from '../resources/payment-intent.ts';
import type { Call } from './call.ts';
import { askProcessor, type Charge, openCharge, processorFor, reopenCharge, settleCharge } from './charge.ts';
import { timeForWrite } from './customer-time.ts';
import { InvalidState, NotFound, ValidationFailed } from './errors.ts';
import { fetchPaymentIntent } from './payment-intents.ts';
import { attachMethod, methodNamed } from './references.ts';

/** How a confirm with an Idempotency-Key finds what an earlier try of it has done, and keeps its answer. */
export interface Repeatable {
  requestKey: string | null;
  /** Called in the transaction that records the outcome. */
  remember(tx: Db, intent: PaymentIntentRow): Promise<void>;
}

const once: Repeatable = { requestKey: null, async remember() {} };

/** Longer than any request lives: whoever opened such an attempt is dead. */
const abandonedAfterMilliseconds = 60_000;

const confirmable: readonly string[] = ['requires_payment_method', 'failed'];

/**
 * Charges an intent now, with the method given or the one that it carries. Two confirms that race charge once: the second
 * finds the intent charged, or being charged.
 * @throws NotFound; InvalidState in any other status than requires_payment_method and failed; ValidationFailed when there
 * is no method that can be charged; ProcessorNotConfigured in live mode, and then nothing has changed.
 */
export async function confirmPaymentIntent(
  db: Db,
  processors: Processors,
  call: Call,
  id: string,
  input: PaymentIntentConfirm,
  { requestKey, remember }: Repeatable = once,
): Promise<PaymentIntentRow> {
  const opened = await atomically(db, async (tx) => {
    const before = requestKey === null ? null : await openedBefore(tx, call, id, requestKey);
    if (before !== null) return before;
    return { charge: await openConfirmation(tx, processors, call, id, input, requestKey) };
  });
  // Somebody else has finished what this very request began; what it came to is its answer.
  if ('settled' in opened) return opened.settled;
  const { charge } = opened;
  const outcome = await askProcessor(processors, charge);
  const settled = await atomically(db, async (tx) => {
    const intent = await settleCharge(tx, charge, { outcome, requestId: call.requestId, now: call.now });
    if (intent !== null) await remember(tx, intent);
    return intent;
  });
  if (settled === null) throw new NotFound('payment intent', id);
  return settled;
}

/**
 * Finishes confirmations whose process died after opening them: asks the processor again under the attempt's key, which
 * takes nothing more, and records the answer.
 * @param now real time.
 */
export async function recoverConfirmations(sql: Pool, processors: Processors, now: Date): Promise<void> {
  const abandoned = await findAbandonedConfirmations(sql, new Date(now.getTime() - abandonedAfterMilliseconds));
  for (const attempt of abandoned) {
    const charge = await atomically(sql, async (tx) => {
      const intent = await lockPaymentIntent(tx, attempt.payment_intent_id);
      return intent === null ? null : reopenCharge(tx, intent, attempt);
    });
    if (charge === null) continue;
    const outcome = await askProcessor(processors, charge);
    await settleCharge(sql, charge, { outcome, requestId: null, now });
  }
}

/** The attempt that an earlier try of the same request has opened: to be gone on with, or settled meanwhile. */
async function openedBefore(
  tx: Db,
  call: Call,
  id: string,
  requestKey: string,
): Promise<{ charge: Charge } | { settled: PaymentIntentRow } | null> {
  await fetchPaymentIntent(tx, call, id);
  const attempt = await findAttemptOfRequest(tx, id, requestKey);
  if (attempt === null) return null;
  const intent = await lockPaymentIntent(tx, id);
  if (intent === null) throw new NotFound('payment intent', id);
  return attempt.outcome === 'processing' ? { charge: await reopenCharge(tx, intent, attempt) } : { settled: intent };
}

async function openConfirmation(
  tx: Db,
  processors: Processors,
  call: Call,
  id: string,
  input: PaymentIntentConfirm,
  requestKey: string | null,
): Promise<Charge> {
  const { payment_plan_id: planId } = await fetchPaymentIntent(tx, call, id);
  const plan = planId === null ? null : await lockPlan(tx, planId);
  const intent = await lockPaymentIntent(tx, id);
  if (intent === null) throw new NotFound('payment intent', id);
  const at = await timeForWrite(tx, intent.test_clock_id, call.now);
  if (!confirmable.includes(intent.status)) {
    throw new InvalidState(`Payment intent ${id} is ${intent.status}; it can be confirmed while ${confirmable.join(' or ')}.`);
  }
  const method = await methodToCharge(tx, call, intent, input, at);
  processorFor(processors, call.livemode);
  const charge = await openCharge(tx, intent, method, { source: 'confirm', requestKey, at, now: call.now });
  if (intent.scheduled_at !== null) {
    // The schedule ends with this charge; its workflow is told, so that it does not wait for the date.
    await stageIntents(tx, [{ workflowType: 'scheduledPayment', subjectId: id, start: false, signal: 'poke' }], call.now);
  }
  if (plan !== null && intent.payment_plan_slot !== null) {
    await updateSlot(tx, plan.id, intent.payment_plan_slot, { status: 'processing', next_attempt_at: null });
    if (plan.state === 'active') {
      await updatePlan(tx, plan.id, { next_attempt_at: await earliestRetry(tx, plan.id), updated_at: at });
    }
    await stageIntents(tx, [{ workflowType: 'paymentPlan', subjectId: plan.id, start: false, signal: 'poke' }], call.now);
  }
  return charge;
}

async function methodToCharge(tx: Db, call: Call, intent: LockedIntentRow, input: PaymentIntentConfirm, at: Date) {
  const path = '/payment_method';
  const methodId = input.payment_method ?? intent.payment_method_id;
  if (methodId === null) {
    throw ValidationFailed.of(path, 'parameter_missing', 'payment_method is required: the intent carries no saved method.');
  }
  const { found, fault } = await methodNamed(tx, call, methodId, intent.customer_id, path);
  if (fault) throw new ValidationFailed([fault]);
  return intent.customer_id === null ? found : attachMethod(tx, found, intent.customer_id, at);
}
