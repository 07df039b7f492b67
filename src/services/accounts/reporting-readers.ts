import { randomBytes } from 'node:crypto';
import { selectBiller } from '../../db/billers.ts';
import { createReader, dropReader, type ReaderRow, selectReach, shutReader } from '../../db/reporting-readers.ts';
import { tenantOf } from '../../db/tenant.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { scramVerifier } from '../../platform/postgres/scram.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { NotFound, orNotFound } from '../errors.ts';
import type { Tenant } from '../request-context.ts';
import { type ChangeOrigin, changesBetween, recordAudit } from './audit.ts';

/** A reader as it is made: its password is shown once and not stored. */
export interface NewReader extends ReaderRow {
  password: string;
  /** Other databases of the server to which it can connect, because PUBLIC may. */
  other_databases: string[];
}

/**
 * Makes a PostgreSQL role that reads the views of the schema `reporting`, and of them the rows of one biller and mode.
 * The role of `db` must be allowed to make roles, and own the database.
 * @throws NotFound without such a biller. Error if the role could read more: nothing has changed then.
 */
export async function grantReporting(db: Pool, tenant: Tenant, { by, now }: ChangeOrigin): Promise<NewReader> {
  const { billerId, livemode } = tenant;
  orNotFound(await selectBiller(db, billerId), 'biller', billerId);
  // Its name says nothing: every role of the server can read the names of all.
  const role_name = `reporting_${randomBytes(8).toString('hex')}`;
  const password = randomBytes(32).toString('base64url');
  const row: ReaderRow = { role_name, biller_id: billerId, livemode, created_at: now };
  return atomically(db, async (tx) => {
    await createReader(tx, row, scramVerifier(password));
    const { tables, databases } = await selectReach(tx, row);
    if (tables.length > 0) {
      const first = tables.slice(0, 5).join(', ');
      throw new Error(`PUBLIC has rights on ${first}: every reader would have them too. Revoke them first.`);
    }
    const changes = changesBetween(null, { livemode });
    await recordAudit(tx, { action: 'reporting.granted', by, at: now, tenant, subjectId: role_name, changes });
    return { ...row, password, other_databases: databases };
  });
}

/**
 * Drops the role of a reader, and ends its sessions.
 * @throws NotFound without such a reader. The error of PostgreSQL if the role owns something in another database: it
 * can log in no more then, and may be revoked again.
 */
export async function revokeReporting(db: Pool, roleName: string, { by, now }: ChangeOrigin): Promise<ReaderRow> {
  await shutReader(db, roleName);
  return atomically(db, async (tx) => {
    const dropped = await dropReader(tx, roleName);
    if (dropped === null) throw new NotFound('reader', roleName);
    const changes = changesBetween({ livemode: dropped.livemode }, null);
    const tenant = tenantOf(dropped);
    await recordAudit(tx, { action: 'reporting.revoked', by, at: now, tenant, subjectId: roleName, changes });
    return dropped;
  });
}
