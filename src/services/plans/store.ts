import { noteChallenge } from '../../db/bank-debits.ts';
import {
  hasOpenedPayment,
  insertOpenSlot,
  insertSkippedSlots,
  listKnownSlots,
  putSlot,
  updateSlots,
} from '../../db/payment-plan-slots.ts';
import {
  type CollectingPlanRow,
  lockPlan,
  type PaymentPlanRow,
  type PlanChange,
  updatePlan,
} from '../../db/payment-plans.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import {
  applyChange,
  type KnownSlot,
  type Plan,
  type PlanStepChange,
  type PlanWithSlots,
  type Slot,
} from '../../domain/plans/plan.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { type NewEvent, planEvent, record } from '../events.ts';

/** A locked plan with the slots that decide what it does next. */
export interface LockedPlan extends PlanWithSlots {
  plan: CollectingPlanRow;
}

/**
 * Locks a plan and reads its open slots, and the slot that this payment pays. Returns null if the plan was deleted.
 */
export async function lockPlanWithSlots(
  tx: Tx,
  id: string,
  paymentIntentId?: Id<'payment_intent'>,
): Promise<LockedPlan | null> {
  // The statement after the lock sees everything committed before it was granted.
  const [plan, slots] = await pipelined(tx, [lockPlan(tx, id), listKnownSlots(tx, id, paymentIntentId)]);
  return plan && withSlots(plan, slots);
}

/** Returns a locked plan with its slots. */
export function withSlots(plan: CollectingPlanRow, slots: readonly KnownSlot[]): LockedPlan {
  return { plan, slots, timeZone: plan.time_zone };
}

/** What `store` writes besides the change. */
interface Besides {
  /** Columns that no step knows. */
  columns?: Partial<PaymentPlanRow>;
  /** The payment of the slot that opens. */
  intentId?: Id<'payment_intent'> | null;
}

/**
 * Stores what a step changes, and the dates that follow from it, and records its events. All statements are sent at
 * once. Returns the plan as it is then.
 */
export async function store(
  tx: Tx,
  locked: LockedPlan,
  change: PlanStepChange,
  at: CustomerInstant,
  besides: Besides = {},
): Promise<LockedPlan> {
  const { id } = locked.plan;
  const { slots = [], restores = [], opens, skips = [] } = change;
  if (opens !== undefined && !besides.intentId)
    throw new Error(`slot ${opens.slot} of ${id} is opened without a payment`);
  const { after, changed, events } = changedBy(locked, change, at, besides);
  await pipelined(tx, [
    ...slots.map((one) => updateSlots(tx, id, one)),
    ...restores.map((slot) => putSlot(tx, id, slot)),
    opens === undefined || !besides.intentId ? null : insertOpenSlot(tx, id, opens, besides.intentId),
    insertSkippedSlots(tx, id, skips),
    changed && updatePlan(tx, id, changed),
    isChallengeChanged(locked.slots, after.slots) ? noteChallenge(tx, { planId: id }) : null,
  ]);
  record(tx, ...events);
  return after;
}

/** What a change makes of a plan. */
interface Changed {
  after: LockedPlan;
  /** The columns of the plan to write. Null if the plan's row stays as it is. */
  changed: (PlanChange & { updated_at: CustomerInstant }) | null;
  events: NewEvent[];
}

/**
 * Returns what a change makes of a plan at `at`, without storing it. A change of slots writes the
 * plan's row too, so the version of this row is also that of its slots.
 */
export function changedBy(
  locked: LockedPlan,
  change: PlanStepChange,
  at: CustomerInstant,
  { columns: more = {}, intentId = null }: Besides = {},
): Changed {
  const { planWithSlots, columns: applied } = applyChange(locked, change, intentId);
  const columns = { ...applied, ...endOf(applied) };
  const { slots = [], restores = [], events: names = [] } = change;
  const { updated_at: updatedAt } = locked.plan;
  const isTouched = change.plan !== undefined && updatedAt.getTime() !== at.getTime();
  const isChanged = isTouched || Object.keys({ ...more, ...columns }).length > 0;
  const hasSlots = restores.length > 0 || slots.some((one) => one.slots.length > 0);
  const changed = isChanged ? { ...more, ...columns, updated_at: at } : hasSlots ? { updated_at: updatedAt } : null;
  const plan = { ...planWithSlots.plan, ...changed };
  const events = names.map((name) => planEvent(`payment_plan.${name}`, plan, at));
  return { after: { ...planWithSlots, plan }, changed, events };
}

/** The end of a plan is noted a second time, where only the service writes it. */
function endOf({ state }: Partial<Plan>): Pick<PlanChange, 'ended_as'> {
  return state === 'closed' || state === 'deactivated' ? { ended_as: state } : {};
}

/** Whether the plan wakes for the end of another challenge than before. */
function isChallengeChanged(before: readonly Slot[], after: readonly Slot[]): boolean {
  const endsAt = new Map(before.map(({ slot, challenge_ends_at: at }) => [slot, at?.getTime()]));
  return after.some(({ slot, challenge_ends_at: at }) => endsAt.get(slot) !== at?.getTime());
}

/** Whether no slot of a plan has had a payment yet. Reads nothing if the plan has collected or owes anything. */
export async function isUntouched(db: Db, plan: PaymentPlanRow, open: readonly Slot[]): Promise<boolean> {
  return plan.collected_amount_cents === 0 && open.length === 0 && !(await hasOpenedPayment(db, plan.id));
}
