// Cards that are saved in a processor's own fields: no number of a card reaches us.

import type { Id } from '../domain/ids.ts';

/** A request to save a card in the processor's own fields, on a page of ours. No number of a card reaches us. */
interface SetupRequest {
  /** For a session of a page. Under it, the processor returns the same setup for at least 24 hours. */
  idempotencyKey: string;
  billerId: Id<'biller'>;
}

/** A setup that waits for the payer. All of it but the reference is for the payer's browser. */
export interface Setup {
  /** The processor's own id of the setup. Only this, once committed, leads to the token. */
  reference: string;
  clientSecret: string;
  publishableKey: string;
  /** The script of the processor's fields: https, or this machine. Not yet one that a page may load. */
  scriptUrl: URL;
}

/**
 * What a processor knows about a setup.
 * - `failed`: the last card was refused. The payer may try another one in the same setup.
 * - `canceled`: it saves no card any more.
 */
export type SetupState = { kind: 'succeeded'; token: string } | { kind: 'open' | 'failed' | 'canceled' };

/** A card as the processor knows it. What it does not tell is null. */
export interface CardDetails {
  brand: string | null;
  network: string | null;
  funding: 'credit' | 'debit' | 'prepaid' | null;
  lastFour: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** ISO 3166-1, two letters. */
  country: string | null;
  /** The same for the same card number of an account. */
  fingerprint: string | null;
}

/** How cards are saved in the fields of a processor. All throw `OutcomeUnknown`. */
export interface CardSetups {
  /** Begins a setup: one under a key. Returns null if the processor has no fields for the account. */
  create(request: SetupRequest): Promise<Setup | null>;
  /** Returns the state of a setup. Changes nothing. */
  inquire(billerId: Id<'biller'>, reference: string): Promise<SetupState>;
  /** Returns the card of a token; null if the processor does not tell, or if the account has no such token. */
  describe(billerId: Id<'biller'>, token: string): Promise<CardDetails | null>;
}
