import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { SlotNumber } from '../domain/units.ts';
import type { InsertCondition } from '../platform/postgres/conditional-insert.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { TenantKey } from './tenant.ts';

/** A row of `audit_log`. */
export interface AuditRow {
  id: number;
  at: RealInstant;
  action: string;
  actor_kind: string;
  actor_id: string;
  biller_id: Id<'biller'> | null;
  livemode: boolean | null;
  subject_id: string | null;
  request_id: string | null;
  changes: Record<string, { from: unknown; to: unknown }>;
}

/**
 * A part of the log: the newest `limit` rows. `billerId` limits it to one biller; `before` to rows older than that id.
 */
export interface AuditPage {
  billerId?: Id<'biller'> | undefined;
  before?: number | undefined;
  limit: number;
}

/** Adds a row. `auditCondition` adds one too; there is no other way to write to the log. */
export async function insertAuditRow(db: Db, row: Omit<AuditRow, 'id'>): Promise<void> {
  await db`insert into audit_log ${db({ ...row, changes: jsonb(db, row.changes) })}`;
}

/** Condition: always holds. Adds a row, with what the statement or the transaction does. */
export function auditCondition({ changes, ...row }: Omit<AuditRow, 'id'>): InsertCondition {
  return (db, met) => db`
    insert into audit_log (at, action, actor_kind, actor_id, biller_id, livemode, subject_id, request_id, changes)
    select ${row.at}, ${row.action}, ${row.actor_kind}, ${row.actor_id}, ${row.biller_id}::text, ${row.livemode}::boolean,
      ${row.subject_id}::text, ${row.request_id}::text, ${jsonb(db, changes)}
    where ${met}
    returning id`;
}

/** Whether an operator has brought the retry of a slot forward to this date, by `retryNow`. */
export async function wasRetriedNow(
  db: Db,
  plan: { id: Id<'payment_plan'>; biller_id: Id<'biller'> },
  { slot, date }: { slot: SlotNumber; date: CustomerInstant },
): Promise<boolean> {
  const change = { [`slots/${slot}/next_attempt_at`]: { to: date.toISOString() } };
  const rows = await db`
    select 1 from audit_log
    where biller_id = ${plan.biller_id} and subject_id = ${plan.id} and action = 'payment_plan.retried_now'
      and changes @> ${jsonb(db, change)}
    limit 1`;
  return rows.length > 0;
}

/** What people have done on the dashboard with these objects of the biller, the oldest first. */
export async function listPersonsActions(
  db: Db,
  { billerId, livemode }: TenantKey,
  subjectIds: readonly string[],
): Promise<AuditRow[]> {
  return db<AuditRow[]>`
    select * from audit_log
    where actor_kind = 'person' and subject_id = any(${subjectIds}::text[]) and biller_id = ${billerId}
      and livemode = ${livemode}
    order by id`;
}

/** A page of the log, newest first. */
export async function listAuditRows(db: Db, { billerId, before, limit }: AuditPage): Promise<AuditRow[]> {
  return db<AuditRow[]>`
    select * from audit_log
    where ${billerId === undefined ? db`true` : db`biller_id = ${billerId}`}
      and ${before === undefined ? db`true` : db`id < ${before}`}
    order by id desc
    limit ${limit}`;
}
