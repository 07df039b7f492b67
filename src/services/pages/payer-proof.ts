import { timingSafeEqual } from 'node:crypto';
import type { Vault } from '../accounts/vault.ts';

/**
 * Returns what the redirect after a payment carries: it proves that this browser has made the submission of this number
 * in a session. Others who have the session's URL see nothing of that payment.
 */
export function signPayer(vault: Vault, sessionToken: string, submissions: number): string {
  return codesOf(vault, sessionToken, submissions)[0].toString('base64url');
}

/** Whether `proof` is of the payer of this submission. */
export function isPayer(vault: Vault, sessionToken: string, submissions: number, proof: string): boolean {
  const given = Buffer.from(proof, 'base64url');
  const known = codesOf(vault, sessionToken, submissions);
  return known.some((code) => code.length === given.length && timingSafeEqual(code, given));
}

function codesOf(vault: Vault, sessionToken: string, submissions: number): [Buffer, ...Buffer[]] {
  return vault.fingerprintsOf([`payer of a session\n${sessionToken}\n${submissions}`]);
}
