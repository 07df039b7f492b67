import type { Cadence, PlainDate } from '../calendar.ts';
import type { CustomerInstant } from '../instants.ts';
import type { PlanProgress, PlanTerms } from '../plan-schedule.ts';
import type { PlanState, PlanStateReason } from '../plan-state.ts';
import type { RecurringPayment } from '../recurring/recurring-payment.ts';
import type { MinorUnits, SlotNumber } from '../units.ts';

/** The terms of a plan, and how far it has come. */
export interface Plan {
  state: PlanState;
  state_reason: PlanStateReason | null;
  frequency_type: 'weekly' | 'monthly';
  frequency_period: number;
  recurring_amount_cents: MinorUnits;
  first_amount_cents: MinorUnits | null;
  total_amount_cents: MinorUnits | null;
  start_date: PlainDate;
  first_date: PlainDate | null;
  activated_at: CustomerInstant | null;
  collected_amount_cents: MinorUnits;
  /** The payments that were under way when the plan was suspended or ended, and still are. */
  in_flight_cents: MinorUnits;
  /** The first slot that has not come. */
  next_slot: SlotNumber;
  /** Derived: when the next slot is due. Null while the plan is not active, and if nothing remains to collect. */
  next_due_at: CustomerInstant | null;
  /** Derived: when the earliest retry is due. */
  next_attempt_at: CustomerInstant | null;
}

/**
 * `given_up`: nothing tries the slot again, and its payment is canceled. The API shows it as `failed`. `returned`: it
 * was paid, the bank took the money back, and nothing tries it again unless the plan is resumed.
 */
export type SlotStatus = 'processing' | 'paid' | 'retrying' | 'failed' | 'skipped' | 'given_up' | 'returned';

/** A slot that has come. Without a payment it was skipped. */
export interface Slot extends RecurringPayment {
  slot: SlotNumber;
  due_date: PlainDate;
  status: SlotStatus;
  /** Null if it was skipped. */
  amount: MinorUnits | null;
}

/** What changes of a slot after it has come. */
export type SlotProgress = Omit<Slot, 'slot' | 'due_date' | 'amount' | 'payment_intent_id'>;

/** A slot, and whether its payment came back and was not tried since. */
export interface KnownSlot extends Slot {
  is_returned: boolean;
}

/** A plan with the slots that decide what it does next: the open ones, and the one that a charge is about. */
export interface PlanWithSlots<S extends Slot = KnownSlot> {
  plan: Plan;
  slots: readonly S[];
  timeZone: string;
}

/** Returns the calendar of a plan. */
export function cadenceOf(
  plan: Pick<Plan, 'frequency_type' | 'frequency_period' | 'start_date' | 'first_date'>,
): Cadence {
  return {
    frequencyType: plan.frequency_type,
    frequencyPeriod: plan.frequency_period,
    startDate: plan.start_date,
    firstDate: plan.first_date,
  };
}

/** Returns the calendar and the amounts of a plan. */
export function termsOf(plan: Plan): PlanTerms {
  return {
    ...cadenceOf(plan),
    recurringAmount: plan.recurring_amount_cents,
    firstAmount: plan.first_amount_cents,
    totalAmount: plan.total_amount_cents,
  };
}

/** Whether a slot has an amount that is not collected yet, and can still be. One that was given up is not open. */
export function isOpen({ status }: Pick<Slot, 'status'>): boolean {
  return status === 'processing' || isUnpaid({ status });
}

/** Whether a slot is open and not being charged: a resume tries it again. */
export function isUnpaid({ status }: Pick<Slot, 'status'>): boolean {
  return status === 'retrying' || status === 'failed' || status === 'returned';
}

/** Returns the most that one payment to come of a plan takes, minor units. The first one differs until it is due. */
export function mostToCome(
  plan: Pick<
    Plan,
    'next_slot' | 'first_amount_cents' | 'recurring_amount_cents' | 'total_amount_cents' | 'collected_amount_cents'
  >,
): MinorUnits {
  const { first_amount_cents: first, recurring_amount_cents: recurring, total_amount_cents: total } = plan;
  const most = plan.next_slot === 0 ? Math.max(first ?? 0, recurring) : recurring;
  return total === null ? most : Math.min(most, total - plan.collected_amount_cents);
}

/**
 * Returns how far a plan has come. Unpaid payments count as committed, since they are still to be collected: no later
 * slot collects their amount again.
 * @param isFirst whether no slot of the plan has had a payment yet. It matters for the amount of the next one only.
 */
export function progressOf(
  { plan, slots }: Pick<PlanWithSlots<Slot>, 'plan' | 'slots'>,
  isFirst = false,
): PlanProgress {
  const open = slots.filter(isOpen);
  const committedAmount = open.reduce((sum, { amount }) => sum + (amount ?? 0), plan.collected_amount_cents);
  return { nextSlot: plan.next_slot, paymentsOpened: isFirst ? 0 : 1, committedAmount };
}
