import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'mocha';
import { encryptionKeyFile, prepareEncryptionKeys } from '../../dev/encryption-keys.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { type Link, openLink } from '../../faults/net/link.ts';
import { eventually } from '../../lab/eventually.ts';
import { rowKinds } from '../../src/operations/stuck/kinds.ts';
import { findStuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { readConfig } from '../../src/processes/config/config.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { type ServiceProcess, spawnProcess } from '../support/process.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';
import { useFolder } from './support.ts';

const keysOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('a process that starts with its encryption keys', function () {
  this.timeout(serverStartTimeoutMs);
  const db = useDatabase();
  const right = keysOf('k1');
  const processes: ServiceProcess[] = [];
  let toPostgres: Link;
  before('open the way', async () => {
    toPostgres = await openLink('postgres', Number(new URL(db.url).port));
  });
  after('end what was started', async () => {
    await Promise.all(processes.map((each) => each.end('SIGKILL')));
    await toPostgres.close();
  });

  async function start(
    kind: 'api' | 'worker',
    keys: string,
    more: Record<string, string> = {},
  ): Promise<ServiceProcess> {
    const [port = 0] = await findFreePorts(1);
    const database = new URL(db.url);
    database.port = String(toPostgres.port);
    const env = {
      PORT: String(port),
      DATABASE_URL: database.href,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: 'test-encryption-keys',
      ENCRYPTION_KEYS: keys,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      ...more,
    };
    const started = spawnProcess(kind, env, { isHeard: true });
    processes.push(started);
    return started;
  }
  const fatalOf = ({ lines }: ServiceProcess) => lines.find(({ level }) => level === 60)?.msg ?? '';

  it('starts on a new database, and on one that was used with them', async () => {
    for (const kind of ['api', 'api', 'worker'] as const) {
      const started = await (await start(kind, right)).ready();
      assert.equal(await started.end(), 0);
    }
  });

  for (const kind of ['api', 'worker'] as const) {
    it(`refuses a wrong key under the right id, as ${kind}, and names variable, id and remedy`, async () => {
      const started = await start(kind, keysOf('k1'));
      assert.equal(await started.ended, 1);
      assert.equal(started.isReady, false);
      assert.match(
        fatalOf(started),
        /^ENCRYPTION_KEYS has another encryption key under the id "k1" .*Restore the former/,
      );
    });
  }

  it('refuses to go on without a key that values need, unless the key is named as lost', async () => {
    const { key } = await makeKey(db.sql);
    const first = await (await start('api', right)).ready();
    const made = await fetch(`${first.url}/api/v1/webhook_endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"url":"http://127.0.0.1:9/hooks"}',
    });
    assert.equal(made.status, 201, await made.text());
    await first.end();
    const other = keysOf('k2');
    const without = await start('api', other);
    assert.equal(await without.ended, 1);
    assert.match(fatalOf(without), /only the encryption key "k1" opens, and ENCRYPTION_KEYS does not have it/);
    const resigned = await (await start('api', other, { ENCRYPTION_KEYS_LOST: 'k1' })).ready();
    await resigned.end();
  });

  it('ends with a reason if PostgreSQL refuses the password, or was not migrated', async () => {
    const url = new URL(db.url);
    url.password = 'wrong';
    const refused = await start('api', right, { DATABASE_URL: url.href });
    assert.equal(await refused.ended, 1);
    assert.match(fatalOf(refused), /^PostgreSQL refuses the password of DATABASE_URL \(.*\)\. Correct DATABASE_URL/);
    url.password = new URL(db.url).password;
    url.pathname = 'postgres';
    const unmigrated = await start('worker', right, { DATABASE_URL: url.href });
    assert.equal(await unmigrated.ended, 1);
    assert.match(fatalOf(unmigrated), /^The tables are not those of this version .* npm run migrate, with --grant-to/);
  });

  it('serves while PostgreSQL is away, seals nothing, and ends when the keys turn out to be wrong', async () => {
    toPostgres.refuse();
    const right = await (await start('api', `${keysOf('k2')},${keysOf('k1')}`)).ready();
    assert.equal((await fetch(`${right.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${right.url}/readyz`)).status, 503);
    toPostgres.heal();
    assert.equal(await right.ended, 1);
    assert.match(fatalOf(right), /another encryption key under the id "k1"/);
  });

  it('is ready as soon as PostgreSQL is back, if the keys are right', async () => {
    await db.sql`delete from encryption_keys`;
    await db.sql`delete from webhook_endpoints`;
    toPostgres.refuse();
    const started = await (await start('api', right)).ready();
    toPostgres.heal();
    await eventually('it is ready', async () => (await fetch(`${started.url}/readyz`)).status === 200);
    await eventually('it says what it waited for', () => started.lines.some(({ msg }) => /not compared/.test(msg)));
  });

  it('is named by ops stuck within 15 s if others seal with a newer key that it lacks, also when it is started again', async () => {
    await db.sql`delete from encryption_keys`;
    await db.sql`delete from webhook_endpoints`;
    const named = async ({ child }: ServiceProcess) => {
      const reports = await findStuck(db.sql, kinds, await databaseNow(db.sql));
      const whys = reports.flatMap(({ found }) => found.map(({ why }) => why));
      return whys.some(
        (why) => why.startsWith(`worker ${child.pid}@`) && why.includes('its ENCRYPTION_KEYS does not have "k2"'),
      );
    };
    const kinds = rowKinds.filter(({ kind }) => kind === 'encryption_keys_old');
    const old = await (await start('worker', right)).ready();
    const rotated = await (await start('api', `${keysOf('k2')},${right}`)).ready();
    await eventually('it is named', () => named(old), { timeoutMs: 15_000 });
    await old.end();
    await db.sql`delete from process_reports`;
    const again = await (await start('worker', right)).ready();
    await eventually('it is named again', () => named(again), { timeoutMs: 15_000 });
    await Promise.all([again.end(), rotated.end()]);
  });
});

describe('the key file of npm start', () => {
  const db = useDatabase();
  const folder = useFolder();
  let dataDir = '';
  let count = 0;
  beforeEach('take a new data folder', async () => {
    dataDir = await newFolder();
    await db.sql`delete from encryption_keys`;
  });

  async function newFolder(): Promise<string> {
    const path = join(folder.path, `data-${++count}`);
    await mkdir(path);
    return path;
  }
  const prepare = (path = dataDir, env: Record<string, string> = {}) =>
    prepareEncryptionKeys(readConfig({ DATA_DIR: path, ...env }), db.sql);
  const file = (path = dataDir) => encryptionKeyFile(path);

  it('is made once, for its owner alone, and kept', async () => {
    const first = await prepare();
    assert.match(first, /^development:[A-Za-z0-9+/]{43}=$/);
    assert.equal((await stat(file())).mode & 0o777, 0o600);
    assert.equal(await prepare(), first);
    assert.equal(await readFile(file(), 'utf8'), `${first}\n`);
  });

  it('is not made again when it is missing and the database was used: the start is refused in words', async () => {
    await prepare();
    const kept = await readFile(file());
    await rm(file());
    await assert.rejects(prepare(), (error: Error) => {
      assert.ok(error.message.startsWith(`${file()} is missing`), error.message);
      return /Restore the file from a back-up/.test(error.message);
    });
    await assert.rejects(stat(file()), /ENOENT/);
    await writeFile(file(), kept);
    assert.equal(`${await prepare()}\n`, kept.toString());
  });

  it('stays as it is when it cannot be read, is cut off or empty: each has its reason', async () => {
    await prepare();
    const whole = await readFile(file());
    for (const length of [20, 0]) {
      await truncate(file(), length);
      await assert.rejects(prepare(), /is damaged: .*Restore it from a back-up\. Nothing was changed/);
      assert.deepEqual(await readFile(file()), whole.subarray(0, length));
    }
    await rm(file());
    await mkdir(file());
    await assert.rejects(prepare(), /cannot be read \(EISDIR/);
    assert.equal((await stat(file())).isDirectory(), true);
  });

  it('is refused when it has another key than the database was used with', async () => {
    await prepare();
    const other = await newFolder();
    await writeFile(file(other), `${keysOf('development')}\n`);
    await assert.rejects(prepare(other), (error: Error) =>
      error.message.startsWith(`${file(other)} has another encryption key under the id "development"`),
    );
  });

  it('is made by one of several copies that start at once on one new database', async () => {
    const folders = await Promise.all(Array.from({ length: 6 }, newFolder));
    const started = await Promise.allSettled(folders.map((path) => prepare(path)));
    const made = await Promise.all(
      folders.map((path) =>
        stat(file(path)).then(
          () => 1,
          () => 0,
        ),
      ),
    );
    assert.equal(started.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(made.filter((one) => one === 1).length, 1, 'the others make no file');
  });

  it('is not needed with ENCRYPTION_KEYS, which are compared with the database as well', async () => {
    const keys = keysOf('k1');
    assert.equal(await prepare(dataDir, { ENCRYPTION_KEYS: keys }), keys);
    await assert.rejects(
      prepare(dataDir, { ENCRYPTION_KEYS: keysOf('k1') }),
      /^KeysRefused: ENCRYPTION_KEYS has another/,
    );
    await assert.rejects(stat(file()), /ENOENT/);
  });
});
