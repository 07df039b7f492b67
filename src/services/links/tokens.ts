import { createHash } from 'node:crypto';
import { sealedField } from '../../db/sealed-values.ts';
import { randomBase62 } from '../../domain/base62.ts';
import type { Id } from '../../domain/ids.ts';
import type { Vault } from '../accounts/vault.ts';
import type { Tenant } from '../request-context.ts';

/** 190 bits: a URL cannot be guessed. */
const tokenLength = 32;

type TokenField = 'payment_link_tokens' | 'checkout_session_tokens';

/** Returns the SHA-256 by which a token is looked up. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Returns a new token of this row, as its columns and as the text for the URL. */
export function newToken(vault: Vault, field: TokenField, tenant: Tenant, id: string) {
  const token = randomBase62(tokenLength);
  const columns = { token_hash: hashOfToken(token), sealed_token: vault.seal(token, sealedField(field, tenant, id)) };
  return { token, columns };
}

/** Returns the token of a row. @throws VaultError if no key of the vault opens it. */
export function tokenOf(
  vault: Vault,
  field: TokenField,
  {
    id,
    biller_id,
    livemode,
    sealed_token,
  }: { id: string; biller_id: Id<'biller'>; livemode: boolean; sealed_token: Buffer },
): string {
  return vault.open(sealed_token, sealedField(field, { billerId: biller_id, livemode }, id));
}
