import type { MinorUnits } from '../domain/units.ts';
import type { PaymentProcessor } from './processor.ts';

/** One call to a processor and its outcome, kept in a ledger outside our database. */
export interface LedgerEntry {
  kind: 'charge' | 'refund';
  /** The id of the attempt or refund. A processor takes or returns money once per key. */
  idempotency_key: string;
  payment_intent_id: string;
  /** What the payer pays or gets back. */
  amount: MinorUnits;
  currency: string;
  outcome: string;
  /** When the attempt was opened, real time (ISO 8601). Charges only. */
  opened_at?: string;
}

/**
 * Returns the processor with a ledger. It writes each call down before it returns the outcome, so what the processor
 * did is known even if its response is lost.
 */
export function withLedger(processor: PaymentProcessor, write: (entry: LedgerEntry) => void): PaymentProcessor {
  return {
    ...processor,
    async charge(request, reference) {
      const outcome = await processor.charge(request, reference);
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
