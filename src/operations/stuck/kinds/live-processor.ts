import { inMoney } from '../../../domain/currencies.ts';
import type { MinorUnits } from '../../../domain/units.ts';
import { minute, type StuckKind } from '../reading/find-stuck.ts';

/** The live processor does not tell a payout at once when it has told all that it pays. */
const payoutAddsUpWithin = 24 * 60 * minute;

/** Billers whose account at the acquirer does not take the processor's calls. */
export const accountRefused: StuckKind<{ reason: string }> = {
  kind: 'account_refused',
  meaning: 'The acquirer refuses the account of a biller: its live payments wait, and none fails because of it.',
  after: 0,
  rows: (db, { before }) => db`
    select biller_id as subject_id, biller_id, true as livemode, since from refused_accounts where since <= ${before}`,
  facts: (db) => db`select reason from refused_accounts where biller_id = f.subject_id`,
  say: ({ subject_id: id, reason }) => ({
    why: `the acquirer refuses the account of ${id}, or a right that it needs: ${reason}`,
    remedy:
      `Give the account a key that is valid and has the rights. Of Stripe: npm run payments -- processors verify stripe ` +
      `--biller ${id} --mode live says what is wrong, and rotate stores another key (docs/stripe.md).`,
  }),
};

/** What only the processor knows of a biller's books. */
interface Unexplained {
  count: number;
  amount: MinorUnits;
  currency: string;
  example: string;
}

/** Movements at the live processor that the service has not made, such as an adjustment. */
export const movementsUnexplained: StuckKind<Unexplained> = {
  kind: 'movements_unexplained',
  meaning: 'The live processor has moved money that no payment of the service explains.',
  after: 0,
  rows: (db, { before }) => db`
    select t.biller_id as subject_id, t.biller_id, t.livemode, min(n.recorded_at) as since
    from ledger_transactions t
    join ledger_entries e on e.transaction_id = t.id and e.account = 'unexplained'
    join posted_entries p on p.transaction_id = t.id
    join processor_entries n on n.id = p.entry
    group by t.biller_id, t.livemode having min(n.recorded_at) <= ${before}`,
  facts: (db) => db`
    select count(*)::integer as count, coalesce(sum(0 - e.amount), 0)::bigint as amount, t.currency,
      (array_agg(n.processor_id || coalesce(' (' || n.description || ')', '') order by n.recorded_at))[1] as example
    from ledger_transactions t
    join ledger_entries e on e.transaction_id = t.id and e.account = 'unexplained'
    join posted_entries p on p.transaction_id = t.id
    join processor_entries n on n.id = p.entry
    where t.biller_id = f.subject_id and t.livemode = f.livemode
    group by t.currency order by count(*) desc, t.currency limit 1`,
  say: ({ subject_id: id, count, amount, currency, example }) => ({
    why: `the books of ${id} have ${count} movements, ${inMoney(amount, currency)} in all, that only the processor knows, such as ${example}`,
    remedy:
      'Look for them at the processor. They are rows of type adjustment in the books of the biller, and stay there: ' +
      'payments that the biller takes without the service are among them.',
  }),
};

/** Entries about payments that the ledger does not have. */
export const settlementWaiting: StuckKind<{ count: number; example: string }> = {
  kind: 'settlement_waiting',
  meaning: 'The live processor has settled payments or refunds that the books do not have.',
  after: 60 * minute,
  waitsForWrites: true,
  rows: (db, { before }) => db`
    select biller_id as subject_id, biller_id, livemode, min(since) as since
    from entries_to_post group by biller_id, livemode having min(since) <= ${before}`,
  facts: (db) => db`
    select count(*)::integer as count, min(n.kind || ' ' || n.processor_id || coalesce(' of ' || n.reference, '')) as example
    from entries_to_post q join processor_entries n on n.id = q.entry
    where q.biller_id = f.subject_id and q.livemode = f.livemode`,
  say: ({ subject_id: id, count, example }) => ({
    why: `${count} entries of the processor wait for a payment in the books of ${id}, such as ${example}`,
    remedy:
      'Does the payment still have no outcome, or is its charge among unknown_movements? Settle that first. Without a ' +
      'worker nothing is posted: npm run worker.',
  }),
};

/** A payout of the live processor that does not add up. */
export const payoutUnreconciled: StuckKind<{
  amount: MinorUnits;
  items: MinorUnits;
  currency: string;
  reference: string;
}> = {
  kind: 'payout_unreconciled',
  meaning: 'What the live processor has said that a payout pays does not add up to it.',
  after: payoutAddsUpWithin,
  rows: (db, { before }) => db`
      select id as subject_id, biller_id, livemode, created_at as since
      from payouts
      where livemode and reconciliation_status = 'in_progress' and created_at <= ${before}`,
  facts: (db) => db`
      select o.amount, o.currency, x.reference, coalesce((
        select sum(e.amount) from payout_items i
        join ledger_entries e on e.transaction_id = i.transaction_id and e.account = 'processor'
        where i.payout_id = o.id), 0)::bigint as items
      from payouts o join processor_payouts x on x.payout_id = o.id where o.id = f.subject_id`,
  say: ({ subject_id: id, amount, items, currency, reference }) => ({
    why: `payout ${id} (${reference}) is ${inMoney(amount, currency)}, and the items that are known are ${inMoney(items, currency)}`,
    remedy:
      'Compare it with the processor’s own list. A payout that was made by hand has no items at some processors: then ' +
      'nothing is wrong, and it stays here.',
  }),
};
