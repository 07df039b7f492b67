import type { WebhookEndpointRow } from '../../db/webhook-endpoints.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pick } from '../../resources/common.ts';
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
  const changes = changesBetween(before && auditFields(before), after && auditFields(after));
  // A changed query string is recorded as a change, but its content is not.
  if (before && after && before.url !== after.url)
    changes.url ??= { from: auditFields(before).url, to: auditFields(after).url };
  if (action === 'webhook_endpoint.updated' && Object.keys(changes).length === 0) return;
  await recordAudit(tx, { action, ...whose, subjectId: (before ?? after)?.id ?? null, changes });
}

/** Whether the audit log shows a column. Secrets and what the service counts for itself stay out. */
const isAudited: Readonly<Record<keyof WebhookEndpointRow, boolean>> = {
  url: true,
  event_types: true,
  description: true,
  status: true,
  disabled_reason: true,
  verified_at: true,
  previous_secret_expires_at: true,
  id: false,
  biller_id: false,
  livemode: false,
  sealed_secret: false,
  sealed_previous_secret: false,
  failing_since: false,
  responds_promptly: false,
  created_at: false,
  updated_at: false,
  deleted_at: false,
};
const auditedColumns = (Object.keys(isAudited) as (keyof WebhookEndpointRow)[]).filter((column) => isAudited[column]);

function auditFields(row: WebhookEndpointRow): Partial<WebhookEndpointRow> {
  return { ...pick(row, auditedColumns), url: withoutQuery(row.url) };
}

/** The query string often contains the receiver's password. */
function withoutQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}
