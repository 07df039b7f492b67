import type { WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type AuditAction, type AuditEntry, changesBetween, recordAudit } from '../accounts/audit.ts';

/**
 * Records a change of a webhook endpoint in the audit log, from `before` to `after`. `before` is null for a new
 * endpoint, `after` for a deleted one. An update without changes is not recorded.
 */
export async function recordEndpointChange(
  tx: Db,
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  [before, after]: readonly [WebhookEndpointRow | null, WebhookEndpointRow | null],
  whose: Pick<AuditEntry, 'by' | 'at' | 'tenant' | 'requestId'>,
): Promise<void> {
  const changes = changesBetween(before && auditFields(before), after && auditFields(after));
  // A changed query string is recorded as a change, but its content is not.
  if (before && after && before.url !== after.url)
    changes.url ??= { from: auditFields(before).url, to: auditFields(after).url };
  if (action === 'webhook_endpoint.updated' && Object.keys(changes).length === 0) return;
  await recordAudit(tx, { action, ...whose, subjectId: (before ?? after)?.id ?? null, changes });
}

function auditFields(row: WebhookEndpointRow) {
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
