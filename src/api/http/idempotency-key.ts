import type { ApiKeyKind } from '../../db/api-keys.ts';
import type { KeyUse } from '../../db/idempotency-keys.ts';
import { addMs } from '../../domain/instants.ts';
import { fieldError } from '../../resources/field-errors.ts';
import type { Vault } from '../../services/accounts/vault.ts';
import { BadParameters } from '../../services/errors.ts';
import type { RequestContext } from '../../services/request-context.ts';
import type { Context } from './context.ts';

const defaultTtlSeconds = 86_400;
const maxTtlSeconds: Record<ApiKeyKind, number> = { secret: 2_592_000, publishable: 86_400 };

/**
 * Reads how a request uses its Idempotency-Key. Returns null if it has none. `"abc"` and `abc` are the same key.
 * @throws BadParameters if the key is not 1 to 255 characters. Also if Idempotency-TTL is not a whole number of seconds
 *   from 1 to 2,592,000 (30 days), or to 86,400 (a day) with a publishable key.
 */
export function readKeyUse(ctx: Context, vault: Vault): KeyUse | null {
  const given = ctx.req.headers['idempotency-key'];
  const { context, key: caller, pageForm } = ctx.state;
  if (pageForm !== undefined && context !== undefined) {
    return keyUse(ctx, vault, { context, key: formKey(pageForm.key), ttl: defaultTtlSeconds });
  }
  const ttl = readTtl(ctx.req.headers['idempotency-ttl'], caller?.kind ?? 'secret');
  if (given === undefined || context === undefined || caller === undefined) return null;
  const key = unquote(String(given).trim());
  if (key.length < 1 || key.length > 255) {
    throw badHeader('Idempotency-Key', 'Idempotency-Key must be 1 to 255 characters.');
  }
  return keyUse(ctx, vault, { context, key: storedKey(key, caller.kind), ttl });
}

function keyUse(
  { method, url, state: { bytes } }: Context,
  vault: Vault,
  { context, key, ttl }: { context: RequestContext; key: string; ttl: number },
): KeyUse {
  const head = `${method} ${url}\n`;
  return {
    billerId: context.billerId,
    livemode: context.livemode,
    key,
    fingerprints: vault.fingerprintsOf(bytes ? [head, bytes] : [head]),
    fingerprintKey: vault.keyIds[0],
    createdAt: context.now,
    expiresAt: addMs(context.now, ttl * 1000),
  };
}

/**
 * Returns the key as it is stored and looked up. Publishable keys are public, so a request with one must not occupy or
 * read the idempotency keys of the biller's server. Their idempotency keys have a namespace of their own: 256 is added
 * to the first character. No header can contain such a character, because Node.js reads header values as Latin-1
 * (U+0000 to U+00FF). The mapping keeps keys distinct, and no longer than the column allows.
 */
function storedKey(key: string, kind: ApiKeyKind): string {
  return kind === 'secret' ? key : String.fromCharCode(key.charCodeAt(0) + 0x100) + key.slice(1);
}

/** The key of a form on a page: in a namespace of its own, for the same reason. */
function formKey(key: string): string {
  return String.fromCharCode(key.charCodeAt(0) + 0x200) + key.slice(1);
}

/** Removes the quotes of a structured header field's string (RFC 9651). Other text is returned unchanged. */
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

function badHeader(name: string, message: string): BadParameters {
  return new BadParameters([fieldError(`header/${name}`, 'invalid_value', message)], 'invalid_header');
}
