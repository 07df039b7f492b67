import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { wayTo } from '../platform/postgres/connection.ts';
import { grantRights } from './grants.ts';

const ownMigrations = new URL('migrations/', import.meta.url);
// Any constant does, as long as every runner of every version takes the same one.
const advisoryLock = 7_266_337;
const askForTurnMilliseconds = 200;

/** The first line of a migration whose statements run by themselves, such as `create index concurrently`. */
const outsideOfATransaction = '-- outside of a transaction';

/**
 * Who waits for the lock of a table keeps all others waiting who come after, so that a service at work stands still. So a
 * migration gives up quickly, lets them pass, and tries again.
 */
const lockTimeout = '1s';
const triesForLocks = 60;
const pauseForOthersMilliseconds = 1_000;
const gaveUpLocks: readonly string[] = ['55P03', '40P01'];

/**
 * Brings the schema of the database up to this version: runs the numbered migrations that it has not had, in order, each
 * in a transaction of its own unless its first line says otherwise. Concurrent runners wait for each other and run nothing
 * twice. It may run while a service of the former version is at work (docs/upgrades.md). `grantTo` is the role that the
 * service runs as; its rights are set after the migrations, see `grantRights`.
 * @throws when a migration fails (nothing of it stays), when it could not get its locks within two minutes, or when the
 * database was migrated by a newer version.
 */
export async function migrate(
  databaseUrl: string,
  { folder = ownMigrations, grantTo = null }: { folder?: URL; grantTo?: string | null } = {},
): Promise<void> {
  const { url, ...reached } = wayTo(databaseUrl);
  const sql = postgres(url, { ...reached, max: 1, onnotice: () => {} });
  try {
    await takeTurn(sql);
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
      await apply(sql, name, await readFile(new URL(name, folder), 'utf8'));
    }
    if (grantTo !== null) await grantRights(sql, grantTo);
  } finally {
    await sql.end(); // closing the connection releases the advisory lock
  }
}

/** Asks again and again: one statement that waits would keep `create index concurrently` of another runner waiting for it. */
async function takeTurn(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${advisoryLock}) as taken`;
    if (row?.taken) return;
    await pause(askForTurnMilliseconds);
  }
}

async function apply(sql: postgres.Sql, name: string, text: string): Promise<void> {
  if (text.startsWith(outsideOfATransaction)) {
    // What has failed in the middle is repeated from the first statement on: each file begins with what it takes away.
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
      const isLocked = error instanceof postgres.PostgresError && gaveUpLocks.includes(error.code);
      if (!isLocked) throw error;
      if (tries === triesForLocks) {
        throw new Error(`${name} did not get its locks in ${tries} tries; something holds them for long`, {
          cause: error,
        });
      }
      await pause(pauseForOthersMilliseconds);
    }
  }
}

/** The statements of a file that has no semicolon but at their ends. */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
