import { type Cadence, lastSlot, type PlainDate, slotDate } from './calendar.ts';
import type { MinorUnits, SlotNumber } from './units.ts';

/** What a plan collects and when. Amounts are without surcharge: so the cap counts (decisions: The cap). */
export interface PlanTerms extends Cadence {
  recurringAmount: MinorUnits;
  firstAmount: MinorUnits | null;
  /** The cap on all collections. Null: the plan continues until further notice. */
  totalAmount: MinorUnits | null;
}

/** The progress of a plan. */
export interface PlanProgress {
  nextSlot: SlotNumber;
  /** Slots that became payments, whatever their outcome. Skipped slots do not count. */
  paymentsOpened: number;
  /** The amount collected, plus the amount under way or unpaid that can still be collected. */
  committedAmount: MinorUnits;
}

export interface UpcomingPayment {
  slot: SlotNumber;
  dueDate: PlainDate;
  amount: MinorUnits;
}

/**
 * Returns the base amount of the next payment (decisions: Amount of a plan's payment). A plan's first payment takes the
 * first amount, if there is one; all others take the recurring amount. The amount is cut to the rest of the total. Null
 * when nothing remains, also when the total was lowered below the committed amount. Never throws.
 */
export function nextPaymentAmount(terms: PlanTerms, progress: PlanProgress): MinorUnits | null {
  const { firstAmount, recurringAmount, totalAmount } = terms;
  const amount = progress.paymentsOpened === 0 ? (firstAmount ?? recurringAmount) : recurringAmount;
  if (totalAmount === null) return amount;
  const remaining = totalAmount - progress.committedAmount;
  return remaining > 0 ? Math.min(amount, remaining) : null;
}

/**
 * Returns the next `count` payments from `progress.nextSlot` on, and whether more follow (decisions: `GET
 * /payment_plans/{id}/schedule`). Dates are biller-local. It assumes that every payment is collected. The list ends at
 * the total or at the year 9999, the last year of the calendar.
 * @throws RangeError for an invalid cadence.
 */
export function upcomingPayments(
  terms: PlanTerms,
  progress: PlanProgress,
  count: number,
): { payments: UpcomingPayment[]; hasMore: boolean } {
  const end = lastSlot(terms);
  const payments: UpcomingPayment[] = [];
  let { nextSlot, paymentsOpened, committedAmount } = progress;
  for (;;) {
    const amount = nextPaymentAmount(terms, { nextSlot, paymentsOpened, committedAmount });
    if (amount === null || nextSlot > end) return { payments, hasMore: false };
    if (payments.length >= count) return { payments, hasMore: true };
    payments.push({ slot: nextSlot, dueDate: slotDate(terms, nextSlot), amount });
    nextSlot += 1;
    paymentsOpened += 1;
    committedAmount += amount;
  }
}
