import Type, { type Static } from 'typebox';
import type { PayoutRow } from '../db/payouts.ts';
import { exampleId } from '../domain/ids.ts';
import { payoutStatuses } from '../domain/ledger/payouts.ts';
import { Currency, Id, Livemode, LocalDate, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example } from './examples.ts';

export const payouts: Tag = {
  name: 'Payouts',
  description:
    'What was paid to your bank account. The sandbox pays out at 00:00 of each business day, in your time zone: all that ' +
    'is available in a currency, if that is more than 0. `metadata._sandbox_payout` of a payment chooses what becomes of ' +
    'the payouts that it is in: a list of `paid` and `fail`. In live mode the processor pays out, if it says so: Stripe does.',
};

export const PayoutStatus = Type.Enum([...payoutStatuses], {
  title: 'PayoutStatus',
  description:
    '`in_transit`: on its way. `paid`: it has arrived. `failed`: the bank has refused it; its items are available again, ' +
    'and the next payout has them.',
});

export const Payout = Strict(
  {
    id: Id('payout', 'The id of the payout.'),
    amount: Type.Integer({ description: 'Minor units: the sum of `net` of its items.' }),
    currency: Currency,
    status: PayoutStatus,
    paid_out_on: LocalDate('The business day on which it was made, in your time zone.'),
    arrives_on: LocalDate('The day on which it arrives: in the sandbox the next business day, in your time zone.'),
    ended_at: Nullable(Timestamp, { description: 'When it was paid or has failed; null while it is in transit.' }),
    failure_code: Nullable(Type.String(), {
      description: 'Why it has failed: `declined` in the sandbox, the word of the processor in live mode.',
    }),
    reconciliation_status: Type.Enum(['in_progress', 'completed'], {
      title: 'ReconciliationStatus',
      description:
        '`completed`: its items are known and add up to its amount. In the sandbox at once; in live mode once the processor has said all.',
    }),
    biller_id: Type.String({ description: 'The account that is paid.' }),
    livemode: Livemode,
    test_clock: Nullable(Type.String(), { description: 'The test clock that it is on; null in real time.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Payout' },
);
export type Payout = Static<typeof Payout>;

export const payoutExample = example(Payout, {
  id: exampleId('payout'),
  amount: 9795,
  currency: 'AUD',
  status: 'in_transit',
  paid_out_on: '2027-01-11',
  arrives_on: '2027-01-12',
  ended_at: null,
  failure_code: null,
  reconciliation_status: 'completed',
  biller_id: exampleId('biller'),
  livemode: false,
  test_clock: null,
  created_at: dueAt,
  updated_at: dueAt,
});

/** A payout as the API and its events show it. */
export function presentPayout(row: PayoutRow): Payout {
  return present(Payout, { ...row, test_clock: row.test_clock_id });
}
