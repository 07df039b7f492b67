import type { MinorUnits } from './units.ts';

/**
 * Returns what the biller holds of a payment now: its total while it is `succeeded`, otherwise nothing, less what was
 * refunded. Debits that came back count for nothing, since each was collected before. Below 0 if the bank took a debit
 * back that was refunded. Never throws.
 */
export function netCollected(payment: {
  status: string;
  total_amount: MinorUnits;
  total_refunded_amount: MinorUnits;
}): MinorUnits {
  return (payment.status === 'succeeded' ? payment.total_amount : 0) - payment.total_refunded_amount;
}
