import type { PlainDate } from '../domain/calendar.ts';
import type { ChargeFailure, ChargeOutcome, DeclineCode } from '../domain/charge-outcome.ts';
import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { ProcessorBooks } from '../domain/ledger/processor-entries.ts';
import type { Scheme } from '../domain/schemes/schemes.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { CardSetups } from './card-setups.ts';

/** A request to a payment processor for one charge. */
export interface ChargeRequest {
  /**
   * The attempt's id. It is derived from what is paid for and the number of the attempt. So it is the same after the
   * database has lost the attempt. The other fields (`paymentIntentId`, `openedAt`) may then differ. An adapter must
   * not send those to a processor that would refuse a repeated request because of them.
   */
  idempotencyKey: string;
  /** For whom the money is taken. Several billers may stand behind one processor service. */
  billerId: Id<'biller'>;
  paymentIntentId: Id<'payment_intent'>;
  /** Without the surcharge. */
  amount: MinorUnits;
  /** What the payer pays. */
  totalAmount: MinorUnits;
  currency: string;
  /** The number of the attempt for this intent, from 1. */
  attempt: number;
  /** When the attempt was recorded. */
  openedAt: RealInstant;
  paymentMethodId: Id<'payment_method'>;
  /** `card`, `au_becs_debit` and so on. */
  paymentMethodType: string;
  /** The token that the biller saved with the method: of the card number or the account. Null if it saved none. */
  paymentMethodToken: string | null;
  /** Sandbox only. */
  fixtureToken: string | null;
  metadata: Record<string, string>;
  /** Whether the payer can be sent to a challenge: of a card, in a payment that a payer or the biller confirms. */
  attended: boolean;
  /** For a bank account that is debited under a mandate; else null. */
  debit: DebitRequest | null;
}

/** What a bank needs to know about a debit under a mandate. */
export interface DebitRequest {
  scheme: Scheme;
  /** The day on which the account is debited, on the scheme's clock. */
  chargeDate: PlainDate;
  /** As the payer's mandate shows it. */
  mandateReference: string;
  /** Shown on the payer's statement. No two debits of a biller have the same. */
  lodgementReference: string;
  mandate: MandateEvidence;
}

/** How the payer has agreed to the mandate of a debit. What was not recorded is null. */
export interface MandateEvidence {
  /** Customer time. */
  acceptedAt: CustomerInstant | null;
  type: 'online' | 'paper' | 'telephone' | 'imported' | null;
  /** Of the payer's connection, as the service has seen it. If it has not, as the biller has reported it. */
  ipAddress: string | null;
  userAgent: string | null;
  signatoryName: string | null;
  /** SHA-256 of the text that the payer was shown, in hexadecimal. */
  textSha256: string | null;
}

/** An account that a processor debits. It is secret: keep it out of logs, errors, traces and workflow histories. */
export interface BankAccount {
  /** Six digits. */
  bsbNumber: string;
  accountNumber: string;
  accountName: string;
  /** Of the customer. Null: it has none. */
  email: string | null;
}

/**
 * Returns the account of a payment method of this mode, for one call to a processor. Returns null if its number is not
 * stored.
 * @throws OutcomeUnknown if the number cannot be opened.
 */
export type ReadBankAccount = (
  method: Id<'payment_method'>,
  mode: { livemode: boolean },
) => Promise<BankAccount | null>;

/** A request to a payment processor for one refund. */
export interface RefundRequest {
  /** The refund's id. */
  idempotencyKey: string;
  /** Who gives the money back. */
  billerId: Id<'biller'>;
  paymentIntentId: Id<'payment_intent'>;
  /** The reference of the charge; null if the processor reserved nothing for it. */
  chargeReference: string | null;
  amount: MinorUnits;
  currency: string;
  metadata: Record<string, string>;
}

export type RefundOutcome = { kind: 'succeeded' } | { kind: 'failed' };

/** The processor has the refund, and decides later, in days maybe. Only asking tells. */
export interface PendingRefund {
  kind: 'pending';
}

/** The bank has taken the debit, and reports later whether it was collected. `expectedAt` is customer time. */
export interface Submitted {
  kind: 'submitted';
  expectedAt: CustomerInstant;
}

/** The bank has taken back a debit that it had collected. */
interface Returned {
  kind: 'returned';
  code: DeclineCode;
  message: string;
  /** The scheme's code for the reason; null if it has none. */
  bankCode: string | null;
  at: CustomerInstant;
}

/**
 * What a processor knows about a reserved payment.
 * - `not_charged`: nothing was taken so far. A charge that is still on its way to the processor may yet take it.
 * - `canceled`: nothing was taken, and nothing will be.
 */
export type ProcessorState = ChargeOutcome | Submitted | Returned | { kind: 'not_charged' } | { kind: 'canceled' };

/** The state at an instant. `nextAt` says when to ask again (customer time); null if no change is expected. */
export type Inquiry = ProcessorState & { nextAt: CustomerInstant | null };

