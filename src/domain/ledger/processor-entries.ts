import type { PlainDate } from '../calendar.ts';
import type { Currency } from '../currencies.ts';
import type { CustomerInstant } from '../instants.ts';
import type { MinorUnits } from '../units.ts';
import type { LedgerAccount, Posting } from './postings.ts';

/** The kinds of entries in the books of a processor; see docs/processors.md. */
export const processorEntryKinds = ['settlement', 'fee', 'dispute', 'adjustment', 'payout_failure'] as const;

/** An entry in the processor's books. What it changes of a biller's balance there is `amount` less `fee`. */
export interface ProcessorEntry {
  kind: (typeof processorEntryKinds)[number];
  /** The processor's own id of the entry. */
  id: string;
  billerId: string;
  /** Of a settlement: the key of the charge or the refund. */
  idempotencyKey: string | null;
  /** Of the charge; of a payout that has come back, the processor's id of the payout. */
  reference: string | null;
  /** Without the fee. What comes in is positive. */
  amount: MinorUnits;
  fee: MinorUnits;
  currency: Currency;
  availableOn: PlainDate | null;
  at: CustomerInstant;
  description: string | null;
  /** The processor's id of the payout that pays it; null if that is not known yet. */
  payout: string | null;
}

/** A payout that the processor makes to a biller's bank account. */
export interface ProcessorPayout {
  /** The processor's own id. */
  id: string;
  billerId: string;
  amount: MinorUnits;
  currency: Currency;
  status: 'in_transit' | 'paid' | 'failed';
  failureCode: string | null;
  arrivesOn: PlainDate;
  at: CustomerInstant;
}

/** What of a list is about the processor's books. */
export interface ProcessorBooks {
  entries: ProcessorEntry[];
  payouts: ProcessorPayout[];
}

/**
 * Returns what an entry of the processor posts, minor units; nothing if no account moves. `isPosted`: an event has
 * posted what it is about, so what it has cost is left. `isKnown`: it is about a payment of the biller, so the payers
 * have the other side; otherwise it is unexplained.
 * @throws RangeError when an amount is not whole or beyond the range of exact integers.
 */
export function postingsOfEntry(
  { amount, fee }: { amount: MinorUnits; fee: MinorUnits },
  { isPosted, isKnown }: { isPosted: boolean; isKnown: boolean },
): Posting[] {
  for (const value of [amount, fee, amount - fee]) {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole amount: ${value}`);
  }
  if (isPosted) return moved('processing_fee', { processor: 0 - fee, fees: fee });
  return moved('adjustment', {
    processor: amount - fee,
    fees: fee,
    [isKnown ? 'payers' : 'unexplained']: 0 - amount,
  });
}

function moved(kind: Posting['kind'], accounts: Partial<Record<LedgerAccount, MinorUnits>>): Posting[] {
  const entries = (Object.entries(accounts) as [LedgerAccount, MinorUnits][])
    .map(([account, amount]) => ({ account, amount }))
    .filter(({ amount }) => amount !== 0);
  return entries.length === 0 ? [] : [{ kind, entries }];
}
