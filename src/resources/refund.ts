import Type, { type Static } from 'typebox';
import type { RefundRow } from '../db/refunds.ts';
import { Currency, Id, instant, Livemode, Metadata, MetadataWith, Nullable, Strict, Timestamp } from './common.ts';

export const RefundCreate = Strict(
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
);
export type RefundCreate = Static<typeof RefundCreate>;

export const Refund = Strict(
  {
    id: Id('refund', 'The id of the refund.'),
    payment_intent_id: Type.String({ description: 'The payment that is refunded.' }),
    amount: Type.Integer({ description: 'Minor units.' }),
    currency: Currency,
    reason: Nullable(Type.String(), { description: 'The reason, in your words.' }),
    metadata: Metadata,
    status: Type.Enum(['processing', 'succeeded', 'failed'], {
      description:
        '`processing`: the processor was asked. `succeeded`: the money was returned. `failed`: it was not; you ' +
        'can request a new refund.',
    }),
    biller_id: Type.String({ description: 'The account that pays the refund.' }),
    livemode: Livemode,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Refund' },
);
export type Refund = Static<typeof Refund>;

/** A refund as the API and its events show it. */
export function presentRefund(row: RefundRow): Refund {
  return {
    id: row.id,
    payment_intent_id: row.payment_intent_id,
    amount: row.amount,
    currency: row.currency,
    reason: row.reason,
    metadata: row.metadata,
    status: row.status,
    biller_id: row.biller_id,
    livemode: row.livemode,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
