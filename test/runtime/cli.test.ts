import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { findCredential } from '../../src/db/api-keys.ts';
import { hashKey } from '../../src/services/api-keys.ts';
import { ensureDemoBiller } from '../../src/services/billers.ts';
import { useDatabase } from '../support/database.ts';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function run(program: 'keys' | 'billers', args: string[], env: Record<string, string>): Promise<Outcome> {
  const file = new URL(`../../src/runtime/cli/${program}.ts`, import.meta.url).pathname;
  return new Promise((resolve) => {
    const options = { env: { ...process.env, NODE_OPTIONS: '', ...env } };
    execFile(process.execPath, ['--import', 'tsx', file, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

describe('the command line', function () {
  this.timeout(60_000); // each run loads the program anew
  const db = useDatabase();
  let dataDir = '';
  let billerId = '';
  const keys = (...args: string[]) => run('keys', args, { DATA_DIR: dataDir });
  const billers = (...args: string[]) => run('billers', args, { DATA_DIR: dataDir });

  before('start as development does', async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'payments-cli-'));
    ({ billerId } = await ensureDemoBiller(db.sql, null));
    await writeFile(join(dataDir, 'development.json'), JSON.stringify({ database_url: db.url, biller_id: billerId }));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  it('creates a key of the demo biller that works, printed once as JSON', async () => {
    const { code, stdout } = await keys(
      'create',
      '--mode',
      'sandbox',
      '--scopes',
      'customers:read,events:read',
      '--json',
    );
    assert.equal(code, 0);
    const issued = JSON.parse(stdout);
    assert.deepEqual(Object.keys(issued).slice(0, 2), ['id', 'key']);
    const row = await findCredential(db.sql, hashKey(issued.key));
    assert.deepEqual(
      [row?.biller_id, row?.livemode, row?.scopes],
      [billerId, false, ['customers:read', 'events:read']],
    );
    assert.match(
      JSON.parse((await keys('create', '--mode', 'live', '--publishable', '--json')).stdout).key,
      /^pk_live_/,
    );
  });

  it('creates a biller, and a key for it', async () => {
    const args = [
      'create',
      '--name',
      'Acme Pty',
      '--timezone',
      'Australia/Sydney',
      '--statement-descriptor',
      'ACME',
      '--json',
    ];
    const biller = JSON.parse((await billers(...args)).stdout);
    assert.deepEqual(
      [biller.name, biller.time_zone, biller.statement_descriptor],
      ['Acme Pty', 'Australia/Sydney', 'ACME'],
    );
    const key = JSON.parse((await keys('create', '--mode', 'sandbox', '--biller', biller.id, '--json')).stdout);
    assert.equal(key.biller_id, biller.id);
    assert.match((await billers('list')).stdout, /Acme Pty/);
  });

  it('rolls, revokes and lists keys', async () => {
    const first = JSON.parse((await keys('create', '--mode', 'live', '--json')).stdout);
    const second = JSON.parse((await keys('roll', first.id, '--overlap-hours', '1.5', '--json')).stdout);
    assert.match(second.key, /^sk_live_/);
    assert.notEqual(JSON.parse((await keys('revoke', second.id, '--json')).stdout).revoked_at, null);
    const listed: { id: string; revoked_at: string | null }[] = JSON.parse((await keys('list', '--json')).stdout);
    assert.ok(listed.find(({ id }) => id === first.id)?.revoked_at);
  });

  it('says on stderr what is wrong, and ends with another status than 0', async () => {
    const cases: [Promise<Outcome>, number, RegExp][] = [
      [keys('create'), 2, /--mode must be sandbox or live/],
      [keys('destroy'), 2, /no command "destroy"/],
      [keys('revoke'), 2, /needs the id of one key/],
      [keys('create', '--mode', 'live', '--bogus'), 2, /--bogus/],
      [keys('create', '--mode', 'live', '--scopes', 'a:read'), 1, /"a:read" is no scope/],
      [keys('revoke', 'key_none'), 1, /No such API key/],
      [billers('create', '--name', 'x', '--timezone', 'Sydney'), 1, /IANA time zone/],
      [billers('create'), 2, /--name/],
      [run('keys', ['list'], { DATA_DIR: join(dataDir, 'none') }), 1, /Start the service with npm start/],
      [run('keys', ['list'], { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }), 1, /database cannot be reached/],
      [run('keys', ['list'], { DATABASE_URL: 'nonsense' }), 1, /DATABASE_URL must be/],
    ];
    for (const [outcome, code, message] of cases) {
      const { code: ended, stderr, stdout } = await outcome;
      assert.deepEqual([ended, stdout], [code, ''], stderr);
      assert.match(stderr, message);
      assert.equal(stderr.includes('    at '), false, 'no stack');
    }
  });
});
