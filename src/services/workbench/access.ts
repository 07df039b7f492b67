import { type CredentialRow, listApiKeys, selectCredentialOfKey } from '../../db/api-keys.ts';
import type { Id } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { allScopes } from '../accounts/scopes.ts';
import { Forbidden } from '../errors.ts';

/** The workbench shows everything of an account, moves its clocks, and sends webhooks again. */
const writing: readonly string[] = ['test_clocks:write', 'webhooks:write'];
const neededScopes = allScopes.filter((scope) => scope.endsWith(':read') || writing.includes(scope));

/**
 * Checks that a key may open the workbench.
 * @throws Forbidden `insufficient_scope`, with the missing scopes in its message.
 */
export function assertMayOpen(scopes: readonly string[]): void {
  const missing = neededScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw new Forbidden(
    'insufficient_scope',
    `The workbench needs these scopes, which the key does not have: ${missing}.`,
  );
}

/**
 * Returns the key of a link with its biller, or null if it opens nothing: it was revoked. A key of live mode and a
 * publishable key open nothing at all.
 */
export async function keyOfLink(db: Db, keyId: string, now: RealInstant): Promise<CredentialRow | null> {
  const key = await selectCredentialOfKey(db, keyId);
  return key !== null && !key.livemode && isUsable(key, now) ? key : null;
}

/** Returns the id of the newest sandbox key of a biller that may open the workbench, or null. */
export async function newestKeyOf(db: Db, billerId: Id<'biller'>, now: RealInstant): Promise<string | null> {
  const keys = (await listApiKeys(db, billerId)).filter((key) => !key.livemode && isUsable(key, now));
  return keys.at(-1)?.id ?? null;
}

function isUsable(
  { kind, scopes, revoked_at }: Pick<CredentialRow, 'kind' | 'scopes' | 'revoked_at'>,
  now: RealInstant,
) {
  const isInForce = revoked_at === null || revoked_at > now;
  return isInForce && kind === 'secret' && neededScopes.every((scope) => scopes.includes(scope));
}
