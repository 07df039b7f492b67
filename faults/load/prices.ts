// What the periods of a subscription cost, what its changes take, and its credit, written a second time: nothing here
// is shared with the service. Amounts are minor units; instants are epoch ms; dates are UTC.

import { day } from '../../lab/model/calendar.ts';

/** What a biller asks between two advances that changes what is paid. `after`: how many periods had begun by then. */
export type PriceAsk =
  | {
      kind: 'change';
      after: number;
      at: number;
      price: number;
      when: 'now' | 'period_end';
      collect: 'now' | 'next_period';
    }
  | { kind: 'refund'; after: number; amount: number };

export interface Bill {
  /** What each period takes. A trial takes nothing. */
  amounts: number[];
  /** What was taken for changes, when they were asked for. */
  changes: number[];
  /** What the customer has in hand. */
  credit: number;
  /** What the next period takes besides its price. Negative: the credit. */
  account: number;
  /** The price of a whole period from now on. */
  price: number;
  /** What can still be refunded of the payment that was made last. */
  refundable: number;
}

/** Returns what periods that have begun, in their order, have cost, with the changes that were asked for in them. */
export function billOf(
  firstPrice: number,
  periods: readonly { start: string; end: string; isTrial: boolean }[],
  asks: readonly PriceAsk[],
): Bill {
  const bill: Bill = { amounts: [], changes: [], credit: 0, account: 0, price: firstPrice, refundable: 0 };
  let next: number | null = null;
  let account = 0;
  for (const [index, { start, end, isTrial }] of periods.entries()) {
    if (!isTrial) {
      bill.price = next ?? bill.price;
      next = null;
      const due = bill.price + account;
      account = Math.min(0, due);
      if (due > 0) bill.refundable = due;
      bill.amounts.push(Math.max(0, due));
    } else bill.amounts.push(0);
    for (const ask of asks.filter(({ after }) => after === index + 1)) {
      if (ask.kind === 'refund') {
        account += ask.amount;
        bill.refundable -= ask.amount;
      } else if (ask.when === 'period_end') next = ask.price;
      else {
        next = null;
        account += isTrial ? 0 : shareFrom(ask.at, start, end, ask.price) - shareFrom(ask.at, start, end, bill.price);
        bill.price = ask.price;
        if (ask.collect === 'now' && account > 0) {
          bill.changes.push(account);
          bill.refundable = account;
          account = 0;
        }
      }
    }
  }
  return { ...bill, account, credit: Math.max(0, -account), price: next ?? bill.price };
}

/** What the period that begins next takes, if nothing else is asked for. */
export function nextAmount({ price, account }: Bill): number {
  return Math.max(0, price + account);
}

/** What the periods to come take, if nothing else is asked for: credit may last for some. */
export function amountsToCome({ price, account }: Bill): number[] {
  const first = account < 0 ? price - (-account % price) : price + account;
  return [...new Set([first, price])];
}

/** The price of the days that are left of a period, this one included: rounded half up. */
function shareFrom(at: number, start: string, end: string, price: number): number {
  const left = Math.round((Date.parse(end) - Math.floor(at / day) * day) / day);
  const whole = Math.round((Date.parse(end) - Date.parse(start)) / day);
  return Math.floor((price * left) / whole + 0.5);
}
