import { newestOf } from './newest.ts';

export const payouts = newestOf({
  usage: `Usage: payments payouts [--clock ID] [--limit N] [--json]

Prints the newest payouts, at most N (20): what was paid to the bank account, in minor units, and when it arrives. Needs
a key with the scope balance:read.

--clock  the payouts on this test clock.`,
  read: (payments, query) => payments.payouts.list(query),
  none: 'Nothing was paid out.',
  titles: ['payout', 'made on', 'arrives on', 'status', 'currency', 'amount'],
  row: (one) => [one.id, one.paid_out_on, one.arrives_on, one.status, one.currency, `${one.amount}`],
});
