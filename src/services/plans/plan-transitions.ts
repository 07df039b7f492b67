import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { listKnownSlots } from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, lockPlan, type PaymentPlanRow } from '../../db/payment-plans.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import {
  allowedTransitions,
  hasEnded,
  nextPlanState,
  type PlanState,
  type PlanStateReason,
  type PlanTransition,
} from '../../domain/plan-state.ts';
import { isUnpaid, mostToCome } from '../../domain/plans/plan.ts';
import { activate, resume, retryAll, stop, stopped } from '../../domain/plans/steps.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { type Instants, timeForWrite } from '../customer-time.ts';
import { assertNoErrors, InvalidState, orNotFound } from '../errors.ts';
import { transact } from '../events.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { assertWithinLimit, currencyErrorsOf } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/recurring-charge.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { defaultErrors, getPaymentPlan } from './payment-plans.ts';
import { giveUpUnpaid, planHook, withdraw } from './plan-dunning.ts';
import { type LockedPlan, lockPlanWithSlots, store, withSlots } from './store.ts';

/**
 * Moves a plan to another state, records the event of the transition, and pokes the plan's workflow. Suspend,
 * deactivate and close win every race: after their commit no charge is started, debits that the bank does not have are
 * withdrawn, and challenges have failed; those at a live processor are given up next. If the plan has ended, its failed
 * payments are canceled.
 * @throws NotFound; InvalidState if the plan's state does not allow the transition, or while the customer's clock is
 * advancing; for an activation and a resume also as `assertPayable`.
 */
export async function transitionPlan(
  db: Writer,
  context: RequestContext,
  id: string,
  transition: PlanTransition,
  reason: PlanStateReason = 'requested',
): Promise<PaymentPlanRow> {
  return transact(db, context, async (tx) => {
    const { test_clock_id: clockId } = await getPaymentPlan(tx, context, id);
    const at = await timeForWrite(tx, clockId, context.now);
    const locked = orNotFound(await lockPlanWithSlots(tx, id), 'payment plan', id);
    const state = nextState(locked.plan, transition);
    if (transition === 'activate') await assertPayable(tx, context, locked.plan, mostToCome(locked.plan), at);
    if (transition === 'resume') await assertPayable(tx, context, locked.plan, leastOnResume(locked), at);
    const { plan } =
      state === 'suspended' || state === 'deactivated' || state === 'closed'
        ? await stopCollecting(tx, locked, state, reason, { at, now: context.now })
        : await store(tx, locked, transition === 'resume' ? resume(locked, at) : activate(at), at);
    await wake.paymentPlan(tx, plan, context.now, { start: plan.state === 'active' });
    return plan;
  });
}

/** The plan no longer collects. What could still be charged is stopped, and given up if the plan has ended. */
async function stopCollecting(
  tx: Tx,
  locked: LockedPlan,
  state: 'suspended' | 'deactivated' | 'closed',
  reason: PlanStateReason,
  instants: Instants,
): Promise<LockedPlan> {
  const { at } = instants;
  const halted = await store(tx, locked, stop(locked, state, reason), at);
  const unchallenged = state === 'suspended' ? await endChallenges(tx, halted, instants) : halted;
  const withdrawn = await withdraw(tx, unchallenged, instants);
  const last = state === 'suspended' ? withdrawn : await giveUpUnpaid(tx, withdrawn, instants);
  return store(tx, last, stopped(last), at);
}

/** Ends the challenges that payers have open on a suspended plan: their attempts have failed. */
async function endChallenges(tx: Tx, locked: LockedPlan, instants: Instants): Promise<LockedPlan> {
  let hasEnded = false;
  for (const { status, payment_intent_id: paymentIntentId } of locked.slots) {
    if (status !== 'processing' || paymentIntentId === null) continue;
    if (!(await endChallenge(tx, planHook, paymentIntentId, instants))) continue;
    const intent = await lockPaymentIntent(tx, paymentIntentId);
    if (intent !== null) await endSessionOf(tx, intent, instants);
    hasEnded = true;
  }
  // Their outcomes were recorded on the plan and its slots.
  return (hasEnded ? await lockPlanWithSlots(tx, locked.plan.id) : null) ?? locked;
}

