// April 2028 in the books of the clock of `debits.ts`, and what is open in May. The amounts and days are worked out by
// hand: a fee is 1.75 % and 0.30, money is available on the second business day after its payment. Nothing is shared
// with the service.
import { becomesTrue } from '../lab/eventually.ts';
import type { Scene } from './scene.ts';
import { chapter, money, say, table } from './timeline.ts';

/** Date, type, and gross, fee and net in minor units. */
type Row = [date: string, type: string, gross: number, fee: number, net: number];

/** Banks are closed on Easter Monday, 17 April, and on Anzac Day, the 25th. */
const april: Row[] = [
  ['2028-04-03', 'payment', 5000, 118, 4882],
  ['2028-04-05', 'payout', -4882, 0, -4882],
  ['2028-04-17', 'payment', 5000, 118, 4882],
  ['2028-04-19', 'payout', -4882, 0, -4882],
  ['2028-04-19', 'payment', 5000, 118, 4882],
  ['2028-04-21', 'payout', -4882, 0, -4882],
  ['2028-04-25', 'payment', 5000, 118, 4882],
  ['2028-04-27', 'payout', -4882, 0, -4882],
];
/** The last debit was paid out when it came back, and its fee with it; what was missing is paid by card. */
const may: Row[] = [
  ['2028-05-01', 'payment', 2000, 65, 1935],
  ['2028-05-03', 'payout', -1935, 0, -1935],
  ['2028-05-04', 'return', -2000, 0, -2000],
  ['2028-05-04', 'adjustment', 0, -65, 65],
  ['2028-05-04', 'payment', 2000, 65, 1935],
];
const balance = { currency: 'AUD', in_flight: 0, pending: 1935, available: -1935 };
const statement = { charged: 24_000, collected: 24_000, refunded: 0, returned: 2000, waived: 0 };

/** Closes the month of the bank debits: its rows add up to what was paid out, to the cent. */
export async function closeMonth(scene: Scene, { clockId, customerId }: { clockId: string; customerId: string }) {
  const { payments, checks, signal } = scene;
  chapter('April is closed: what was collected, what it cost, what was paid out');
  const rows = async (from: string, to: string): Promise<Row[]> => {
    const { data } = await payments.reports.getBalanceTransactions({ from, to, test_clock: clockId });
    return data.map(({ created_at: at, type, gross, fee, net }) => [at?.slice(0, 10), type, gross, fee, net] as Row);
  };
  // The payment of the link was just made: its row follows its event.
  await becomesTrue(async () => (await rows('2028-05-01', '2028-06-01')).length >= may.length, { signal });
  const found = await rows('2028-04-01', '2028-05-01');
  checks.equal('books, April', found, april);
  show(found);
  const paidOut = await payments.payouts.list({ test_clock: clockId }).toArray();
  const ofApril = paidOut.filter(({ paid_out_on: date }) => date < '2028-05-01').toReversed();
  checks.equal(
    'books, payouts of April',
    ofApril.map(({ amount, paid_out_on, arrives_on, status }) => [amount, paid_out_on, arrives_on, status]),
    [
      [4882, '2028-04-05', '2028-04-06', 'paid'],
      [4882, '2028-04-19', '2028-04-20', 'paid'],
      [4882, '2028-04-21', '2028-04-24', 'paid'],
      [4882, '2028-04-27', '2028-04-28', 'paid'],
    ],
  );
  const sum = (rows: Row[], column: 2 | 3 | 4) => rows.reduce((total, row) => total + row[column], 0);
  const collected = found.filter(([, type]) => type === 'payment');
  say(
    `Collected ${money(sum(collected, 2))}, fees ${money(sum(found, 3))}, ` +
      `paid out ${money(ofApril.reduce((total, { amount }) => total + amount, 0))}, left ${money(sum(found, 4))}.`,
  );

  chapter('May: a debit that was paid out has come back, so less than nothing is available');
  const open = await rows('2028-05-01', '2028-06-01');
  checks.equal('books, May', open.map(String).sort(), may.map(String).sort());
  show(open);
  const { data } = await payments.balance.get({ test_clock: clockId });
  checks.members('books, balance', data[0], balance);
  say(`Pending ${money(data[0]?.pending ?? 0)}, available ${money(data[0]?.available ?? 0)}.`);
  const { totals } = await payments.customers.getStatement(customerId, { from: '2028-03-01', to: '2028-05-31' });
  checks.members('statement', totals[0], statement);
}

function show(rows: Row[]): void {
  const amount = (title: string) => ({ title, width: 8, align: 'right' as const });
  const columns = [
    { title: 'date', width: 10 },
    { title: 'type', width: 10 },
  ];
  table(
    [...columns, amount('gross'), amount('fee'), amount('net')],
    rows.map(([date, type, ...amounts]) => [date, type, ...amounts.map(money)]),
  );
}
