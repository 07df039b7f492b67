import {
  insertSkippedSlots,
  listOpenSlots,
  restartRetries,
  selectEarliestRetry,
  stopRetries,
} from '../../db/payment-plan-slots.ts';
import {
  type CollectingPlanRow,
  cadenceOf,
  lockPlan,
  type PaymentPlanRow,
  type PlanChange,
  updatePlan,
} from '../../db/payment-plans.ts';
import { firstSlotAfter } from '../../domain/calendar.ts';
import { allowedTransitions, hasEnded, nextPlanState, type PlanTransition } from '../../domain/plan-state.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { timeForWrite } from '../customer-time.ts';
import { assertNoErrors, InvalidState, NotFound } from '../errors.ts';
import { planEvent, record, reserve, transact } from '../events.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { refusalError } from '../payments/charge-way.ts';
import { currencyErrorsOf, isAboveLimit } from '../payments/fitting-method.ts';
import { chargeableMethod } from '../payments/recurring-intent.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { defaultErrors, getPaymentPlan } from './payment-plans.ts';
import { dueInstant, progressOf, skippedSlots } from './plan-calendar.ts';
import { ended, giveUpUnpaid, planHook, withdraw } from './plan-dunning.ts';

/** The contract defines an event for each transition except resume. */
const eventTypes = {
  activate: 'payment_plan.activated',
  suspend: 'payment_plan.suspended',
  resume: null,
  deactivate: 'payment_plan.deactivated',
  close: 'payment_plan.closed',
} as const;

/**
 * Moves a plan to another state, records the event of the transition, and pokes the plan's workflow. Suspend,
 * deactivate and close win every race: after their commit no charge is started, debits that the bank does not have are
 * withdrawn, and challenges have failed. If the plan has ended, its failed payments are canceled.
 * @throws NotFound; InvalidState if the plan's state does not allow the transition, or while the customer's clock is
 * advancing; for an activation also as `assertPayable`.
 */
export async function transitionPlan(
  db: Writer,
  context: RequestContext,
  id: string,
  transition: PlanTransition,
  reason = 'requested',
): Promise<PaymentPlanRow> {
  return transact(db, context, async (tx) => {
    const { test_clock_id: clockId } = await getPaymentPlan(tx, context, id);
    const at = await timeForWrite(tx, clockId, context.now);
    const plan = await lockPlan(tx, id);
    if (plan === null) throw new NotFound('payment plan', id);
    assertAllowed(plan, transition);
    if (transition === 'activate') await assertPayable(tx, context, plan, at);
    const challenges = reserve(tx);
    if (stops.has(transition)) await withdraw(tx, plan, { at, now: context.now });
    const change = await changeFor(tx, plan, transition, at, reason);
    const instants = { at, now: context.now };
    const stopped = await updatePlan(tx, id, { ...change, updated_at: at });
    if (transition === 'suspend') await challenges.during(() => endChallenges(tx, stopped, instants));
    if (hasEnded(stopped.state)) await giveUpUnpaid(tx, stopped, instants);
    const in_flight_cents = stops.has(transition) ? await amountInFlight(tx, id) : 0;
    const isSame = in_flight_cents === stopped.in_flight_cents;
    const row = isSame ? stopped : await updatePlan(tx, id, { in_flight_cents, updated_at: at });
    await wake.paymentPlan(tx, row, context.now, { start: row.state === 'active' });
    const type = eventTypes[transition];
    if (type !== null) record(tx, planEvent(type, row, at));
    return row;
  });
}

/** The transitions after which a plan collects nothing. */
const stops: ReadonlySet<PlanTransition> = new Set(['suspend', 'deactivate', 'close']);

/** What is under way of a plan that has stopped: what waited for the cut-off or for a payer is not, by now. */
async function amountInFlight(tx: Tx, id: string): Promise<number> {
  const underWay = (await listOpenSlots(tx, id)).filter(({ status }) => status === 'processing');
  return underWay.reduce((sum, { amount }) => sum + amount, 0);
}

/** Ends the challenges that payers have open on a suspended plan: their attempts have failed. */
async function endChallenges(tx: Tx, { id }: PaymentPlanRow, instants: { at: Date; now: Date }): Promise<void> {
  for (const slot of await listOpenSlots(tx, id)) {
    const payment = { paymentIntentId: slot.payment_intent_id, paymentPlanId: id };
    if (slot.status === 'processing') await endChallenge(tx, planHook, payment, instants);
  }
}

