import Type, { type Static } from 'typebox';
import type { DisputeRow } from '../db/disputes.ts';
import { disputeResults, disputeStatuses } from '../domain/disputes.ts';
import { exampleId } from '../domain/ids.ts';
import { Currency, Id, Livemode, Nullable, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, withExamples } from './examples.ts';

export const disputes: Tag = {
  name: 'Disputes',
  description:
    'Payments that a payer has disputed with the bank. What is disputed is held until the dispute is won or lost, and ' +
    'cannot be refunded meanwhile. The sandbox opens disputes on request. Live mode has none yet.',
};

export const DisputeStatus = Type.Enum([...disputeStatuses], {
  title: 'DisputeStatus',
  description:
    '`needs_response`: open, and the money is held. `won`: you have the money again. `lost`: the payer has it, and the ' +
    'payment is `returned`.',
});

export const Dispute = Strict(
  {
    id: Id('dispute', 'The id of the dispute.'),
    payment_intent_id: Type.String({ description: 'The payment that is disputed.' }),
    customer_id: Nullable(Type.String(), { description: 'The payer; null without a customer.' }),
    amount: Type.Integer({
      description: 'What is disputed, minor units: the total of the payment, without what was refunded before.',
    }),
    currency: Currency,
    status: DisputeStatus,
    closes_at: Nullable(Timestamp, {
      description: 'When it is won or lost, in the customer’s time; null until the sandbox was told the result.',
    }),
    closed_at: Nullable(Timestamp, { description: 'When it was won or lost; null while it is open.' }),
    biller_id: Type.String({ description: 'The account that was paid.' }),
    livemode: Livemode,
    test_clock: Nullable(Type.String(), { description: 'The test clock that it is on; null in real time.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Dispute' },
);
export type Dispute = Static<typeof Dispute>;

export const disputeExample = example(Dispute, {
  id: exampleId('dispute'),
  payment_intent_id: exampleId('payment_intent'),
  customer_id: exampleId('customer'),
  amount: 2500,
  currency: 'AUD',
  status: 'needs_response',
  closes_at: '2027-01-21T00:00:00.000Z',
  closed_at: null,
  biller_id: exampleId('biller'),
  livemode: false,
  test_clock: null,
  created_at: dueAt,
  updated_at: dueAt,
});

export const PaymentIntentDispute = withExamples(
  Strict(
    {
      result: Type.Optional(
        Type.Enum([...disputeResults], {
          description:
            'How it ends, ten days from now. Without it the dispute stays open, until a second call says it.',
        }),
      ),
    },
    { title: 'PaymentIntentDispute' },
  ),
  {
    open: { summary: 'The payer disputes the payment', value: {} },
    lost: { summary: 'The payer is given the money in ten days', value: { result: 'lost' } },
  },
);

/** A dispute as the API and its events show it. */
export function presentDispute(row: DisputeRow): Dispute {
  return present(Dispute, { ...row, test_clock: row.test_clock_id });
}
