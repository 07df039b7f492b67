import { readFile } from 'node:fs/promises';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';

/** Any constant works, as long as every version uses the same one. */
const advisoryLock = 7_266_338;

/**
 * Creates what is missing of the schema, which a former version may have made. Concurrent callers wait for each other.
 * @throws if the role may not create it; a role that may not is enough once the tables are there.
 */
export async function ensureSchema(sql: Pool): Promise<void> {
  const [found] = await sql`
    select from information_schema.columns
    where table_schema = 'processor_stripe' and table_name = 'reservations' and column_name = 'return_url'`;
  if (found !== undefined) return;
  const text = await readFile(new URL('schema.sql', import.meta.url), 'utf8');
  await atomically(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${advisoryLock})`;
    await tx.unsafe(text);
  });
}
