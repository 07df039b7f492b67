import Type, { type Static } from 'typebox';
import type { RefundRow } from '../db/refunds.ts';
import { exampleId } from '../domain/ids.ts';
import {
  Currency,
  Id,
  Livemode,
  Metadata,
  MetadataWith,
  Nullable,
  present,
  Strict,
  type Tag,
  Timestamp,
} from './common.ts';
import { dueAt, example, owned, withExamples } from './examples.ts';

export const refunds: Tag = { name: 'Refunds', description: 'Money returned to the payer, in whole or in part.' };

export const RefundCreate = withExamples(
  Strict(
    {
      amount: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 999_999_999,
          description: 'Minor units. By default everything that remains.',
        }),
      ),
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'The reason, in your words.' })),
      metadata: Type.Optional(
        MetadataWith('For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail.'),
      ),
    },
    { title: 'RefundCreate' },
  ),
  {
    part: { summary: 'A partial refund', value: { amount: 500, reason: 'Cancelled class' } },
    whole: { summary: 'Everything that remains', value: {} },
  },
);
export type RefundCreate = Static<typeof RefundCreate>;

export const RefundStatus = Type.Enum(['processing', 'succeeded', 'failed'], {
  title: 'RefundStatus',
  description:
    '`processing`: the processor was asked. `succeeded`: the money was returned. `failed`: it was not; you can request ' +
    'a new refund.',
});

export const Refund = Strict(
  {
    id: Id('refund', 'The id of the refund.'),
    payment_intent_id: Type.String({ description: 'The payment that is refunded.' }),
    amount: Type.Integer({ description: 'Minor units.' }),
    surcharge_amount: Type.Integer({
      description: 'How much of the amount is surcharge, minor units: the part that it has in the payment.',
    }),
    tax_amount: Type.Integer({
      description: 'How much of the amount is tax, minor units: the part that it has in the payment.',
    }),
    currency: Currency,
    reason: Nullable(Type.String(), { description: 'The reason, in your words.' }),
    metadata: Metadata,
    status: RefundStatus,
    refund_at_risk: Type.Optional(
      Type.Boolean({
        description:
          'Present and true if the payment was a bank debit that could still come back when it was refunded. If it ' +
          'does, the payer has the money twice: see `total_returned_amount` of the payment intent.',
      }),
    ),
    biller_id: Type.String({ description: 'The account that pays the refund.' }),
    livemode: Livemode,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Refund' },
);
export type Refund = Static<typeof Refund>;

export const refundExample = example(Refund, {
  id: exampleId('refund'),
  payment_intent_id: exampleId('payment_intent'),
  amount: 500,
  surcharge_amount: 0,
  tax_amount: 45,
  currency: 'AUD',
  status: 'succeeded',
  reason: 'Cancelled class',
  metadata: {},
  ...owned,
  created_at: dueAt,
  updated_at: dueAt,
});

/** A refund as the API and its events show it. `refund_at_risk` is the column `at_risk`. */
export function presentRefund(row: RefundRow): Refund {
  return present(Refund, {
    ...row,
    surcharge_amount: row.surcharge_amount,
    refund_at_risk: row.at_risk || undefined,
  });
}
