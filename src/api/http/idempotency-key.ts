import type { ApiKeyKind } from '../../db/api-keys.ts';
import type { KeyUse } from '../../db/idempotency-keys.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import { BadRequest } from '../../services/errors.ts';
import type { Context } from './context.ts';

const defaultTtlSeconds = 86_400;
const maxTtlSeconds: Record<ApiKeyKind, number> = { secret: 2_592_000, publishable: 86_400 };

/**
 * The use that a request makes of its Idempotency-Key, or null without one. `"abc"` and `abc` are the same key.
 * @throws BadRequest for a key that is not 1 to 255 characters, or an Idempotency-TTL that is not whole seconds from 1 to
 *   2,592,000 (30 days), or 86,400 (a day) with a publishable key.
 */
export function readKeyUse(ctx: Context, vault: Vault): KeyUse | null {
  const given = ctx.req.headers['idempotency-key'];
  const { call, key: caller, bytes } = ctx.state;
  const ttl = readTtl(ctx.req.headers['idempotency-ttl'], caller?.kind ?? 'secret');
  if (given === undefined || call === undefined || caller === undefined) return null;
  const key = unquote(String(given).trim());
  if (key.length < 1 || key.length > 255) {
    throw badHeader('Idempotency-Key', 'Idempotency-Key must be 1 to 255 characters.');
  }
  // The kind of API key too: a row of a former version may be of either kind, and is not to be read by the other.
  const head = `${caller.kind} ${ctx.method} ${ctx.url}\n`;
  return {
    billerId: call.billerId,
    livemode: call.livemode,
    key: storedKey(key, caller.kind),
    fingerprints: vault.fingerprintsOf(bytes ? [head, bytes] : [head]),
    fingerprintKey: vault.keyIds[0],
    createdAt: call.now,
    expiresAt: new Date(call.now.getTime() + ttl * 1000),
  };
}

/**
 * The key as it is stored and looked up, everywhere. Strangers have publishable keys, so that what they send must neither
 * occupy nor read what the biller's server sends. Their keys are a space of their own: the first character is moved up by
 * 256, which no header can spell, because Node.js reads header values as Latin-1 (U+0000 to U+00FF). Different keys stay
 * different, and none grows longer than the column takes.
 */
function storedKey(key: string, kind: ApiKeyKind): string {
  return kind === 'secret' ? key : String.fromCharCode(key.charCodeAt(0) + 0x100) + key.slice(1);
}

/** The string that a structured header field (RFC 9651) puts in quotes; anything else is taken as it stands. */
function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  return quoted === undefined ? text : quoted.replace(/\\(["\\])/g, '$1');
}

function readTtl(header: string | string[] | undefined, kind: ApiKeyKind): number {
  if (header === undefined) return defaultTtlSeconds;
  const text = String(header).trim();
  const seconds = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0;
  const most = maxTtlSeconds[kind];
  if (seconds >= 1 && seconds <= most) return seconds;
  const range = kind === 'secret' ? `1 to ${most}` : `1 to ${most} with a publishable key`;
  throw badHeader('Idempotency-TTL', `Idempotency-TTL must be whole seconds from ${range}.`);
}

function badHeader(name: string, message: string): BadRequest {
  const path = `header/${name}`;
  return new BadRequest(message, 'invalid_header', [{ code: 'invalid_value', message, path }]);
}
