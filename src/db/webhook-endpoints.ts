import type { Id } from '../domain/ids.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { Page, TenantKey } from './tenant.ts';

export type DisabledReason = 'requested' | 'gone' | 'failing';

export interface WebhookEndpointRow {
  id: Id<'webhook_endpoint'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  url: string;
  event_types: string[];
  description: string | null;
  status: 'enabled' | 'disabled';
  disabled_reason: DisabledReason | null;
  sealed_secret: Buffer;
  sealed_previous_secret: Buffer | null;
  previous_secret_expires_at: RealInstant | null;
  failing_since: RealInstant | null;
  /** Whether the last request was answered within a second. Only then deliveries travel together. */
  responds_promptly: boolean;
  /** When the receiver at this URL first returned the challenge of a ping. */
  verified_at: RealInstant | null;
  created_at: RealInstant;
  updated_at: RealInstant;
  deleted_at: RealInstant | null;
}

/** Stores a new endpoint, enabled. */
export async function insertWebhookEndpoint(
  db: Db,
  tenant: TenantKey,
  row: Pick<WebhookEndpointRow, 'id' | 'url' | 'event_types' | 'description' | 'sealed_secret' | 'created_at'>,
): Promise<WebhookEndpointRow> {
  const { billerId: biller_id, livemode } = tenant;
  const columns = { ...row, biller_id, livemode, status: 'enabled', updated_at: row.created_at };
  const [inserted] = await db<[WebhookEndpointRow]>`insert into webhook_endpoints ${db(columns)} returning *`;
  return inserted;
}

/** The endpoint of this biller and mode, or null. Deleted endpoints are not found. */
export async function selectWebhookEndpoint(db: Db, tenant: TenantKey, id: string): Promise<WebhookEndpointRow | null> {
  const [row] = await db<WebhookEndpointRow[]>`
    select * from webhook_endpoints
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and deleted_at is null`;
  return row ?? null;
}

/** What an endpoint of this biller and mode subscribes to, or null. Deleted endpoints are found too. */
export async function selectEventTypes(db: Db, tenant: TenantKey, id: string): Promise<string[] | null> {
  const [row] = await db<{ event_types: string[] }[]>`
    select event_types from webhook_endpoints
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode}`;
  return row?.event_types ?? null;
}

/**
 * As `selectWebhookEndpoint`, and locks the endpoint for update until the transaction ends. A transaction that also
 * locks deliveries locks the endpoint first.
 */
export async function lockWebhookEndpoint(tx: Tx, tenant: TenantKey, id: string): Promise<WebhookEndpointRow | null> {
  const [row] = await tx<WebhookEndpointRow[]>`
    select * from webhook_endpoints
    where id = ${id} and biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and deleted_at is null
    for no key update`;
  return row ?? null;
}

/** As `lockWebhookEndpoint`, for an endpoint of any biller. Only for operators. */
export async function lockEndpointOfAnyBiller(tx: Tx, id: string): Promise<WebhookEndpointRow | null> {
  const [row] = await tx<WebhookEndpointRow[]>`
    select * from webhook_endpoints where id = ${id} and deleted_at is null for no key update`;
  return row ?? null;
}

/** A page of endpoints that are not deleted, newest first, with one extra row if more follow. */
export async function listWebhookEndpoints(
  db: Db,
  tenant: TenantKey,
  { limit, after }: Page,
): Promise<WebhookEndpointRow[]> {
  return db<WebhookEndpointRow[]>`
    select * from webhook_endpoints
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and deleted_at is null
      ${after === undefined ? db`` : db`and id < ${after}`}
    order by id desc
    limit ${limit + 1}`;
}

/** Counts the endpoints of this biller and mode that are not deleted. */
export async function countWebhookEndpoints(tx: Tx, tenant: TenantKey): Promise<number> {
  const [row] = await tx<[{ count: number }]>`
    select count(*)::integer as count from webhook_endpoints
    where biller_id = ${tenant.billerId} and livemode = ${tenant.livemode} and deleted_at is null`;
  return row.count;
}

type WebhookEndpointChange = Partial<
  Omit<WebhookEndpointRow, 'id' | 'biller_id' | 'livemode' | 'created_at' | 'updated_at'>
>;

/** Changes the given columns of an endpoint. */
export async function updateWebhookEndpoint(
  tx: Tx,
  id: string,
  changes: WebhookEndpointChange,
  now: RealInstant,
): Promise<WebhookEndpointRow> {
  const [row] = await tx<[WebhookEndpointRow]>`
    update webhook_endpoints set ${tx({ ...changes, updated_at: now })} where id = ${id} returning *`;
  return row;
}

/**
 * Records how an endpoint responds at this URL: when it started to fail (null: it no longer fails), and whether it
 * responds promptly (null: as before). A run of failures keeps the instant of its first failure. If the endpoint has
 * another URL by now, nothing changes.
 */
export async function updateResponding(
  db: Db,
  { id, url }: Pick<WebhookEndpointRow, 'id' | 'url'>,
  { failingSince, isPrompt }: { failingSince: RealInstant | null; isPrompt: boolean | null },
): Promise<void> {
  const prompt = db`coalesce(${isPrompt}, responds_promptly)`;
  await db`
    update webhook_endpoints
    set failing_since = case when ${failingSince !== null} then coalesce(failing_since, ${failingSince}) end,
      responds_promptly = ${prompt}
    where id = ${id} and url = ${url}
      and ((failing_since is null) = ${failingSince !== null} or responds_promptly <> ${prompt})`;
}

/** Records that an endpoint does not respond promptly, so that its deliveries go one by one. */
export async function noteSlow(db: Db, id: string): Promise<void> {
  await db`update webhook_endpoints set responds_promptly = false where id = ${id} and responds_promptly`;
}

/**
 * Records that the receiver at this URL has returned the challenge of a ping, and returns the endpoint. Returns null if
 * the endpoint is already verified, or has another URL by now.
 */
export async function updateVerifiedAt(
  db: Db,
  { id, url }: Pick<WebhookEndpointRow, 'id' | 'url'>,
  now: RealInstant,
): Promise<WebhookEndpointRow | null> {
  const [row] = await db<WebhookEndpointRow[]>`
    update webhook_endpoints set verified_at = ${now}, updated_at = ${now}
    where id = ${id} and url = ${url} and verified_at is null and deleted_at is null
    returning *`;
  return row ?? null;
}
