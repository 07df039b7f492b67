import { readFile } from 'node:fs/promises';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';

/** Any constant works, as long as every version uses the same one. */
const advisoryLock = 7_266_338;

/**
 * Creates what is missing of the schema. Concurrent callers wait for each other.
 * @throws if the role may not create it; a role that may not is enough once the tables are there.
 */
export async function ensureSchema(sql: Pool): Promise<void> {
  // The last that the file makes.
  const [found] = await sql`select to_regclass('processor_stripe.payouts_to_look_at') is not null as exists`;
  if (found?.exists) return;
  const text = await readFile(new URL('schema.sql', import.meta.url), 'utf8');
  await atomically(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${advisoryLock})`;
    await tx.unsafe(text);
  });
}
