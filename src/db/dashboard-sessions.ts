import type { DashboardRole } from '../domain/dashboard-roles.ts';
import type { Id } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { CredentialRow } from './api-keys.ts';
import { credentials } from './api-keys.ts';
import { isAfter, type Page, type TenantKey } from './tenant.ts';

/** A row of `dashboard_sessions`. */
export interface DashboardSessionRow {
  id: Id<'dashboard_session'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  api_key_id: Id<'api_key'>;
  person: string;
  role: DashboardRole;
  url_hash: Buffer;
  url_expires_at: RealInstant;
  opened_at: RealInstant | null;
  cookie_hash: Buffer | null;
  expires_at: RealInstant;
  created_at: RealInstant;
}

/** A session with the key that it does at most what that may do. */
export interface SessionWithKey {
  session: DashboardSessionRow;
  key: CredentialRow;
}

/** Inserts a session whose URL was not used yet. */
export async function insertDashboardSession(
  db: Db,
  row: Omit<DashboardSessionRow, 'opened_at' | 'cookie_hash'>,
): Promise<DashboardSessionRow> {
  const [inserted] = await db<[DashboardSessionRow]>`insert into dashboard_sessions ${db(row)} returning *`;
  return inserted;
}

/** The sessions of a biller and mode, newest first. */
export async function listDashboardSessionRows(db: Db, tenant: TenantKey, page: Page): Promise<DashboardSessionRow[]> {
  return db<DashboardSessionRow[]>`
    select * from dashboard_sessions
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
      and ${isAfter(db, 'dashboard_sessions', tenant, page.after)}
    order by id desc limit ${page.limit + 1}`;
}

/**
 * Uses up a URL: its session gets this cookie. Null if the URL was used, has expired or opens nothing, and if the
 * session or its key has ended. Of two requests at once, one gets the session.
 */
export async function openDashboardSession(
  db: Db,
  { urlHash, cookieHash, now }: { urlHash: Buffer; cookieHash: Buffer; now: RealInstant },
): Promise<DashboardSessionRow | null> {
  const [row] = await db<DashboardSessionRow[]>`
    update dashboard_sessions set opened_at = ${now}, cookie_hash = ${cookieHash}
    where url_hash = ${urlHash} and opened_at is null and url_expires_at > ${now} and expires_at > ${now}
      and exists (
        select from api_keys where id = api_key_id and (revoked_at is null or revoked_at > ${now})
      )
    returning *`;
  return row ?? null;
}

/** Ends a session at `now`, unless it has ended. Null if this biller and mode has none of this id. */
export async function endDashboardSessionRow(
  db: Db,
  tenant: TenantKey,
  id: string,
  now: RealInstant,
): Promise<DashboardSessionRow | null> {
  const [row] = await db<DashboardSessionRow[]>`
    update dashboard_sessions set expires_at = least(expires_at, ${now})
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}
    returning *`;
  return row ?? null;
}

/** The session of a cookie with its key, if neither has ended at `now`. */
export async function selectSessionOfCookie(
  db: Db,
  cookieHash: Buffer,
  now: RealInstant,
): Promise<SessionWithKey | null> {
  const [session] = await db<DashboardSessionRow[]>`
    select * from dashboard_sessions where cookie_hash = ${cookieHash} and expires_at > ${now}`;
  if (session === undefined) return null;
  const [key] = await db<CredentialRow[]>`
    ${credentials(db)} where api_keys.id = ${session.api_key_id} and (revoked_at is null or revoked_at > ${now})`;
  return key === undefined ? null : { session, key };
}

/** Deletes the sessions that had ended 30 days before `now`. Returns their number. */
export async function sweepDashboardSessions(db: Db, now: RealInstant): Promise<number> {
  const { count } =
    await db`delete from dashboard_sessions where expires_at < ${now}::timestamptz - interval '30 days'`;
  return count;
}
