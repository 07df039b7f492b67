import { timingSafeEqual } from 'node:crypto';
import { encodeBase62 } from '../../domain/base62.ts';
import { isId } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type RealInstant, realInstant } from '../../platform/real-time.ts';
import { type AuditEntry, recordAudit } from '../accounts/audit.ts';
import type { Vault } from '../accounts/vault.ts';

/** For how long a link opens the workbench. Milliseconds. */
export const linkLifetimeMs = 3_600_000;

/** 23 bytes: 184 bits, which 31 characters hold. */
const macBytes = 23;
const macLength = 31;
const tokenPattern = new RegExp(`^(key_[0-9A-Za-z]{32})_([0-9a-z]{1,8})_([0-9A-Za-z]{${macLength}})$`);

/** What a token in the address of the workbench is worth. */
export type LinkCheck = { is: 'valid' | 'expired'; keyId: string; endsAt: RealInstant } | { is: 'unknown' };

/**
 * Returns the token of a link that opens the account of a sandbox key, until one hour after `now`. It names the key, so
 * a revoked key opens nothing, and it does not show the key.
 */
export function signLink(vault: Vault, keyId: string, now: RealInstant): { token: string; expiresAt: RealInstant } {
  const seconds = Math.floor((now.getTime() + linkLifetimeMs) / 1000);
  const token = `${keyId}_${seconds.toString(36)}_${codesOf(vault, keyId, seconds)[0]}`;
  return { token, expiresAt: realInstant(seconds * 1000) };
}

/**
 * Makes a link that opens the account of a sandbox key until one hour after `origin.at`, and records in the audit log
 * who has made it.
 */
export async function createLink(
  db: Db,
  vault: Vault,
  keyId: string,
  origin: Pick<AuditEntry, 'by' | 'at' | 'tenant' | 'requestId'>,
): Promise<{ token: string; expiresAt: RealInstant }> {
  const link = signLink(vault, keyId, origin.at);
  const changes = { expires_at: { from: null, to: link.expiresAt.toISOString() } };
  await recordAudit(db, { action: 'workbench.link_created', ...origin, subjectId: keyId, changes });
  return link;
}

/** Checks a token at `now`. It asks no database, and does not know whether the key was revoked. */
export function checkLink(vault: Vault, token: string, now: RealInstant): LinkCheck {
  const [, keyId = '', end = '', code = ''] = tokenPattern.exec(token) ?? [];
  if (!isId('api_key', keyId)) return { is: 'unknown' };
  const seconds = Number.parseInt(end, 36);
  const given = Buffer.from(code);
  const isOurs = codesOf(vault, keyId, seconds).some((known) => timingSafeEqual(Buffer.from(known), given));
  if (!isOurs) return { is: 'unknown' };
  const endsAt = realInstant(seconds * 1000);
  return { is: now < endsAt ? 'valid' : 'expired', keyId, endsAt };
}

/** One code for each key of the vault, that of the first key first. */
function codesOf(vault: Vault, keyId: string, seconds: number): [string, ...string[]] {
  const [first, ...others] = vault.fingerprintsOf([`link to the workbench\n${keyId}\n${seconds}`]);
  return [codeOf(first), ...others.map(codeOf)];
}

function codeOf(digest: Buffer): string {
  return encodeBase62(BigInt(`0x${digest.subarray(0, macBytes).toString('hex')}`), macLength);
}
