import { type SealedColumn, sealedField } from '../../db/sealed-values.ts';
import { lockBiller } from '../../db/tenant.ts';
import { failPendingDeliveries } from '../../db/webhook-deliveries.ts';
import * as store from '../../db/webhook-endpoints.ts';
import { newId } from '../../domain/ids.ts';
import { addMs } from '../../domain/instants.ts';
import type { OutboundPolicy } from '../../platform/outbound-address.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { subscriptions } from '../../resources/event-catalogue.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { SecretRotation, WebhookEndpointCreate, WebhookEndpointUpdate } from '../../resources/webhook-endpoint.ts';
import { auditOrigin } from '../accounts/audit.ts';
import { type Vault, VaultError } from '../accounts/vault.ts';
import { assertNoErrors, InvalidState, orNotFound } from '../errors.ts';
import { type PageQuery, pageOf, type Rows } from '../paging.ts';
import { parsedUrl } from '../payer-urls.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { destinationError } from './destination.ts';
import { recordEndpointChange } from './endpoint-audit.ts';
import { newSigningSecret } from './signing.ts';

export interface WebhookDeps {
  vault: Vault;
  outbound: OutboundPolicy;
}

/** An endpoint with its new signing secret, which is shown only once. */
export type EndpointWithSecret = store.WebhookEndpointRow & { secret: string };

/** Every event causes one delivery per endpoint, so the number of endpoints is limited. */
const maxEndpoints = 16;

const hour = 3_600_000;

/**
 * Checks the URL and the event types of an endpoint. It resolves the host, which can take seconds with a slow name
 * server: do not call it inside a transaction.
 * @throws ValidationFailed if the destination or the event types cannot be used.
 */
export async function checkWebhookEndpoint(
  context: RequestContext,
  input: { url?: string | undefined; event_types?: string[] | undefined },
  outbound: OutboundPolicy,
): Promise<void> {
  const inUrl = input.url === undefined ? null : await destinationError(input.url, context.livemode, outbound);
  assertNoErrors([...(inUrl === null ? [] : [inUrl]), ...eventTypeErrors(input.event_types ?? [])]);
}

/**
 * Creates an endpoint whose input has passed `checkWebhookEndpoint`. Only this response contains its signing secret.
 * @throws InvalidState at the 17th endpoint.
 */
export async function createWebhookEndpoint(
  db: Writer,
  context: RequestContext,
  input: WebhookEndpointCreate,
  { vault }: Pick<WebhookDeps, 'vault'>,
): Promise<EndpointWithSecret> {
  const secret = newSigningSecret();
  return atomically(db, async (tx) => {
    await lockBiller(tx, context.billerId);
    if ((await store.countWebhookEndpoints(tx, context)) >= maxEndpoints) {
      throw new InvalidState(
        `There are ${maxEndpoints} webhook endpoints, the maximum. Delete one first.`,
        'webhook_endpoint_limit',
      );
    }
    const id = newId('webhook_endpoint');
    const row = await store.insertWebhookEndpoint(tx, context, {
      id,
      url: parsedUrl(input.url),
      event_types: input.event_types ?? ['*'],
      description: input.description ?? null,
      sealed_secret: vault.seal(secret, sealedField('webhook_secrets', context, id)),
      created_at: context.now,
    });
    await recordEndpointChange(tx, 'webhook_endpoint.created', [null, row], auditOrigin(context));
    return { ...row, secret };
  });
}

/**
 * Returns the endpoint.
 * @throws NotFound if this biller and mode have no such endpoint, or it was deleted.
 */
export async function getWebhookEndpoint(db: Db, tenant: Tenant, id: string): Promise<store.WebhookEndpointRow> {
  return orNotFound(await store.selectWebhookEndpoint(db, tenant, id), 'webhook endpoint', id);
}

/**
 * Returns a page of endpoints, newest first.
 * @throws BadRequest if the cursor is not the id of an endpoint.
 */
export async function listWebhookEndpoints(
  db: Db,
  tenant: Tenant,
  query: PageQuery,
): Promise<Rows<store.WebhookEndpointRow>> {
  const page = await pageOf(db, 'webhook_endpoints', tenant, query);
  return { rows: await store.listWebhookEndpoints(db, tenant, page), limit: page.limit };
}

/**
 * Changes an endpoint. Disabling it fails its pending deliveries. Enabling it does not send them; a replay does. With a
 * new URL, the endpoint must be verified again.
 * @throws NotFound; ValidationFailed if the destination or the event types cannot be used.
 */
