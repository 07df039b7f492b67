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

export const refunds: Tag = { name: 'Refunds', description: 'Money given back, in whole or in part.' };

export const RefundCreate = withExamples(
  Strict(
    {
      amount: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Minor units; all that remains if not given.' }),
      ),
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Why, in your words.' })),
      metadata: Type.Optional(
        MetadataWith('For your own use. In the sandbox `_sandbox_refund_outcome`: `fail` makes the refund fail.'),
      ),
    },
    { title: 'RefundCreate' },
  ),
  {
    part: { summary: 'A part', value: { amount: 500, reason: 'Cancelled class' } },
    whole: { summary: 'All that remains', value: {} },
  },
);
export type RefundCreate = Static<typeof RefundCreate>;

export const Refund = Strict(
  {
    id: Id('refund', 'The id of the refund.'),
    payment_intent_id: Type.String({ description: 'The payment that is given back.' }),
    amount: Type.Integer({ description: 'Minor units.' }),
    currency: Currency,
    reason: Nullable(Type.String(), { description: 'Why it is given back, in your words.' }),
    metadata: Metadata,
    status: Type.Enum(['processing', 'succeeded', 'failed'], {
      description: '`processing` only while the processor is asked. A refund that has failed may be asked for again.',
    }),
    biller_id: Type.String({ description: 'The account that gives it back.' }),
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
  currency: 'AUD',
  status: 'succeeded',
  reason: 'Cancelled class',
  metadata: {},
  ...owned,
  created_at: dueAt,
  updated_at: dueAt,
});

/** A refund as the API and its events show it. */
export function presentRefund(row: RefundRow): Refund {
  return present(Refund, row);
}
