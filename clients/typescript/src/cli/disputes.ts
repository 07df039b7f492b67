import { newestOf } from './newest.ts';

export const disputes = newestOf({
  usage: `Usage: payments disputes [--clock ID] [--limit N] [--json]

Prints the newest disputes, at most N (20): what a payer has disputed, in minor units, and when it is won or lost. Needs
a key with the scope balance:read.

--clock  the disputes on this test clock.`,
  read: (payments, query) => payments.disputes.list(query),
  none: 'Nothing was disputed.',
  titles: ['dispute', 'opened', 'closed', 'status', 'currency', 'amount', 'payment'],
  row: (one) => [
    one.id,
    one.created_at.slice(0, 10),
    one.closed_at?.slice(0, 10) ?? (one.closes_at === null ? '' : `on ${one.closes_at.slice(0, 10)}`),
    one.status,
    one.currency,
    `${one.amount}`,
    one.payment_intent_id,
  ],
});
