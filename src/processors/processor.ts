import type { ChargeOutcome } from '../domain/charge-outcome.ts';

/** One charge as a payment processor is asked for it. */
export interface ChargeRequest {
  /**
   * The attempt's id. Asked again under the same key, a processor answers as before and takes nothing more. It is made of
   * what is paid for and the number of the try, so that it is the same after the attempt was lost with its database; what
   * else is sent along may then differ (`paymentIntentId`, `openedAt`), and an adapter sends none of that to a processor
   * that would refuse a repetition for it.
   */
  idempotencyKey: string;
  paymentIntentId: string;
  /** Base amount in minor units, without the surcharge. */
  amount: number;
  /** What the payer pays, minor units. */
  totalAmount: number;
  currency: string;
  /** Which try of this intent it is, from 1. */
  attempt: number;
  /** When the attempt was written down, real time. */
  openedAt: Date;
  paymentMethodId: string;
  fixtureToken: string | null;
  metadata: Record<string, string>;
}

/** One refund as a payment processor is asked for it. */
export interface RefundRequest {
  /** The refund's id, with the same promise as an attempt's. */
  idempotencyKey: string;
  paymentIntentId: string;
  /** Minor units. */
  amount: number;
  currency: string;
  metadata: Record<string, string>;
}

export type RefundOutcome = { kind: 'succeeded' } | { kind: 'failed' };

/**
 * What takes the money. A decline is an outcome; what is thrown means that the outcome is unknown, and the caller asks
 * again under the same key.
 */
export interface PaymentProcessor {
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  refund(request: RefundRequest): Promise<RefundOutcome>;
}

/** The processor of each mode; null where none is configured. */
export interface Processors {
  sandbox: PaymentProcessor;
  live: PaymentProcessor | null;
}
