import { type Cadence, lastSlot, type PlainDate, slotDate } from './calendar.ts';

/** What a plan collects and when; base amounts in minor units, for the cap counts these (decisions: The cap). */
export interface PlanTerms extends Cadence {
  recurringAmount: number;
  firstAmount: number | null;
  /** The cap on all collections; null goes on until further notice. */
  totalAmount: number | null;
}

/** How far a plan has come. */
export interface PlanProgress {
  nextSlot: number;
  /** Slots that became payments, whatever came of them; skipped ones do not count. */
  paymentsOpened: number;
  /** Collected, and what is under way or unpaid but can still be collected; in minor units. */
  committedAmount: number;
}

export interface UpcomingPayment {
  slot: number;
  dueDate: PlainDate;
  amount: number;
}

/**
 * The base amount of the next payment, in minor units: the first amount for a plan's first payment where it has one,
 * else the recurring amount, cut to what remains of the total; null when nothing remains, a total that was lowered
 * below what is committed included (decisions: Amount of a plan's payment). Never throws.
 */
export function nextPaymentAmount(terms: PlanTerms, progress: PlanProgress): number | null {
  const { firstAmount, recurringAmount, totalAmount } = terms;
  const amount = progress.paymentsOpened === 0 ? (firstAmount ?? recurringAmount) : recurringAmount;
  if (totalAmount === null) return amount;
  const remaining = totalAmount - progress.committedAmount;
  return remaining > 0 ? Math.min(amount, remaining) : null;
}

/**
 * The next `count` payments from the progress's slot on, with biller-local dates and amounts in minor units, as if
 * every one is collected, and whether more follow (decisions: `GET /payment_plans/{id}/schedule`). The total ends it,
 * and so does the year 9999, past which no date can be written. Throws RangeError for a cadence that is none.
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
