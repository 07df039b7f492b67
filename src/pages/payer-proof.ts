import type { Vault } from '../services/accounts/vault.ts';
import { signPayer } from '../services/pages/payer-proof.ts';
import type { Visit } from './visit.ts';

/** The parameter, and the field, by which the pages of a session know the payer who has just paid. */
export const proofName = 'payer';

/** Returns the query that proves who has made the submission of this number. */
export function withProof(vault: Vault, sessionToken: string, submissions: number): string {
  return `?${proofName}=${signPayer(vault, sessionToken, submissions)}`;
}

/** Returns the query with the proof that this visit has brought, to be passed on, or nothing. */
export function proofOf({ query, form }: Pick<Visit, 'query' | 'form'>): string {
  const proof = form.get(proofName) ?? query.get(proofName) ?? '';
  return /^[\w-]{43}$/.test(proof) ? `?${proofName}=${proof}` : '';
}
