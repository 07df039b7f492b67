import type { ChargeOutcome } from '../domain/charge-outcome.ts';

/** A request to a payment processor for one charge. */
export interface ChargeRequest {
  /**
   * The attempt's id. If asked again under the same key, a processor returns the same outcome and takes no more money.
   * The id is derived from what is paid for and the number of the attempt. So it is the same after the database has
   * lost the attempt. The other fields (`paymentIntentId`, `openedAt`) may then differ. An adapter must not send those
   * to a processor that would refuse a repeated request because of them.
   */
  idempotencyKey: string;
  paymentIntentId: string;
  /** Base amount in minor units, without the surcharge. */
  amount: number;
  /** What the payer pays, in minor units. */
  totalAmount: number;
  currency: string;
  /** The number of the attempt for this intent, from 1. */
  attempt: number;
  /** When the attempt was recorded, real time. */
  openedAt: Date;
  paymentMethodId: string;
  /** `card`, `au_becs_debit` and so on. */
  paymentMethodType: string;
  /** The token that the biller saved with the method: of the card number or the account. Null if it saved none. */
  paymentMethodToken: string | null;
  /** Sandbox only. */
  fixtureToken: string | null;
  metadata: Record<string, string>;
}

/** A request to a payment processor for one refund. */
export interface RefundRequest {
  /** The refund's id, with the same guarantee as for a charge. */
  idempotencyKey: string;
  paymentIntentId: string;
  /** In minor units. */
  amount: number;
  currency: string;
  metadata: Record<string, string>;
}

export type RefundOutcome = { kind: 'succeeded' } | { kind: 'failed' };

/**
 * The processor gave no outcome, so the money may have moved or not. The only way to learn the truth is to ask again
 * under the same key. The message says why, in words and without addresses or secrets.
 */
export class OutcomeUnknown extends Error {
  /** How long the processor wants to be left alone, in milliseconds; null if it did not say. */
  readonly retryAfterMs: number | null;

  constructor(why: string, retryAfterMs: number | null = null) {
    super(why);
    this.name = 'OutcomeUnknown';
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * A payment processor. A decline is an outcome. An exception means that the outcome is unknown; the caller then asks
 * again under the same key. An adapter throws `OutcomeUnknown`; any other exception is a defect.
 */
export interface PaymentProcessor {
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  refund(request: RefundRequest): Promise<RefundOutcome>;
}

/** The processor of each mode. `live` is null when none is configured. */
export interface Processors {
  sandbox: PaymentProcessor;
  live: PaymentProcessor | null;
}