export async function updateWebhookEndpoint(
  db: Writer,
  context: RequestContext,
  id: string,
  input: WebhookEndpointUpdate,
  { outbound }: Pick<WebhookDeps, 'outbound'>,
): Promise<store.WebhookEndpointRow> {
  await getWebhookEndpoint(db, context, id);
  await checkWebhookEndpoint(context, input, outbound);
  return atomically(db, async (tx) => {
    const before = await lockOrThrow(tx, context, id);
    const { status, ...changes } = input;
    const url = changes.url === undefined ? before.url : parsedUrl(changes.url);
    const moved = url !== parsedUrl(before.url);
    const row = await store.updateWebhookEndpoint(
      tx,
      id,
      {
        ...changes,
        url,
        ...(moved ? { failing_since: null, responds_promptly: false, verified_at: null } : {}),
        ...(status === undefined || status === before.status ? {} : switched(status)),
      },
      context.now,
    );
    if (row.status === 'disabled') await failPendingDeliveries(tx, id, 'endpoint disabled', context.now);
    await recordEndpointChange(tx, 'webhook_endpoint.updated', [before, row], auditOrigin(context));
    return row;
  });
}

/**
 * Deletes an endpoint. Nothing is sent to it, and its pending deliveries fail.
 * @throws NotFound
 */
export async function deleteWebhookEndpoint(db: Writer, context: RequestContext, id: string): Promise<void> {
  await atomically(db, async (tx) => {
    const before = await lockOrThrow(tx, context, id);
    await store.updateWebhookEndpoint(tx, id, { deleted_at: context.now }, context.now);
    await failPendingDeliveries(tx, id, 'endpoint deleted', context.now);
    await recordEndpointChange(tx, 'webhook_endpoint.deleted', [before, null], auditOrigin(context));
  });
}

/**
 * Gives an endpoint a new signing secret. Only this response contains it. The previous secret also signs for
 * `overlap_hours` (default 24). A secret still overlapping from an earlier rotation stops signing now.
 * @throws NotFound
 */
export async function rotateSecret(
  db: Writer,
  context: RequestContext,
  id: string,
  input: SecretRotation,
  { vault }: Pick<WebhookDeps, 'vault'>,
): Promise<EndpointWithSecret> {
  const secret = newSigningSecret();
  const overlapHours = input.overlap_hours ?? 24;
  return atomically(db, async (tx) => {
    const before = await lockOrThrow(tx, context, id);
    const previous = overlapHours === 0 ? null : sealedAsPrevious(vault, context, before);
    const changes = {
      sealed_secret: vault.seal(secret, sealedField('webhook_secrets', context, id)),
      sealed_previous_secret: previous,
      previous_secret_expires_at: previous === null ? null : addMs(context.now, overlapHours * hour),
    };
    const row = await store.updateWebhookEndpoint(tx, id, changes, context.now);
    await recordEndpointChange(tx, 'webhook_endpoint.secret_rotated', [before, row], auditOrigin(context));
    return { ...row, secret };
  });
}

/**
 * Returns the endpoint's current secret, sealed for the column of the previous one. Returns null if it cannot be
 * opened, since it cannot sign anything then.
 */
function sealedAsPrevious(
  vault: Vault,
  tenant: Tenant,
  { id, sealed_secret }: store.WebhookEndpointRow,
): Buffer | null {
  const fieldOf = (column: SealedColumn) => sealedField(column, tenant, id);
  try {
    return vault.seal(vault.open(sealed_secret, fieldOf('webhook_secrets')), fieldOf('previous_webhook_secrets'));
  } catch (error) {
    if (error instanceof VaultError) return null;
    throw error;
  }
}

async function lockOrThrow(tx: Tx, tenant: Tenant, id: string): Promise<store.WebhookEndpointRow> {
  return orNotFound(await store.lockWebhookEndpoint(tx, tenant, id), 'webhook endpoint', id);
}

function switched(status: 'enabled' | 'disabled') {
  return status === 'enabled'
    ? { status, disabled_reason: null, failing_since: null }
    : { status, disabled_reason: 'requested' as const, failing_since: null };
}

function eventTypeErrors(eventTypes: string[]): FieldError[] {
  return eventTypes.flatMap((type, index) => {
    const path = `/event_types/${index}`;
    if (!subscriptions.has(type)) {
      return fieldError(path, 'unknown_event_type', `${type} is not an event type, a group or "*".`);
    }
    if (eventTypes.indexOf(type) < index) return fieldError(path, 'duplicate', `${type} is listed twice.`);
    return [];
  });
}
