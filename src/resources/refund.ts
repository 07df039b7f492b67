import Type, { type Static } from 'typebox';
import type { RefundRow } from '../db/refunds.ts';
import { currencies } from '../domain/currencies.ts';
import { Id, instant, Livemode, Metadata, Nullable, Strict, Timestamp } from './common.ts';

export const RefundCreate = Strict(
  {
    amount: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Minor units; all that remains if not given.' }),
    ),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    metadata: Type.Optional(Metadata),
  },
  { title: 'RefundCreate' },
);
export type RefundCreate = Static<typeof RefundCreate>;

export const Refund = Strict(
  {
    id: Id('refund', 'The id of the refund.'),
    payment_intent_id: Type.String({ description: 'The payment that is given back.' }),
    amount: Type.Integer({ description: 'Minor units.' }),
    currency: Type.Enum([...currencies]),
    reason: Nullable(Type.String(), { description: 'Why it is given back, in your words.' }),
    metadata: Metadata,
    status: Type.Enum(['processing', 'succeeded', 'failed']),
    biller_id: Type.String(),
    livemode: Livemode,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Refund' },
);
export type Refund = Static<typeof Refund>;

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
