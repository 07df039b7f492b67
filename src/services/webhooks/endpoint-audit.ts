import type { WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { type AuditAction, type AuditEntry, changesBetween, recordAudit } from '../accounts/audit.ts';

/**
 * Records a change of a webhook endpoint in the audit log, from `before` to `after`. `before` is null for a new
 * endpoint, `after` for a deleted one. An update without changes is not recorded.
 */
export async function recordEndpointChange(
  tx: Tx,
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  [before, after]: readonly [WebhookEndpointRow | null, WebhookEndpointRow | null],
  whose: Pick<AuditEntry, 'by' | 'at' | 'tenant' | 'requestId'>,
): Promise<void> {
  const changes = changesBetween(before && told(before), after && told(after));
  // A changed query string is recorded as a change, but its content is not.
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

/** The query string often contains the receiver's password. */
function withoutQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}
