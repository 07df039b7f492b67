import { createHash } from 'node:crypto';
import {
  type DashboardSessionRow,
  endDashboardSessionRow,
  insertDashboardSession,
  listDashboardSessionRows,
  openDashboardSession,
  type SessionWithKey,
  selectSessionOfCookie,
} from '../../db/dashboard-sessions.ts';
import { tenantOf } from '../../db/tenant.ts';
import { randomBase62 } from '../../domain/base62.ts';
import type { DashboardRole } from '../../domain/dashboard-roles.ts';
import { type Id, newId } from '../../domain/ids.ts';
import { addMs } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type AuditEntry, auditOrigin, recordAudit } from '../accounts/audit.ts';
import { orNotFound } from '../errors.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { mayGive } from './access.ts';

const defaultSeconds = 3_600;
/** For how long the URL of a session can be used. Milliseconds (capabilities: dashboard, settled point 1). */
const urlLifetimeMs = 300_000;
/** 43 base62 characters hold 256 bits. That is too much to guess, so one fast SHA-256 protects the token. */
const tokenLength = 43;
const tokenPattern = new RegExp(`^[0-9A-Za-z]{${tokenLength}}$`);

export interface NewSession {
  person: string;
  role: DashboardRole;
  /** Seconds, 3,600 if not given. */
  expires_in?: number | undefined;
}

/** Who makes a session, for whose account, with which key. */
export interface SessionOrigin extends Pick<AuditEntry, 'by' | 'requestId'> {
  tenant: Tenant;
  at: RealInstant;
  keyId: Id<'api_key'>;
}

/** A token that opens something, and what the database has of it. */
interface Token {
  text: string;
  hash: Buffer;
}

/**
 * Makes a session of the key of a request. The caller has checked that the key may give the role. `token` goes into its
 * URL; it is not stored.
 */
export async function createDashboardSession(
  db: Db,
  context: RequestContext,
  input: NewSession,
): Promise<{ session: DashboardSessionRow; token: string }> {
  const { by, requestId } = auditOrigin(context);
  const { billerId, livemode, keyId, now } = context;
  const origin = { by, requestId, tenant: { billerId, livemode }, at: now, keyId: keyId as Id<'api_key'> };
  return makeSession(db, origin, input);
}

/** Makes a session without a request. For `now` and errors see `createDashboardSession`. */
export async function makeSession(db: Db, { by, requestId, tenant, at, keyId }: SessionOrigin, input: NewSession) {
  const { person, role, expires_in: seconds = defaultSeconds } = input;
  const { text: token, hash } = newToken();
  return atomically(db, async (tx) => {
    const session = await insertDashboardSession(tx, {
      id: newId('dashboard_session'),
      biller_id: tenant.billerId,
      livemode: tenant.livemode,
      api_key_id: keyId,
      person,
      role,
      url_hash: hash,
      url_expires_at: addMs(at, urlLifetimeMs),
      expires_at: addMs(at, seconds * 1000),
      created_at: at,
    });
    const changes = { person: { from: null, to: person }, role: { from: null, to: role } };
    const entry = { action: 'dashboard_session.created', by, at, tenant, subjectId: session.id, changes } as const;
    await recordAudit(tx, requestId === undefined ? entry : { ...entry, requestId });
    return { session, token };
  });
}

/** Returns a page of the sessions, newest first. */
export async function listDashboardSessions(
  db: Db,
  tenant: Tenant,
  query: PageQuery,
): Promise<Rows<DashboardSessionRow>> {
  return rowsOfPage(db, 'dashboard_sessions', tenant, query, (page) => listDashboardSessionRows(db, tenant, page));
}

/**
 * Ends a session at once. Ending it again changes nothing.
 * @throws NotFound
 */
export async function endDashboardSession(
  db: Db,
  { tenant, by, at, requestId }: Pick<AuditEntry, 'by' | 'requestId'> & { tenant: Tenant; at: RealInstant },
  id: string,
): Promise<DashboardSessionRow> {
  return atomically(db, async (tx) => {
    const session = orNotFound(await endDashboardSessionRow(tx, tenant, id, at), 'dashboard session', id);
    if (session.expires_at.getTime() === at.getTime()) {
      const changes = { expires_at: { from: null, to: at.toISOString() } };
      const entry = { action: 'dashboard_session.ended', by, at, tenant, subjectId: session.id, changes } as const;
      await recordAudit(tx, requestId === undefined ? entry : { ...entry, requestId });
    }
    return session;
  });
}

/**
 * Uses up the URL of a session. Returns the session with the value of its cookie, which is not stored. Null if the
 * token opens nothing (any more). Of two requests at once, one gets the session.
 */
export async function useSessionUrl(
  db: Db,
  token: string,
  { now, requestId }: { now: RealInstant; requestId: string },
): Promise<{ session: DashboardSessionRow; cookie: string } | null> {
  if (!tokenPattern.test(token)) return null;
  const cookie = newToken();
  return atomically(db, async (tx) => {
    const session = await openDashboardSession(tx, { urlHash: hashOf(token), cookieHash: cookie.hash, now });
    if (session === null) return null;
    await recordAudit(tx, {
      action: 'dashboard_session.opened',
      by: { kind: 'person', id: session.person },
      at: now,
      tenant: tenantOf(session),
      subjectId: session.id,
      requestId,
      changes: { opened_at: { from: null, to: now.toISOString() } },
    });
    return { session, cookie: cookie.text };
  });
}

/** Whether a cookie can be that of a session. Does not check whether there is one. */
export function isCookieShaped(cookie: string): boolean {
  return tokenPattern.test(cookie);
}

/**
 * Returns the session of a cookie with its key. Null if it has ended or its key has, and if the key no longer has the
 * scopes that the role needs.
 */
export async function sessionOfCookie(db: Db, cookie: string, now: RealInstant): Promise<SessionWithKey | null> {
  if (!isCookieShaped(cookie)) return null;
  const found = await selectSessionOfCookie(db, hashOf(cookie), now);
  return found !== null && mayGive(found.key.scopes, found.session.role) ? found : null;
}

function newToken(): Token {
  const text = randomBase62(tokenLength);
  return { text, hash: hashOf(text) };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
