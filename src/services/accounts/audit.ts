import { type AuditPage, type AuditRow, insertAuditRow, listAuditRows } from '../../db/audit-log.ts';
import type { Id } from '../../domain/ids.ts';
import type { IssuedBy } from '../../messages/operator-command.ts';
import type { SubjectKind, subjectKinds } from '../../messages/subject-kinds.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { RequestContext, Tenant } from '../request-context.ts';

/** Who did what an audit entry records. */
export type Actor =
  /** A request: the id of its API key. */
  | { kind: 'api_key'; id: string }
  /** A person of the biller on the dashboard, by the name that the biller has given. */
  | { kind: 'person'; id: string }
  /** An operator in Temporal's Web UI: the given name, or `web-ui` when none was given. */
  | { kind: 'operator'; id: string }
  /** An operator at the command line: the user of the operating system. */
  | { kind: 'command_line'; id: string }
  /** The service itself: what it was doing. */
  | { kind: 'service'; id: string };

/** Who makes a change, and when. */
export interface ChangeOrigin {
  by: Actor;
  now: RealInstant;
}

export type AuditAction =
  | 'api_key.created'
  | 'api_key.rolled'
  | 'api_key.revoked'
  | 'biller.created'
  | 'biller.updated'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted'
  | 'webhook_endpoint.secret_rotated'
  | 'webhook_endpoint.disabled'
  | 'webhook_endpoint.verified'
  | 'webhook_endpoint.replayed'
  | 'payment_link.url_rotated'
  | 'workbench.link_created'
  | 'dashboard_session.created'
  | 'dashboard_session.opened'
  | 'dashboard_session.ended'
  | 'payment_intent.refunded'
  | 'payment_intent.retried'
  | 'webhook_delivery.sent_again'
  | 'workflow.started_over'
  | 'workflow.unpaused'
  | 'outbox_entry.deleted'
  | `${(typeof subjectKinds)[SubjectKind]['audited']}.rechecked`
  | 'payment_plan.retried_now'
  | 'payment_plan.slot_skipped'
  | 'payment_plan.recalculated'
  | 'subscription.retried_now'
  | 'payment_intent.retried_now'
  | 'test_clock.rechecked'
  | 'test_clock.advance_retried'
  | 'webhook_delivery.retried_now'
  | 'webhook_delivery.given_up'
  | 'payment_attempt.settled'
  | 'live_charging.held'
  | 'live_charging.released'
  | 'encryption.rotation_begun'
  | 'encryption.rotation_finished';

/** The old and the new value of each changed field; null where the field did not exist. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

export interface AuditEntry {
  action: AuditAction;
  by: Actor;
  at: RealInstant;
  /**
   * The biller and mode that the entry concerns. Null when it concerns the whole service. An entry about the biller
   * itself has no mode.
   */
  tenant: Tenant | { billerId: Id<'biller'>; livemode: null } | null;
  subjectId: string | null;
  /** The id of the request that caused the change. */
  requestId?: string;
  /** Must not contain a secret, nor a part of one. */
  changes: Changes;
}

/** An audit entry, with its actor in one. */
export type AuditRecord = Omit<AuditRow, 'actor_kind' | 'actor_id'> & { actor: { kind: string; id: string } };

/**
 * Adds an entry to the audit log, in the transaction of the change that it records, so that neither exists without the
 * other. Nothing can change or remove an entry afterwards.
 */
export async function recordAudit(db: Db, { action, by, at, tenant, subjectId, requestId, changes }: AuditEntry) {
  await insertAuditRow(db, {
    at,
    action,
    actor_kind: by.kind,
    actor_id: by.id,
    biller_id: tenant?.billerId ?? null,
    livemode: tenant?.livemode ?? null,
    subject_id: subjectId,
    request_id: requestId ?? null,
    changes,
  });
}

/** Returns the actor that issued an operator command. */
export function operator(by: IssuedBy | null | undefined): Actor {
  return typeof by === 'object' && by !== null ? by : { kind: 'operator', id: by ?? 'web-ui' };
}

/** Returns the fields of an audit entry that come from the request. */
export function auditOrigin(context: RequestContext): Pick<AuditEntry, 'by' | 'at' | 'tenant' | 'requestId'> {
  const { billerId, livemode, requestId, keyId, now } = context;
  return { by: { kind: 'api_key', id: keyId }, at: now, tenant: { billerId, livemode }, requestId };
}

/**
 * Returns the fields that differ. A null `before` or `after` means that the object did not exist. Do not pass secrets.
 */
export function changesBetween<T extends object>(before: T | null, after: T | null): Changes {
  const [was, is] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))];
  const changes: Changes = {};
  for (const field of new Set([...was.keys(), ...is.keys()])) {
    const [from, to] = [was.get(field) ?? null, is.get(field) ?? null];
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[field] = { from, to };
  }
  return changes;
}

/** Returns a page of the log, newest first. */
export async function listAudit(db: Db, page: AuditPage): Promise<AuditRecord[]> {
  const rows = await listAuditRows(db, page);
  return rows.map(({ id, at, action, actor_kind: kind, actor_id, ...rest }) => {
    return { id, at, action, actor: { kind, id: actor_id }, ...rest };
  });
}
