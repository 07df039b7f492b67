import {
  insertSkippedSlots,
  restartRetries,
  selectEarliestRetry,
  selectSlotOfIntent,
  stopRetries,
  updateSlot,
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
import { allowedTransitions, nextPlanState, type PlanTransition } from '../../domain/plan-state.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { timeForWrite } from '../customer-time.ts';
import { withdrawDebits } from '../debits/debit-withdrawal.ts';
import { InvalidState, NotFound } from '../errors.ts';
import { type NewEvent, planEvent, recordEvents } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { wake } from '../wake.ts';
import { getPaymentPlan } from './payment-plans.ts';
import { dueInstant, progressOf, skippedSlots } from './plan-calendar.ts';
import { ended } from './plan-dunning.ts';

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
 * deactivate and close win every race: after their commit no charge is started, and debits that the bank does not have
 * are withdrawn.
 * @throws NotFound; InvalidState if the plan's state does not allow the transition, or while the customer's clock is
 * advancing.
 */
export async function transitionPlan(
  db: Writer,
  context: RequestContext,
  id: string,
  transition: PlanTransition,
  reason = 'requested',
): Promise<PaymentPlanRow> {
  return atomically(db, async (tx) => {
    const { test_clock_id: clockId } = await getPaymentPlan(tx, context, id);
    const at = await timeForWrite(tx, clockId, context.now);
    const plan = await lockPlan(tx, id);
    if (plan === null) throw new NotFound('payment plan', id);
    assertAllowed(plan, transition);
    const withdrawn = stops.has(transition) ? await withdraw(tx, plan, at, context.now) : [];
    const change = await changeFor(tx, plan, transition, at, reason);
    const row = await updatePlan(tx, id, { ...change, updated_at: at });
    await wake.plan(tx, row, context.now, { start: row.state === 'active' });
    const type = eventTypes[transition];
    await recordEvents(tx, context, [...withdrawn, ...(type === null ? [] : [planEvent(type, row, at)])]);
    return row;
  });
}

/** The transitions after which a plan collects nothing. */
const stops: ReadonlySet<PlanTransition> = new Set(['suspend', 'deactivate', 'close']);

/** Withdraws the plan's debits that the bank does not have. Their slots count as never tried. Returns their events. */
async function withdraw(tx: Tx, plan: CollectingPlanRow, at: Date, now: Date): Promise<NewEvent[]> {
  if (plan.next_debit_at === null) return [];
  const { intentIds, events } = await withdrawDebits(tx, plan.id, { at, now });
  for (const intentId of intentIds) {
    const slot = await selectSlotOfIntent(tx, intentId);
    if (slot !== null) await updateSlot(tx, plan.id, slot.slot, { status: 'failed', next_attempt_at: null });
  }
  return events;
}

function assertAllowed(plan: PaymentPlanRow, transition: PlanTransition): void {
  if (nextPlanState(plan.state, transition) !== null) return;
  const allowed = allowedTransitions(plan.state);
  const choice = allowed.length === 0 ? 'It has ended for good' : `Allowed now: ${allowed.join(', ')}`;
  throw new InvalidState(`Payment plan ${plan.id} is ${plan.state} and cannot be changed by ${transition}. ${choice}.`);
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
 * Resumes a locked plan that a failed payment has suspended, and makes its workflow look again. Any other plan stays as
 * it is. `at` is customer time, `now` real time.
 */
export async function resumeUnpaid(tx: Tx, plan: CollectingPlanRow, { at, now }: { at: Date; now: Date }) {
  if (plan.state !== 'suspended' || plan.state_reason !== 'payment_failed') return;
  const row = await updatePlan(tx, plan.id, { ...(await resume(tx, plan, at)), updated_at: at });
  await wake.plan(tx, row, now, { start: true });
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
