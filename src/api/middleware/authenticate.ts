import { timingSafeEqual } from 'node:crypto';
import { type CredentialRow, selectCredential } from '../../db/api-keys.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { hashKey, isKeyShaped } from '../../services/accounts/api-keys.ts';
import { Forbidden, Unauthenticated } from '../../services/errors.ts';
import { contextOf } from '../../services/request-context.ts';
import { cached } from '../http/cache.ts';
import { connectionOf } from '../http/client-address.ts';
import type { Middleware } from '../http/context.ts';
import type { Access, KeyIdentity, Route } from '../http/route.ts';

const cachedAtMost = 10_000;

type Find = (hash: Buffer) => Promise<CredentialRow | null>;

/**
 * Returns a function that looks up a credential by the key's SHA-256 and caches it. Concurrent requests share
 * one query. Misses are not cached, so a new key works at once.
 */
export function credentialFinder(sql: Db, cachedForMs: number): Find {
  const find = cached(
    { ms: cachedForMs, max: cachedAtMost, isKept: (row: CredentialRow | null) => row !== null },
    (name: string) => selectCredential(sql, Buffer.from(name, 'base64')),
  );
  return (hash) => find(hash.toString('base64'));
}

/**
 * Identifies the request's API key, and sets `key` and `context` in the state. A missing or invalid key is 401.
 * `authorize` checks what the key may do.
 */
export function authenticate(route: Route, find: Find, trustedProxies: readonly string[] = []): Middleware {
  if (route.access === 'public') return (_ctx, next) => next();
  return async (ctx, next) => {
    const now = realNow();
    const credential = await identify(ctx.get('Authorization'), find, now);
    const { id, kind, scopes } = credential;
    ctx.state.key = { id, kind, scopes, setsDefaults: scopes.includes('customers:write') };
    const connection = kind === 'publishable' ? connectionOf(ctx.req, trustedProxies) : null;
    ctx.state.context = contextOf(credential, ctx.state.requestId, now, connection);
    return next();
  };
}

/**
 * The lookup's timing can only reveal how much of a stored SHA-256 matches. That does not help an attacker, who cannot
 * choose a key by its hash. The hash is still compared in constant time.
 */
async function identify(header: string, find: Find, now: RealInstant): Promise<CredentialRow> {
  if (header === '') throw new Unauthenticated('No API key was given. Send it as "Authorization: Bearer <key>".');
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (key === undefined) throw new Unauthenticated('The Authorization header must read "Bearer <key>".');
  const hash = hashKey(key);
  const row = isKeyShaped(key) ? await find(hash) : null;
  if (row === null || !timingSafeEqual(row.hash, hash) || (row.revoked_at !== null && row.revoked_at <= now)) {
    throw new Unauthenticated('The API key is unknown or revoked.');
  }
  return row;
}

/**
 * Checks that the key may use the route. Refuses, in this order: a publishable key (403 `secret_key_required`), a live
 * key on a sandbox route (403 `sandbox_only`), a missing scope (403 `insufficient_scope`).
 */
export function authorize({ access }: Route): Middleware {
  if (access === 'public') return (_ctx, next) => next();
  return (ctx, next) => {
    const { key, context } = ctx.state;
    if (key === undefined || context === undefined) throw new Error('authorize runs before authenticate');
    assertAllowed(access, key, context.livemode);
    return next();
  };
}

/** Checks the scopes that follow from the input of the request, as the route declares: see `assertScopes` there. */
export function authorizeInput(route: Route, db: Db): Middleware {
  if (route.assertScopes === undefined) return (_ctx, next) => next();
  return async (ctx, next) => {
    const { key, context, params, body } = ctx.state;
    if (key === undefined || context === undefined) throw new Error('authorizeInput runs before authenticate');
    await route.assertScopes?.(key.scopes, { params, body, context, db });
    return next();
  };
}

/**
 * Checks that a key may use a route of this access. For the errors see `authorize`.
 * @throws Forbidden
 */
export function assertAllowed(
  access: Exclude<Access, 'public'>,
  { kind, scopes }: KeyIdentity,
  livemode: boolean,
): void {
  if (kind === 'publishable' && !access.publishable) {
    throw new Forbidden('secret_key_required', 'A publishable key may not do this. Use a secret key, from a server.');
  }
  if (livemode && access.sandboxOnly) {
    throw new Forbidden('sandbox_only', 'This is available in the sandbox only. Use a sandbox key.');
  }
  if (kind === 'secret' && !scopes.includes(access.scope)) {
    throw new Forbidden('insufficient_scope', `This needs the scope ${access.scope}, which the key does not have.`);
  }
}
