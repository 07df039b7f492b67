import { type AuditRow, listPersonsActions } from '../../db/audit-log.ts';
import type { AttemptedDelivery } from '../../db/webhook-deliveries.ts';
import type { WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { NotFound } from '../errors.ts';
import type { Tenant } from '../request-context.ts';
import { getWebhookDelivery, listWebhookDeliveries } from '../webhooks/deliveries.ts';
import { getWebhookEndpoint, listWebhookEndpoints } from '../webhooks/endpoints.ts';

/** A mode has at most 16 endpoints. */
const mostEndpoints = 16;
const shownOfEach = 20;

/** An endpoint with its newest deliveries by their status. */
export interface EndpointHealth {
  endpoint: WebhookEndpointRow;
  delivered: AttemptedDelivery | null;
  pending: AttemptedDelivery[];
  failed: AttemptedDelivery[];
}

/** Returns the endpoints with what became of their newest deliveries, as a key with these scopes may see them. */
export async function endpointHealth(db: Db, tenant: Tenant, scopes: readonly string[]): Promise<EndpointHealth[]> {
  const { rows } = await listWebhookEndpoints(db, tenant, { limit: mostEndpoints });
  return Promise.all(
    rows.slice(0, mostEndpoints).map(async (endpoint) => {
      const newest = async (status: 'delivered' | 'pending' | 'failed', limit: number) => {
        const { rows } = await listWebhookDeliveries(db, tenant, endpoint.id, { status, limit }, scopes);
        return rows.slice(0, limit);
      };
      const [[delivered = null], pending, failed] = await Promise.all([
        newest('delivered', 1),
        newest('pending', shownOfEach),
        newest('failed', shownOfEach),
      ]);
      return { endpoint, delivered, pending, failed };
    }),
  );
}

/** A delivery with its endpoint, unless that is deleted, and what people have done with it. */
export interface DeliveryDetails {
  delivery: AttemptedDelivery;
  endpoint: WebhookEndpointRow | null;
  done: AuditRow[];
}

/** @throws NotFound */
export async function getDeliveryDetails(
  db: Db,
  tenant: Tenant,
  id: string,
  scopes: readonly string[],
): Promise<DeliveryDetails> {
  const delivery = await getWebhookDelivery(db, tenant, id, scopes);
  const [endpoint, done] = await Promise.all([
    getWebhookEndpoint(db, tenant, delivery.endpoint_id).catch(orNull),
    listPersonsActions(db, tenant, [delivery.id]),
  ]);
  return { delivery, endpoint, done };
}

function orNull(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}
