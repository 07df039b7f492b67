import { refusalOf } from '../../../platform/database-causes.ts';
import type { Db, Tx } from '../../../platform/postgres/connection.ts';
import { atomically } from '../../../platform/postgres/transaction.ts';

/** A reader waits this long for a lock. Readers meet only locks on whole tables, as migrations take them. */
const lockTimeout = '500ms';
const statementTimeout = '5s';
/** SQLSTATEs: `lock_not_available`, and `query_canceled` by the statement timeout. */
const limits: readonly unknown[] = ['55P03', '57014'];

/** Reads with short limits of its own, so that a session that holds a table does not hold up the operator. */
export async function readBounded<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return atomically(db, async (tx) => {
    await tx`
      select set_config('lock_timeout', ${lockTimeout}, true),
        set_config('statement_timeout', ${statementTimeout}, true)`;
    return read(tx);
  });
}

/** Returns why a reading ended at its limits. Null for any other error. */
export function limitMet(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !limits.includes(error.code)) return null;
  return error.message;
}

/** Returns why something cannot be read: its reading ended at its limits, or PostgreSQL refuses it. Null otherwise. */
export function whyUnreadable(error: unknown): string | null {
  return limitMet(error) ?? refusalOf(error)?.why ?? null;
}
