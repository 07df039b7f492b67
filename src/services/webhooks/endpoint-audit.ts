import type { WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type AuditAction, type AuditEntry, changesBetween, recordAudit } from '../accounts/audit.ts';

/**
 * Records in the audit log how a webhook endpoint has changed, from what to what; null stands before a new
 * one, and after a deleted one. An update that changes nothing is none.
 */
export async function recordEndpointChange(
  tx: Db,
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  [before, after]: readonly [WebhookEndpointRow | null, WebhookEndpointRow | null],
  whose: Pick<AuditEntry, 'by' | 'at' | 'tenant' | 'requestId'>,
): Promise<void> {
  const changes = changesBetween(before && told(before), after && told(after));
  // A query that differs is told, and what stands in it is not.
  if (before && after && before.url !== after.url) changes.url ??= { from: told(before).url, to: told(after).url };
  if (action === 'webhook_endpoint.updated' && Object.keys(changes).length === 0) return;
  await recordAudit(tx, { action, ...whose, subjectId: (before ?? after)?.id ?? null, changes });
}

function told(row: WebhookEndpointRow) {
  const { event_types, description, status, disabled_reason, verified_at, previous_secret_expires_at } = row;
  return {
    url: withoutQuery(row.url),
    event_types,
    description,
    status,
    disabled_reason,
    verified_at,
    previous_secret_expires_at,
  };
}

/** Many a receiver is given its password in the query. */
function withoutQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}
