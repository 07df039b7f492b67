import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';
import { useFleet } from './rolling/fleet.ts';
import { type Load, startLoad } from './rolling/load.ts';
import { useFolder } from './support.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What a running service does not need. */
const leftOut = ['.git', 'node_modules', 'test', 'bench', 'faults', 'fuzz', 'demo'];

/**
 * Makes the sources of a next version in `folder`: this version with migrations that add a column and an index to a
 * table under load, and with a change of what a workflow does, behind this patch.
 */
async function makeNextVersion(folder: string, patch: string): Promise<void> {
  const isWanted = (path: string) => !leftOut.includes(relative(root, path).split(sep)[0] ?? '');
  await mkdir(folder);
  await cp(root, folder, { recursive: true, filter: isWanted });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const migrations = join(folder, 'src/db/migrations');
  await writeFile(
    join(migrations, '9001_next.sql'),
    "alter table payment_plans add column next_note text not null default '';\n" +
      "alter table payment_intents add column next_note text not null default '';\n",
  );
  await writeFile(
    join(migrations, '9002_next_index.sql'),
    '-- outside of a transaction\ndrop index concurrently if exists payment_plans_by_next_note;\n' +
      'create index concurrently payment_plans_by_next_note on payment_plans (next_note, id);\n',
  );
  const workflow = join(folder, 'src/workflows/collection.ts');
  const source = await readFile(workflow, 'utf8');
  const collects = 'return await collection.collect(';
  assert.equal(source.split(collects).length, 2, 'a workflow collects in one place');
  await writeFile(
    workflow,
    `import { patched, sleep } from '@temporalio/workflow';\n${source.replace(collects, `if (patched('${patch}')) await sleep('1 ms');\n      ${collects}`)}`,
  );
}

describe('an upgrade to the next version, under load', function () {
  this.timeout(serverStartTimeoutMs);
  const db = useDatabase(10);
  const folder = useFolder();
  const startFleet = useFleet();
  const patch = `next-${randomBytes(6).toString('hex')}`;
  let next = '';

  before('make the next version', async () => {
    next = join(folder.path, 'next');
    await makeNextVersion(next, patch);
  });

  it('fails no request while the schema is migrated, while both versions run, and when the new one is alone', async () => {
    const ledger = join(folder.path, 'ledger.jsonl');
    const fleet = await startFleet(db.url, ledger);
    const olds = await Promise.all([fleet.start('api'), fleet.start('worker')]);
    const { key } = await makeKey(db.sql);
    const load = startLoad(fleet.balancer.url, key);
    await goesOn(load, 'this version serves');
    await promisify(execFile)(process.execPath, ['src/processes/cli/main.ts', 'migrate'], {
      cwd: next,
      env: { PATH: process.env.PATH, DATABASE_URL: db.url },
    });
    await db.sql`select next_note from payment_plans limit 0`;
    await goesOn(load, 'this version serves on the new schema');
    await Promise.all([fleet.start('api', next), fleet.start('worker', next)]);
    await goesOn(load, 'both versions serve');
    for (const old of olds) await old.end();
    await goesOn(load, 'the next version serves alone');
    await load.stop();
    assert.deepEqual(load.failures, []);
    await load.check(ledger);
    assert.ok((await countChanged(patch)) > 0, 'no workflow did what the next version changes');
  });
});

/** How many workflows have done what is behind this patch. */
async function countChanged(patch: string): Promise<number> {
  const connection = await Connection.connect({ address: await temporalServer() });
  const { workflow } = new Client({ connection, namespace: testNamespace });
  const { count } = await workflow.count(`TemporalChangeVersion = '${patch}'`);
  await connection.close();
  return count;
}

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
