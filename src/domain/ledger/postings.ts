import type { MinorUnits } from '../units.ts';

/** The events that move money. Each is posted to the ledger; every other event moves none. */
export const moneyEventTypes = [
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.failed',
  'payment_intent.canceled',
  'payment_intent.returned',
  'refund.succeeded',
  'payout.created',
  'payout.failed',
] as const;

/** Those after which there is more or less to pay out, on a later day. */
export const payableEventTypes = [
  'payment_intent.succeeded',
  'payment_intent.returned',
  'refund.succeeded',
] as const satisfies readonly MoneyEventType[];

export type MoneyEventType = (typeof moneyEventTypes)[number];

/**
 * The accounts of a biller's books. `payers` is the other side of all money, `in_flight` holds debits whose result is
 * not known, `processor` what was taken and is not paid out, `fees` what collecting has cost, `bank` what was paid out,
 * `unexplained` is the other side of what only the live processor knows.
 */
export type LedgerAccount = 'payers' | 'in_flight' | 'processor' | 'fees' | 'bank' | 'unexplained';

/** What a transaction of the ledger is. All but the last three are rows that finance reads. */
export type TransactionKind =
  | 'payment'
  | 'refund'
  | 'return'
  | 'adjustment'
  | 'payout'
  | 'payout_failure'
  | 'debit_accepted'
  | 'debit_ended'
  | 'processing_fee';

/** What a money event says, minor units. */
export interface MoneyEvent {
  type: MoneyEventType;
  /** The total of the payment, surcharge included, or the amount of the refund or the payout. */
  amount: MinorUnits;
  /** What the payment costs the biller. 0 for a refund or a payout. */
  fee: MinorUnits;
}

/** A transaction of the ledger, and what it moves between the accounts: the amounts add up to 0. */
export interface Posting {
  kind: TransactionKind;
  entries: { account: LedgerAccount; amount: MinorUnits }[];
}

/**
 * Returns what an event posts, minor units; nothing if it moves no money. `inFlight` is what the ledger has of the
 * payment as a debit in flight: only the end of such a debit posts a failure. A return gives the fee back, a refund
 * does not (books, settled point 2).
 * @throws RangeError when an amount is negative, not whole or beyond the range of exact integers.
 */
export function postingsOf({ type, amount, fee }: MoneyEvent, inFlight: MinorUnits): Posting[] {
  for (const value of [amount, fee]) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a whole amount: ${value}`);
  }
  switch (type) {
    case 'payment_intent.processing':
      return balanced('debit_accepted', { payers: inFlight - amount, in_flight: amount - inFlight });
    case 'payment_intent.succeeded':
      return balanced('payment', {
        payers: inFlight - amount,
        in_flight: 0 - inFlight,
        processor: amount - fee,
        fees: fee,
      });
    case 'payment_intent.failed':
    case 'payment_intent.canceled':
      return balanced('debit_ended', { in_flight: 0 - inFlight, payers: inFlight });
    case 'payment_intent.returned':
      return [
        ...balanced('return', { processor: 0 - amount, payers: amount }),
        ...balanced('adjustment', { fees: 0 - fee, processor: fee }),
      ];
    case 'refund.succeeded':
      return balanced('refund', { processor: 0 - amount, payers: amount });
    case 'payout.created':
      return balanced('payout', { processor: 0 - amount, bank: amount });
    case 'payout.failed':
      return balanced('payout_failure', { processor: amount, bank: 0 - amount });
  }
}

/** Returns the transaction without its accounts that do not move, or none if no account moves. */
function balanced(kind: TransactionKind, moved: Partial<Record<LedgerAccount, MinorUnits>>): Posting[] {
  const entries = (Object.entries(moved) as [LedgerAccount, MinorUnits][])
    .map(([account, amount]) => ({ account, amount }))
    .filter(({ amount }) => amount !== 0);
  return entries.length === 0 ? [] : [{ kind, entries }];
}
