import type { KeyUse } from '../db/idempotency-keys.ts';
import { BadRequest } from '../services/errors.ts';
import type { Vault } from '../services/vault.ts';
import type { Context } from './context.ts';

const defaultTtlSeconds = 86_400;
const maxTtlSeconds = 2_592_000;

/**
 * The use that a request makes of its Idempotency-Key, or null without one. `"abc"` and `abc` are the same key.
 * @throws BadRequest for a key that is not 1 to 255 characters, or an Idempotency-TTL that is not whole seconds from 1 to
 *   2,592,000 (30 days).
 */
export function readKeyUse(ctx: Context, vault: Vault): KeyUse | null {
  const given = ctx.req.headers['idempotency-key'];
  const ttl = readTtl(ctx.req.headers['idempotency-ttl']);
  const { call, key: caller, bytes } = ctx.state;
  if (given === undefined || call === undefined || caller === undefined) return null;
  const key = unquote(String(given).trim());
  if (key.length < 1 || key.length > 255) {
    throw badHeader('Idempotency-Key', 'Idempotency-Key must be 1 to 255 characters.');
  }
  // The kind of API key too: a publishable key must not be shown an answer that was given to a secret one.
  const head = `${caller.kind} ${ctx.method} ${ctx.url}\n`;
  return {
    billerId: call.billerId,
    livemode: call.livemode,
    key,
    fingerprints: vault.fingerprintsOf(bytes ? [head, bytes] : [head]),
    fingerprintKey: vault.keyIds[0],
    createdAt: call.now,
    expiresAt: new Date(call.now.getTime() + ttl * 1000),
  };
}

/** The string that a structured header field (RFC 9651) puts in quotes; anything else is taken as it stands. */
function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  return quoted === undefined ? text : quoted.replace(/\\(["\\])/g, '$1');
}

function readTtl(header: string | string[] | undefined): number {
  if (header === undefined) return defaultTtlSeconds;
  const text = String(header).trim();
  const seconds = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= maxTtlSeconds) return seconds;
  throw badHeader('Idempotency-TTL', `Idempotency-TTL must be whole seconds from 1 to ${maxTtlSeconds}.`);
}

function badHeader(name: string, message: string): BadRequest {
  const path = `header/${name}`;
  return new BadRequest(message, 'invalid_header', [{ code: 'invalid_value', message, path }]);
}