/** What a processor has done: money that it has taken, or has given back. */
export interface Movement {
  kind: 'charge' | 'refund';
  /** The key that it was asked under. */
  idempotencyKey: string;
  /** Of the charge, or null for a refund without one. */
  reference: string | null;
  paymentIntentId: string;
  amount: MinorUnits;
  currency: string;
}

/**
 * A part of a processor's movements, and what it says of its own books, if it does. `cursor` is the processor's own
 * mark of where the part ends.
 */
export interface Movements extends ProcessorBooks {
  movements: Movement[];
  cursor: string;
  hasMore: boolean;
}

/**
 * A hint that something has happened to a payment, to its charge or to its refunds, or to a mandate. Only asking tells
 * what.
 */
export interface Notice {
  kind: 'charge' | 'refund' | 'mandate';
  /** Of the charge; of a mandate the reference that debits name. */
  reference: string;
  billerId: string;
}

/** Whether debits under a mandate are possible at the processor. `ended` is for good. */
export type MandateState = 'active' | 'ended';

/**
 * An account that the acquirer refuses at present: its key was revoked, or lacks a right. `reason` is for operators.
 */
export interface RefusedAccount {
  billerId: string;
  reason: string;
}

/**
 * A part of a processor's notices. `cursor` is the processor's own mark of where the part ends. `refused` are all
 * accounts of this mode that the acquirer refuses; null if the processor does not say.
 */
export interface Notices {
  refused: RefusedAccount[] | null;
  notices: Notice[];
  cursor: string;
  hasMore: boolean;
}

/** The processor's own id of a payment that it has reserved. It never changes, and never belongs to another payment. */
export interface Reservation {
  kind: 'reserved';
  reference: string;
}

/**
 * The processor gave no outcome, so the money may have moved or not. The only way to learn the truth is to ask again.
 * The message says why, in words and without addresses or secrets.
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
 * The processor refuses a charge that it has reserved, or a refund. An earlier call may have made it: only asking
 * tells, of a charge after canceling it.
 */
export class RequestRefused extends OutcomeUnknown {
  constructor(why: string) {
    super(why);
    this.name = 'RequestRefused';
  }
}

/**
 * A payment processor. A decline is an outcome. An exception means that the outcome is unknown. An adapter throws
 * `OutcomeUnknown`; any other exception is a defect. The caller never guesses what happened: it reserves the payment,
 * commits the reference, charges, and asks for the outcome by the reference.
 */
export interface PaymentProcessor {
  /**
   * Reserves a payment without taking money. Repeated under the same key, it may return another reference: the caller
   * charges only the one that it has committed. A failure means that the processor does not take this request at all.
   * Null if a processor needs no reservation: it keeps keys for ever, and the key is the reference.
   */
  readonly prepare: ((request: ChargeRequest) => Promise<Reservation | ChargeFailure>) | null;
  /**
   * Takes the money of a reserved payment: once for a reference, however often it is asked.
   * @throws RequestRefused
   */
  charge(request: ChargeRequest, reference: string): Promise<ChargeOutcome | Submitted>;
  /** Returns the state of a reserved payment at `at`. Changes nothing. */
  inquire(request: ChargeRequest, reference: string, at: CustomerInstant): Promise<Inquiry>;
  /** Gives a reservation up. Does nothing if it was charged: `inquire` tells. */
  cancel(request: ChargeRequest, reference: string): Promise<void>;
  /**
   * Gives money back: once under a key, however often and however late it is asked.
   * @throws RequestRefused
   */
  refund(request: RefundRequest): Promise<RefundOutcome | PendingRefund>;
  /** Returns the state of a refund. `not_found`: the processor has never received it. Changes nothing. */
  inquireRefund(request: RefundRequest): Promise<RefundOutcome | PendingRefund | { kind: 'not_found' }>;
  /**
   * Returns what was taken and given back after a cursor, oldest first. Without a
   * cursor it returns none, and where the list ends now. Null if the processor stores nothing.
   */
  readonly movements: ((after: string | null) => Promise<Movements>) | null;
  /**
   * Returns the notices after a cursor, and waits up to half a minute for the first. Without a cursor it returns none,
   * and where they end now. `signal` ends the wait. Resolves to null if the processor service has no notices. Null if
   * the processor has none.
   */
  readonly notices: ((after: string | null, signal: AbortSignal) => Promise<Notices | null>) | null;
  /**
   * Returns whether the payer's bank still takes debits under a mandate, by the reference that they name. Resolves to
   * null if the processor does not tell. Left out by one that keeps no mandates.
   */
  readonly inquireMandate?: (billerId: Id<'biller'>, reference: string) => Promise<MandateState | null>;
  /** How cards are saved in its own fields. Absent if it has none; a processor service may have none too. */
  readonly setups?: CardSetups;
}

/** The processor of each mode. `live` is null when none is configured. */
export interface Processors {
  sandbox: PaymentProcessor;
  live: PaymentProcessor | null;
}