function assertAllowed(plan: PaymentPlanRow, transition: PlanTransition): void {
  if (nextPlanState(plan.state, transition) !== null) return;
  const allowed = allowedTransitions(plan.state);
  const choice = allowed.length === 0 ? 'It has ended for good' : `Allowed now: ${allowed.join(', ')}`;
  throw new InvalidState(`Payment plan ${plan.id} is ${plan.state} and cannot be changed by ${transition}. ${choice}.`);
}

/**
 * Says before the first payment that all would fail: the method cannot pay in the plan's currency, or its mandate
 * allows less for one debit.
 * @throws ValidationFailed; InvalidState `mandate_limit_exceeded`.
 */
async function assertPayable(tx: Tx, context: RequestContext, plan: CollectingPlanRow, at: Date): Promise<void> {
  const { payment_instrument_id: named, default_payment_method_id: defaultId, currency } = plan;
  const path = '/payment_instrument_id';
  if (named === null && defaultId !== null) assertNoErrors(await defaultErrors(tx, context, { ...plan, defaultId }));
  assertNoErrors(await currencyErrorsOf(tx, context, named, currency, path));
  const most = Math.max(plan.first_amount_cents ?? 0, plan.recurring_amount_cents);
  const amount = Math.min(most, plan.total_amount_cents ?? most);
  const method = await chargeableMethod(tx, plan);
  if (method !== null && (await isAboveLimit(tx, method, plan, amount, at))) {
    throw refusalError('mandate_limit_exceeded', method.id, path);
  }
}

async function changeFor(
  tx: Tx,
  plan: CollectingPlanRow,
  transition: PlanTransition,
  at: Date,
  reason: string,
): Promise<PlanChange> {
  switch (transition) {
    case 'activate':
      return {
        state: 'active',
        state_reason: null,
        activated_at: at,
        next_due_at: dueInstant(plan, await progressOf(tx, plan)),
      };
    case 'resume':
      return resume(tx, plan, at);
    case 'suspend':
      await stopRetries(tx, plan.id);
      return ended('suspended', reason);
    case 'deactivate':
      await stopRetries(tx, plan.id);
      return ended('deactivated', reason);
    case 'close':
      await stopRetries(tx, plan.id);
      return ended('closed', reason);
  }
}

/**
 * Goes on with a locked plan that has got a new method. A plan that is suspended because a payment failed or came back
 * is resumed. What an active plan is retrying is tried at once, with a new series of retries. The workflow looks again.
 * Any other plan stays as it is. `at` is customer time, `now` real time.
 */
export async function healPlan(tx: Tx, plan: CollectingPlanRow, { at, now }: { at: Date; now: Date }): Promise<void> {
  const healing = healingOf(plan);
  if (healing === null) return;
  const change = healing === 'retry' ? await retryAtOnce(tx, plan, at) : await resume(tx, plan, at);
  const row = await updatePlan(tx, plan.id, { ...change, updated_at: at });
  await wake.paymentPlan(tx, row, now, { start: true });
}

/** Returns what a new method makes a plan do: resume, or retry at once what is unpaid. Null if nothing. */
export function healingOf(plan: Pick<PaymentPlanRow, 'state' | 'state_reason' | 'next_attempt_at'>) {
  const isUnpaid = plan.state_reason === 'payment_failed' || plan.state_reason === 'payment_returned';
  if (plan.state === 'suspended' && isUnpaid) return 'resume';
  return plan.state === 'active' && plan.next_attempt_at !== null ? 'retry' : null;
}

async function retryAtOnce(tx: Tx, plan: CollectingPlanRow, at: Date): Promise<PlanChange> {
  await restartRetries(tx, plan.id, at);
  return { next_attempt_at: at };
}

/** Retries unpaid payments at once, skips the slots that have passed meanwhile, and continues the calendar. */
async function resume(tx: Tx, plan: CollectingPlanRow, at: Date): Promise<PlanChange> {
  const cadence = cadenceOf(plan);
  await restartRetries(tx, plan.id, at);
  const progress = await progressOf(tx, plan);
  const nextSlot = firstSlotAfter(cadence, plan.time_zone, at, plan.next_slot);
  const due = dueInstant(plan, { ...progress, nextSlot });
  await insertSkippedSlots(tx, plan.id, skippedSlots(cadence, plan.next_slot, nextSlot));
  return {
    state: 'active',
    state_reason: null,
    next_slot: nextSlot,
    next_due_at: due,
    next_attempt_at: await selectEarliestRetry(tx, plan.id),
  };
}
