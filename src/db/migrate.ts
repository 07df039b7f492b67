import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';

const folder = new URL('migrations/', import.meta.url);
// Any constant does, as long as every runner of every version takes the same one.
const advisoryLock = 7_266_337;

/**
 * Brings the schema of the database up to this version: runs the numbered migrations that it has not had, in order, each
 * in a transaction of its own. Concurrent runners wait for each other and run nothing twice.
 * @throws when a migration fails (nothing of it stays), or when the database was migrated by a newer version.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql`select pg_advisory_lock(${advisoryLock})`;
    await sql`
      create table if not exists schema_migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const applied = new Set((await sql<{ name: string }[]>`select name from schema_migrations`).map((row) => row.name));
    const known = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
    const unknown = [...applied].filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      throw new Error(
        `the database was migrated by a newer version (${unknown.join(', ')}): start that version instead`,
      );
    }
    for (const name of known.filter((candidate) => !applied.has(candidate))) {
      const statements = await readFile(new URL(name, folder), 'utf8');
      await sql.begin(async (tx) => {
        await tx.unsafe(statements);
        await tx`insert into schema_migrations (name) values (${name})`;
      });
    }
  } finally {
    await sql.end(); // closing the connection releases the advisory lock
  }
}
