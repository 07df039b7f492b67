import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { before, describe, it } from 'mocha';
import postgres from 'postgres';
import { eventually } from '../../lab/eventually.ts';
import { migrate } from '../../src/db/migrate.ts';
import { useDatabase } from '../support/database.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';
import { useFleet } from './rolling/fleet.ts';
import { type Load, startLoad } from './rolling/load.ts';
import { useFolder } from './support.ts';

const run = promisify(execFile);
const formerCli = 'src/processes/cli/main.ts';
const root = fileURLToPath(new URL('../../', import.meta.url));
/** The former version is the last one that did not have this migration. */
const firstNewMigration = 'src/db/migrations/0151_credit_of_refunds_checked.sql';

/** The sources of the former version, or why there are none. */
async function formerVersion(folder: string): Promise<{ folder: string } | { missing: string }> {
  const git = (...args: string[]) => run('git', args, { cwd: root, maxBuffer: 1 << 28 });
  try {
    const { stdout } = await git('log', '--diff-filter=A', '--format=%H', '--', firstNewMigration);
    const [added] = stdout.trim().split('\n');
    if (!added) return { missing: 'the history of this copy does not reach back to it' };
    const archive = join(folder, 'former.tar');
    await git('archive', '--output', archive, `${added}^`);
    const former = join(folder, 'former');
    await run('mkdir', [former]);
    await run('tar', ['-xf', archive, '-C', former]);
    await symlink(join(root, 'node_modules'), join(former, 'node_modules'));
    return { folder: former };
  } catch (error) {
    return { missing: `git cannot show it: ${error instanceof Error ? error.message : error}` };
  }
}

describe('an upgrade from the former version, under load', function () {
  this.timeout(serverStartTimeoutMs);
  // The database is emptied first: the former version is to make its own schema.
  const db = useDatabase(10);
  const folder = useFolder();
  const startFleet = useFleet();
  let former = '';

  before('unpack the former version', async function () {
    const found = await formerVersion(folder.path);
    if ('missing' in found) {
      console.log(`      skipped: ${found.missing}`);
      return this.skip();
    }
    former = found.folder;
    const sql = postgres(db.url, { max: 1, onnotice: () => {} });
    await sql`drop schema public cascade`;
    await sql`create schema public`;
    await sql.end();
    await run(process.execPath, [formerCli, 'migrate'], {
      cwd: former,
      env: { PATH: process.env.PATH, DATABASE_URL: db.url },
    });
  });

  it('fails no request while the schema is migrated, while both versions run, and when the new one is alone', async () => {
    const applied = async () => (await db.sql`select name from schema_migrations`).length;
    const all = (await readdir(join(root, 'src/db/migrations'))).filter((name) => name.endsWith('.sql')).length;
    const ledger = join(folder.path, 'ledger.jsonl');
    const fleet = await startFleet(db.url, ledger);
    const olds = await Promise.all([fleet.start('api', former), fleet.start('worker', former)]);
    const { stdout } = await run(process.execPath, [formerCli, 'billers', 'create', '--name', 'Biller', '--json'], {
      cwd: former,
      env: { PATH: process.env.PATH, DATABASE_URL: db.url },
    });
    const issued = await run(
      process.execPath,
      [formerCli, 'keys', 'create', '--mode', 'sandbox', '--biller', JSON.parse(stdout).id, '--json'],
      { cwd: former, env: { PATH: process.env.PATH, DATABASE_URL: db.url } },
    );
    const load = startLoad(fleet.balancer.url, JSON.parse(issued.stdout).key);
    await goesOn(load, 'the former version serves');
    assert.ok((await applied()) < all);
    await migrate(db.url);
    assert.equal(await applied(), all);
    await goesOn(load, 'the former version serves on the new schema');
    await Promise.all([fleet.start('api'), fleet.start('worker')]);
    await goesOn(load, 'both versions serve');
    for (const old of olds) {
      // The former version closes at once when it is told to end: it is taken out by hand before.
      if (old.kind === 'api') await fleet.balancer.takeOut(old.port);
      await old.end();
    }
    await goesOn(load, 'the new version serves alone');
    await load.stop();
    assert.deepEqual(load.failures, []);
    await load.check(ledger);
  });
});

/** Waits until people have paid, and a plan has gone its whole way, that began now. */
async function goesOn({ answered, failures }: Load, what: string): Promise<void> {
  const before = { confirmed: answered.confirmed.length, plans: answered.plans.length };
  await eventually(
    what,
    () =>
      failures.length > 0 ||
      (answered.confirmed.length >= before.confirmed + 5 && answered.plans.length >= before.plans + 2),
    { timeoutMs: 180_000 },
  );
  assert.deepEqual(failures, [], what);
}
