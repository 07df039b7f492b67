import { type CredentialRow, listApiKeys } from '../../db/api-keys.ts';
import type { DashboardRole } from '../../domain/dashboard-roles.ts';
import type { Id } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Scope } from '../accounts/scopes.ts';
import { Forbidden } from '../errors.ts';

const ofViewer: readonly Scope[] = [
  'customers:read',
  'payment_methods:read',
  'mandates:read',
  'payment_intents:read',
  'payment_plans:read',
  'payment_links:read',
  'subscriptions:read',
  'events:read',
  'webhooks:read',
];
const ofSupport: readonly Scope[] = [
  'payment_intents:write',
  'payment_plans:write',
  'payment_links:write',
  'subscriptions:write',
  'webhooks:write',
];
const ofFinance: readonly Scope[] = ['payment_intents:write', 'subscriptions:write', 'balance:read', 'reports:read'];

const neededScopes: Readonly<Record<DashboardRole, readonly Scope[]>> = {
  viewer: ofViewer,
  support: [...ofViewer, ...ofSupport],
  finance: [...ofViewer, ...ofFinance],
  admin: [...new Set([...ofViewer, ...ofSupport, ...ofFinance])],
};

/**
 * Checks that a key may give this role: a person may do at most what the key may.
 * @throws Forbidden `insufficient_scope`, with the missing scopes in its message.
 */
export function assertMayGive(scopes: readonly string[], role: DashboardRole): void {
  const missing = missingFor(scopes, role);
  if (missing.length === 0) return;
  const message = `The role ${role} needs these scopes, which the key does not have: ${missing.join(', ')}.`;
  throw new Forbidden('insufficient_scope', message);
}

/** Whether a key with these scopes may give the role. */
export function mayGive(scopes: readonly string[], role: DashboardRole): boolean {
  return missingFor(scopes, role).length === 0;
}

function missingFor(scopes: readonly string[], role: DashboardRole): Scope[] {
  return neededScopes[role].filter((scope) => !scopes.includes(scope));
}

/** Returns the newest sandbox key of a biller that may give the role `admin`, or null. */
export async function newestKeyOf(
  db: Db,
  billerId: Id<'biller'>,
  now: RealInstant,
): Promise<Pick<CredentialRow, 'id'> | null> {
  const keys = (await listApiKeys(db, billerId)).filter(
    ({ livemode, kind, scopes, revoked_at: end }) =>
      !livemode && kind === 'secret' && (end === null || end > now) && mayGive(scopes, 'admin'),
  );
  return keys.at(-1) ?? null;
}
