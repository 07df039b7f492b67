import type { PaymentProcessor } from './processor.ts';

/** One call of a processor and its answer, as a ledger outside of our database keeps it. */
export interface LedgerEntry {
  kind: 'charge' | 'refund';
  /** The attempt's or refund's id: a processor takes, or gives back, once for each. */
  idempotency_key: string;
  payment_intent_id: string;
  /** What the payer pays or gets back, minor units. */
  amount: number;
  currency: string;
  outcome: string;
  /** When the attempt of a charge was opened, real time (ISO 8601). */
  opened_at?: string;
}

/** The same processor, writing each call down before it answers: what it has done is known even if its answer is lost. */
export function withLedger(processor: PaymentProcessor, write: (entry: LedgerEntry) => void): PaymentProcessor {
  return {
    async charge(request) {
      const outcome = await processor.charge(request);
      write({
        ...entryOf(request),
        kind: 'charge',
        amount: request.totalAmount,
        outcome: outcome.kind,
        opened_at: request.openedAt.toISOString(),
      });
      return outcome;
    },
    async refund(request) {
      const outcome = await processor.refund(request);
      write({ ...entryOf(request), kind: 'refund', amount: request.amount, outcome: outcome.kind });
      return outcome;
    },
  };
}

function entryOf(request: { idempotencyKey: string; paymentIntentId: string; currency: string }) {
  const { idempotencyKey, paymentIntentId, currency } = request;
  return { idempotency_key: idempotencyKey, payment_intent_id: paymentIntentId, currency };
}
