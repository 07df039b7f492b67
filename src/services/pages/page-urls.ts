import { timingSafeEqual } from 'node:crypto';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { encodeBase62 } from '../../domain/base62.ts';
import type { Vault } from '../accounts/vault.ts';

/** What the URL of a payment opens. */
export type PaymentPage = 'challenge' | 'receipt';

/** The URLs of the pages for payers that belong to a payment. */
export interface PageUrls {
  /** The page of the payment. It works as long as the first encryption key is configured. */
  of(page: PaymentPage, intentId: string): string;
}

/** 23 bytes: 184 bits, which 31 characters hold. */
const macBytes = 23;
const macLength = 31;
const tokenPattern = new RegExp(`^(pi_(?:sandbox_)?[0-9A-Za-z]{32})_([0-9A-Za-z]{${macLength}})$`);

/** Makes the URLs on the pages' public origin, such as `https://pay.example.com`. */
export function createPageUrls(publicUrl: string, vault: Vault): PageUrls {
  return { of: (page, intentId) => `${publicUrl}/${page}/${pageTokenOf(vault, page, intentId)}` };
}

/** Returns the URL of a payment's receipt, or null if no money was taken. Anyone who has the URL can read it. */
export function receiptUrlOf(
  pageUrls: PageUrls,
  { id, status }: Pick<PaymentIntentRow, 'id' | 'status'>,
): string | null {
  return status === 'succeeded' || status === 'returned' ? pageUrls.of('receipt', id) : null;
}

/**
 * Returns the token in the URL of a payment's page: the payment's id, and a code over page and id that only a holder of
 * the encryption key can make.
 */
export function pageTokenOf(vault: Vault, page: PaymentPage, intentId: string): string {
  return `${intentId}_${codesOf(vault, page, intentId)[0]}`;
}

/** Returns the id of the payment that this token opens on this page, or null. It asks no database. */
export function intentIdOf(vault: Vault, page: PaymentPage, token: string): string | null {
  const [, id, code] = tokenPattern.exec(token) ?? [];
  if (id === undefined || code === undefined) return null;
  const given = Buffer.from(code);
  return codesOf(vault, page, id).some((known) => timingSafeEqual(Buffer.from(known), given)) ? id : null;
}

/** One code for each key of the vault, that of the first key first. */
function codesOf(vault: Vault, page: PaymentPage, intentId: string): [string, ...string[]] {
  const [first, ...others] = vault.fingerprintsOf([`page of a payment\n${page}\n${intentId}`]);
  return [codeOf(first), ...others.map(codeOf)];
}

function codeOf(digest: Buffer): string {
  return encodeBase62(BigInt(`0x${digest.subarray(0, macBytes).toString('hex')}`), macLength);
}