/** @throws InvalidState if the plan's state does not allow the transition. */
function nextState(plan: PaymentPlanRow, transition: PlanTransition): PlanState {
  const next = nextPlanState(plan.state, transition);
  if (next !== null) return next;
  const allowed = allowedTransitions(plan.state);
  const choice = allowed.length === 0 ? 'It has ended for good' : `Allowed now: ${allowed.join(', ')}`;
  throw new InvalidState(`Payment plan ${plan.id} is ${plan.state} and cannot be changed by ${transition}. ${choice}.`);
}

/** Returns the least that a resumed plan charges next, minor units: of what is unpaid or, if nothing is, as planned. */
function leastOnResume({ plan, slots }: LockedPlan): number {
  const unpaid = slots.filter(isUnpaid).flatMap(({ amount }) => amount ?? []);
  if (unpaid.length > 0) return Math.min(...unpaid);
  const { recurring_amount_cents: recurring, total_amount_cents: total } = plan;
  return total === null ? recurring : Math.min(recurring, total - plan.collected_amount_cents);
}

/**
 * Says before a payment of this amount that it would fail: the method cannot pay in the plan's currency, or its mandate
 * allows less for one debit.
 * @throws ValidationFailed; InvalidState `mandate_limit_exceeded`.
 */
async function assertPayable(
  tx: Tx,
  context: RequestContext,
  plan: CollectingPlanRow,
  amount: number,
  at: CustomerInstant,
): Promise<void> {
  const { payment_instrument_id: named, default_payment_method_id: defaultId, currency } = plan;
  const path = '/payment_instrument_id';
  if (named === null && defaultId !== null) assertNoErrors(await defaultErrors(tx, context, { ...plan, defaultId }));
  assertNoErrors(await currencyErrorsOf(tx, context, named, currency, path));
  const method = await chargeableMethod(tx, plan);
  await assertWithinLimit(tx, method, plan, amount, at);
}

/**
 * Continues a locked plan that has a new method. A plan that is suspended because a payment failed or came back
 * is resumed. What an active plan is retrying is tried at once, with a new series of retries. The workflow looks again.
 * Any other plan stays as it is.
 */
export async function applyMethodToPlan(tx: Tx, plan: CollectingPlanRow, { at, now }: Instants): Promise<void> {
  const effect = effectOfNewMethod(plan);
  if (effect === null) return;
  const locked = withSlots(plan, await listKnownSlots(tx, plan.id));
  const after = await store(tx, locked, effect === 'retry' ? retryAll(locked, at) : resume(locked, at), at);
  await wake.paymentPlan(tx, after.plan, now, { start: true });
}

/**
 * Says before a method becomes the instrument of a plan that it allows less than what it would pay.
 * @throws InvalidState `mandate_limit_exceeded`.
 */
export async function assertPaysPlan(
  tx: Tx,
  id: Id<'payment_plan'>,
  methodId: Id<'payment_method'>,
  at: CustomerInstant,
): Promise<void> {
  const plan = await lockPlan(tx, id);
  if (plan === null || hasEnded(plan.state)) return;
  const method = await chargeableMethod(tx, { ...plan, payment_instrument_id: methodId });
  await assertWithinLimit(tx, method, plan, mostToCome(plan), at);
}

/** Returns what a new method makes a plan do: resume, or retry at once what is unpaid. Null if nothing. */
export function effectOfNewMethod(plan: Pick<PaymentPlanRow, 'state' | 'state_reason' | 'next_attempt_at'>) {
  const isUnpaid = plan.state_reason === 'payment_failed' || plan.state_reason === 'payment_returned';
  if (plan.state === 'suspended' && isUnpaid) return 'resume';
  return plan.state === 'active' && plan.next_attempt_at !== null ? 'retry' : null;
}
