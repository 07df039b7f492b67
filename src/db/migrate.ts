import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { connectionOptions } from '../platform/postgres/connection.ts';
import { grantRights } from './grants.ts';
import { existingColumns } from './schema-columns.ts';

const ownMigrations = new URL('migrations/', import.meta.url);
// Any constant works, as long as every version uses the same one.
const advisoryLock = 7_266_337;
const lockPollMs = 200;

/** The first line of a migration that runs without a transaction, as `create index concurrently` requires. */
const outsideOfATransaction = '-- outside of a transaction';

/**
 * A statement that waits for a table lock blocks every later statement on that table, and so a running service. A
 * migration therefore gives up quickly, lets the others pass, and tries again.
 */
const lockTimeout = '1s';
const maxLockTries = 60;
const lockPauseMs = 1_000;
const lockFailures: readonly string[] = ['55P03', '40P01'];

/** The last migration of 1.0.0. A name that comes before it and is not of this version is of an older one. */
const lastOfFirstVersion = '0015_operations.sql';

/** What a database, or a data folder, of a version before the first one is refused with. */
export const madeBeforeFirstVersion = 'Made before 1.0.0. Delete DATA_DIR, or start the version that made it.';

/**
 * Brings the schema of the database up to this version. Runs the numbered migrations that are not applied yet, in
 * order, each in its own transaction unless its first line says otherwise. Concurrent runners wait for each other and
 * run nothing twice. A service of the previous version may run meanwhile (docs/upgrades.md). `grantTo` is the role that
 * the service runs as. Its rights are set after the migrations, see `grantRights`.
 * @throws if a migration fails (nothing of it stays), if it cannot get its locks within two minutes, or if another
 *   version has migrated the database: a newer one, or one before 1.0.0.
 */
export async function migrate(
  databaseUrl: string,
  { folder = ownMigrations, grantTo = null }: { folder?: URL; grantTo?: string | null } = {},
): Promise<void> {
  const { url, ...connection } = connectionOptions(databaseUrl);
  const sql = postgres(url, { ...connection, max: 1, onnotice: () => {} });
  try {
    await takeMigrationLock(sql);
    await sql`
      create table if not exists schema_migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const applied = new Set((await sql<{ name: string }[]>`select name from schema_migrations`).map((row) => row.name));
    const known = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
    const unknown = [...applied].filter((name) => !known.includes(name));
    if (unknown.some((name) => name < lastOfFirstVersion)) throw new Error(madeBeforeFirstVersion);
    if (unknown.length > 0) {
      throw new Error(
        `the database was migrated by a newer version (${unknown.join(', ')}): start that version instead`,
      );
    }
    const missing = known.filter((candidate) => !applied.has(candidate));
    for (const name of missing) await apply(sql, name, await readFile(new URL(name, folder), 'utf8'));
    if (missing.length > 0) await recordColumns(sql);
    if (grantTo !== null) await grantRights(sql, grantTo);
  } finally {
    await sql.end(); // closing the connection releases the advisory lock
  }
}

/**
 * Polls for the advisory lock. A single waiting statement would block `create index concurrently` of another runner.
 */
async function takeMigrationLock(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${advisoryLock}) as taken`;
    if (row?.taken) return;
    await pause(lockPollMs);
  }
}

async function apply(sql: postgres.Sql, name: string, text: string): Promise<void> {
  if (text.startsWith(outsideOfATransaction)) {
    // If a statement fails, the next run repeats the file from its first statement. So each file first drops what it
    // creates.
    for (const statement of statementsOf(text)) await sql.unsafe(statement);
    await sql`insert into schema_migrations (name) values (${name})`;
    return;
  }
  for (let tries = 1; ; tries++) {
    try {
      return await sql.begin(async (tx) => {
        await tx`select set_config('lock_timeout', ${lockTimeout}, true)`;
        await tx.unsafe(text);
        await tx`insert into schema_migrations (name) values (${name})`;
      });
    } catch (error) {
      const isLocked = error instanceof postgres.PostgresError && lockFailures.includes(error.code);
      if (!isLocked) throw error;
      if (tries === maxLockTries) {
        throw new Error(`${name} did not get its locks in ${tries} tries; something holds them for long`, {
          cause: error,
        });
      }
      await pause(lockPauseMs);
    }
  }
}

/**
 * Records the columns that the migrations have made: `ops stuck` compares them with those that are there. Only after a
 * migration: a column that was renamed by hand must not be recorded at the next start.
 */
async function recordColumns(sql: postgres.Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      create table if not exists schema_columns (
        table_name text not null,
        column_name text not null,
        primary key (table_name, column_name)
      )`;
    await tx`delete from schema_columns`;
    await tx`insert into schema_columns (table_name, column_name) ${existingColumns(tx)}`;
  });
}

/** Splits a file into its statements. A semicolon may occur only at the end of a statement. */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
