import Type, { type Static } from 'typebox';
import { currencies } from '../domain/currencies.ts';
import { Id, Livemode, Metadata, Nullable, Strict, Timestamp } from './common.ts';

export const Refund = Strict(
  {
    id: Id('refund', 'The id of the refund.'),
    payment_intent_id: Type.String({ description: 'The payment that is given back.' }),
    amount: Type.Integer({ description: 'Minor units.' }),
    currency: Type.Enum([...currencies]),
    status: Type.Enum(['succeeded', 'failed']),
    reason: Nullable(Type.String(), { description: 'Why it is given back, in your words.' }),
    metadata: Metadata,
    livemode: Livemode,
    created_at: Timestamp,
  },
  { title: 'Refund' },
);
export type Refund = Static<typeof Refund>;
