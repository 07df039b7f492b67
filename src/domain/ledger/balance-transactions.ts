import type { TransactionKind } from './postings.ts';

/** The transactions of the ledger that finance reads as rows. */
export const balanceTransactionTypes = [
  'payment',
  'refund',
  'return',
  'adjustment',
  'payout',
  'payout_failure',
  'dispute',
  'dispute_reversal',
] as const satisfies readonly TransactionKind[];

export type BalanceTransactionType = (typeof balanceTransactionTypes)[number];

/** Stripe's word for each type (docs.stripe.com/reports/reporting-categories). */
export const reportingCategories = {
  payment: 'charge',
  refund: 'refund',
  return: 'charge_failure',
  adjustment: 'other_adjustment',
  payout: 'payout',
  payout_failure: 'payout_reversal',
  dispute: 'dispute',
  dispute_reversal: 'dispute_reversal',
} as const satisfies Record<BalanceTransactionType, string>;
