import type { MinorUnits } from '../units.ts';

/** The events that move money. Each is posted to the ledger, as is the credit that events of subscriptions tell. */
export const moneyEventTypes = [
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.failed',
  'payment_intent.canceled',
  'payment_intent.returned',
  'refund.succeeded',
  'dispute.opened',
  'dispute.won',
  'dispute.lost',
  'payout.created',
  'payout.failed',
] as const;

/** Those after which there is more or less to pay out, on a later day. */
export const payableEventTypes = [
  'payment_intent.succeeded',
  'payment_intent.returned',
  'refund.succeeded',
  'dispute.opened',
  'dispute.won',
] as const satisfies readonly (typeof moneyEventTypes)[number][];

/** An event that the ledger posts: of money, or any event of a subscription. */
export type PostedEventType = (typeof moneyEventTypes)[number] | 'subscription';

/**
 * The accounts of a biller's books. `payers` is the other side of all money, `in_flight` holds debits whose result is
 * not known, `processor` what was taken and is not paid out, `held` what is under dispute, `fees` what collecting has
 * cost, `bank` what was paid out. `credit` is a debt, so it is never above 0: what subscriptions owe back of what
 * payers have paid. `unexplained` is the other side of what only the live processor knows.
 */
export type LedgerAccount = 'payers' | 'in_flight' | 'processor' | 'held' | 'fees' | 'bank' | 'credit' | 'unexplained';

/** What a transaction of the ledger is. All but the last five are rows that finance reads. */
export type TransactionKind =
  | 'payment'
  | 'refund'
  | 'return'
  | 'adjustment'
  | 'payout'
  | 'payout_failure'
  | 'dispute'
  | 'dispute_reversal'
  | 'debit_accepted'
  | 'debit_ended'
  | 'dispute_lost'
  | 'credit'
  | 'processing_fee';

/** What an event says, minor units. */
export interface PostedEvent {
  type: PostedEventType;
  /** The total of a payment, surcharge included; of a refund, dispute or payout the amount; a subscription's credit. */
  amount: MinorUnits;
  /** What the payment costs the biller. 0 for all others. */
  fee: MinorUnits;
}

/** A transaction of the ledger, and what it moves between the accounts: the amounts add up to 0. */
export interface Posting {
  kind: TransactionKind;
  entries: { account: LedgerAccount; amount: MinorUnits }[];
}

/**
 * Returns what an event posts, minor units; nothing if it moves no money. `posted` is what the ledger has before: of
 * the payment as a debit in flight, or of the subscription as credit. Only the end of such a debit posts a failure, and
 * only a change of the credit is posted. A return gives the fee back, a refund and a lost dispute do not (books,
 * settled points 2 and 6).
 * @throws RangeError when an amount is negative, not whole or beyond the range of exact integers.
 */
export function postingsOf({ type, amount, fee }: PostedEvent, posted: MinorUnits): Posting[] {
  for (const value of [amount, fee]) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a whole amount: ${value}`);
  }
  switch (type) {
    case 'payment_intent.processing':
      return balanced('debit_accepted', { payers: posted - amount, in_flight: amount - posted });
    case 'payment_intent.succeeded':
      return balanced('payment', {
        payers: posted - amount,
        in_flight: 0 - posted,
        processor: amount - fee,
        fees: fee,
      });
    case 'payment_intent.failed':
    case 'payment_intent.canceled':
      return balanced('debit_ended', { in_flight: 0 - posted, payers: posted });
    case 'payment_intent.returned':
      return [
        ...balanced('return', { processor: 0 - amount, payers: amount }),
        ...balanced('adjustment', { fees: 0 - fee, processor: fee }),
      ];
    case 'refund.succeeded':
      return balanced('refund', { processor: 0 - amount, payers: amount });
    case 'dispute.opened':
      return balanced('dispute', { processor: 0 - amount, held: amount });
    case 'dispute.won':
      return balanced('dispute_reversal', { held: 0 - amount, processor: amount });
    case 'dispute.lost':
      return balanced('dispute_lost', { held: 0 - amount, payers: amount });
    case 'payout.created':
      return balanced('payout', { processor: 0 - amount, bank: amount });
    case 'payout.failed':
      return balanced('payout_failure', { processor: amount, bank: 0 - amount });
    case 'subscription':
      return balanced('credit', { credit: posted - amount, payers: amount - posted });
  }
}

/** Returns the transaction without its accounts that do not move, or none if no account moves. */
function balanced(kind: TransactionKind, moved: Partial<Record<LedgerAccount, MinorUnits>>): Posting[] {
  const entries = (Object.entries(moved) as [LedgerAccount, MinorUnits][])
    .map(([account, amount]) => ({ account, amount }))
    .filter(({ amount }) => amount !== 0);
  return entries.length === 0 ? [] : [{ kind, entries }];
}
