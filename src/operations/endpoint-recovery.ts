import { lockEndpointOfAnyBiller, updateWebhookEndpoint, type WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import { replayDeliveries } from '../db/webhook-redeliveries.ts';
import { addMs } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { type ChangeOrigin, recordAudit } from '../services/accounts/audit.ts';
import { InvalidState, orNotFound } from '../services/errors.ts';
import { assertVerified } from '../services/webhooks/challenge.ts';
import { recordEndpointChange } from '../services/webhooks/endpoint-audit.ts';

/** Days. Longer than any endpoint fails before it is disabled and reported as such. */
const replayedDays = 36;
/** Limit of one transaction, and of one burst on a receiver. */
const maxReplayed = 10_000;

/** How many deliveries are made again, and whether more remain than fit into one burst. */
export interface Replayed {
  deliveries: number;
  hasMore: boolean;
}

/**
 * Sends again, now, what an endpoint has not received. Returns the number of deliveries. Safe to repeat: deliveries
 * that arrived meanwhile are left out. Operators have no replay budget.
 * @throws NotFound; InvalidState when the endpoint is disabled, or live and not verified.
 */
export async function replayByOperator(db: Db, endpointId: string, origin: ChangeOrigin): Promise<Replayed> {
  return atomically(db, async (tx) => {
    const endpoint = await lockById(tx, endpointId);
    if (endpoint.status === 'disabled') {
      throw new InvalidState(`The webhook endpoint ${endpointId} is disabled: enable it first.`);
    }
    return replay(tx, endpoint, origin);
  });
}

/**
 * Enables an endpoint that was disabled for failing, and sends what it has missed. Returns the number of deliveries, or
 * null when the endpoint is enabled already.
 * @throws NotFound; InvalidState when its biller has disabled it, or it is live and not verified.
 */
export async function enableByOperator(db: Db, endpointId: string, origin: ChangeOrigin): Promise<Replayed | null> {
  return atomically(db, async (tx) => {
    const before = await lockById(tx, endpointId);
    if (before.status === 'enabled') return null;
    if (before.disabled_reason === 'requested') {
      throw new InvalidState(
        `The webhook endpoint ${endpointId} was disabled by its biller. Only its biller can enable it.`,
      );
    }
    const switched = { status: 'enabled' as const, disabled_reason: null, failing_since: null };
    const after = await updateWebhookEndpoint(tx, endpointId, switched, origin.now);
    const audited = { by: origin.by, at: origin.now, tenant: tenantOf(after) };
    await recordEndpointChange(tx, 'webhook_endpoint.updated', [before, after], audited);
    return replay(tx, after, origin);
  });
}

async function replay(tx: Tx, endpoint: WebhookEndpointRow, { by, now }: ChangeOrigin): Promise<Replayed> {
  assertVerified(endpoint);
  const since = addMs(now, -replayedDays * 86_400_000);
  const range = { since, until: null, afterSequence: null, deliveredToo: false, limit: maxReplayed };
  const { enqueued } = await replayDeliveries(tx, endpoint, range, now);
  await recordAudit(tx, {
    action: 'webhook_endpoint.replayed',
    by,
    at: now,
    tenant: tenantOf(endpoint),
    subjectId: endpoint.id,
    changes: { deliveries: { from: null, to: enqueued }, since: { from: null, to: since.toISOString() } },
  });
  return { deliveries: enqueued, hasMore: enqueued === maxReplayed };
}

async function lockById(tx: Tx, id: string): Promise<WebhookEndpointRow> {
  return orNotFound(await lockEndpointOfAnyBiller(tx, id), 'webhook endpoint', id);
}

function tenantOf({ biller_id: billerId, livemode }: WebhookEndpointRow) {
  return { billerId, livemode };
}
