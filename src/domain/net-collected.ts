import type { MinorUnits } from './units.ts';

/**
 * Returns what the biller holds of a payment now: its total while it is `succeeded`, otherwise nothing, less what was
 * refunded. What came back counts for nothing, since it was collected before. Below 0 if the bank took a debit back
 * that was refunded; a dispute takes only what was not (`refunded_before_dispute`). Never throws.
 */
export function netCollected(payment: {
  status: string;
  total_amount: MinorUnits;
  total_refunded_amount: MinorUnits;
  refunded_before_dispute: MinorUnits;
}): MinorUnits {
  const { status, total_amount: total, total_refunded_amount: refunded, refunded_before_dispute: before } = payment;
  return (status === 'succeeded' ? total : 0) - refunded + before;
}
