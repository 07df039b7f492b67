import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { ConfigError, readConfig } from '../../src/processes/config/config.ts';
import { useFolder } from '../runtime/support.ts';

/** Returns the errors of an environment; an empty list if it is accepted. */
function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const database = (host: string, parameters = '') => `postgres://payments:hunter2@${host}/payments${parameters}`;

const local = ['localhost', 'LOCALHOST', '127.0.0.1', '127.255.0.9:6543', '[::1]', '[0:0:0:0:0:0:0:1]:5433'];
const remote = [
  'db.example.com',
  '10.0.0.5:5432',
  '192.168.1.1',
  '[2001:db8::1]',
  '[::ffff:10.0.0.5]',
  // Names that look local but are not.
  'localhost.example.com',
  '127.0.0.1.example.com',
  '127.0.0.1,db.example.com',
  'db.example.com,127.0.0.1',
  '127.0.0.1%2Cdb.example.com',
  '0.0.0.0',
];

describe('the way to PostgreSQL', () => {
  for (const host of remote) {
    it(`is refused in plain text to ${host}, unless it is allowed explicitly`, () => {
      for (const parameters of ['', '?application_name=x', '?sslmode=prefer', '?sslmode=allow']) {
        const faults = faultsOf({ DATABASE_URL: database(host, parameters) });
        assert.equal(faults.length, 1, parameters);
        assert.match(String(faults), /DATABASE_URL reaches .* without TLS.*sslmode=verify-full.*sslmode=disable/);
        assert.ok(!String(faults).includes('hunter2'));
      }
      for (const mode of ['disable', 'require', 'verify-ca', 'verify-full']) {
        assert.deepEqual(faultsOf({ DATABASE_URL: database(host, `?sslmode=${mode}`) }), [], mode);
      }
    });
  }

  it('needs no TLS on this machine', () => {
    for (const host of local) assert.deepEqual(faultsOf({ DATABASE_URL: database(host) }), [], host);
  });

  it('leads to an IPv6 address too', async function () {
    const server = createServer((socket) => socket.destroy());
    server.listen(0, '::1');
    await once(server, 'listening').catch(() => this.skip()); // without IPv6
    const connected = once(server, 'connection');
    const pool = openPool(database(`[::1]:${(server.address() as AddressInfo).port}`), { max: 1, name: 'test' });
    await assert.rejects(pool`select 1`, { code: 'CONNECTION_CLOSED' });
    await connected;
    await pool.end({ timeout: 1 });
    server.close();
  });

  it('is judged by PGHOST if the URL names no host', () => {
    assert.deepEqual(faultsOf({ DATABASE_URL: 'postgres:///payments' }), []);
    assert.deepEqual(faultsOf({ DATABASE_URL: 'postgres:///payments', PGHOST: '/var/run/postgresql' }), []);
    assert.equal(faultsOf({ DATABASE_URL: 'postgres:///payments', PGHOST: 'db.example.com' }).length, 1);
  });

  it('is refused with a mode that does not exist, or authorities that cannot be read', () => {
    assert.match(String(faultsOf({ DATABASE_URL: database('db.example.com', '?sslmode=full') })), /sslmode must be/);
    const missing = database('db.example.com', '?sslmode=verify-full&sslrootcert=/none/of/these.pem');
    assert.match(String(faultsOf({ DATABASE_URL: missing })), /these\.pem/);
  });
});

describe('the way to Temporal', () => {
  for (const host of remote.filter((name) => /^[\w.]+(:\d+)?$/.test(name))) {
    const TEMPORAL_ADDRESS = `${host.replace(/:.*/, '')}:7233`;
    it(`is refused in plain text to ${TEMPORAL_ADDRESS}, unless it is allowed explicitly`, () => {
      const faults = faultsOf({ TEMPORAL_ADDRESS });
      assert.equal(faults.length, 1);
      assert.match(String(faults), /TEMPORAL_ADDRESS reaches .* without TLS.*TEMPORAL_TLS=true.*TEMPORAL_TLS=false/);
      for (const chosen of [{ TEMPORAL_TLS: 'true' }, { TEMPORAL_TLS: 'false' }, { TEMPORAL_API_KEY: 'k' }]) {
        assert.deepEqual(faultsOf({ TEMPORAL_ADDRESS, ...chosen }), []);
      }
    });
  }

  it('is over TLS with TEMPORAL_TLS=true or an API key, and in plain text with neither on this machine', () => {
    const tls = (env: NodeJS.ProcessEnv) => Boolean(readConfig(env).temporal.tls);
    assert.equal(tls({ TEMPORAL_ADDRESS: 'eu.example.com:7233', TEMPORAL_TLS: 'true' }), true);
    assert.equal(tls({ TEMPORAL_ADDRESS: 'eu.example.com:7233', TEMPORAL_API_KEY: 'k' }), true);
    for (const host of ['127.0.0.1', 'localhost']) assert.equal(tls({ TEMPORAL_ADDRESS: `${host}:7233` }), false);
  });

  it('is reported together with all other errors', () => {
    const env = { DATABASE_URL: database('db.example.com'), TEMPORAL_ADDRESS: 'temporal:7233', PORT: '0' };
    assert.equal(faultsOf(env).length, 3);
  });
});

describe('every process and command', function () {
  this.timeout(120_000); // each is loaded anew
  const folder = useFolder();
  let connections = 0;
  let server: Server | undefined;
  /** Of a port with a listener, under an address that is not one of the loopback. */
  let port = 0;

  before('listen, as a database and a Temporal would', async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server?.close());

  const programs = [
    ['dev/start.ts'],
    ['src/processes/api.ts'],
    ['src/processes/worker.ts'],
    ['src/processes/cli/main.ts', 'migrate'],
    ['src/processes/cli/main.ts', 'temporal:prepare'],
    ['src/processes/cli/main.ts', 'keys', 'list'],
    ['src/processes/cli/main.ts', 'billers', 'list'],
    ['src/processes/cli/main.ts', 'audit', 'list'],
    ['src/processes/cli/main.ts', 'encryption', 'status'],
    ['src/processes/cli/main.ts', 'reconcile', '--check'],
    ['src/processes/cli/main.ts', 'check-invariants'],
    ['src/processes/cli/main.ts', 'ops', 'stuck'],
  ] as const;

  function run([file = '', ...args]: readonly string[], env: Record<string, string>) {
    const given = { PATH: process.env.PATH, DATA_DIR: folder.path, LOG_LEVEL: 'error', ...env };
    const options = { cwd: root, env: given, timeoutMs: 60_000 };
    return runProgram(process.execPath, [file, ...args], options);
  }

  for (const program of programs) {
    it(`refuses before it connects: ${program.join(' ')}`, async () => {
      const before = connections;
      const { code, stderr } = await run(program, {
        DATABASE_URL: database(`0.0.0.0:${port}`),
        TEMPORAL_ADDRESS: `0.0.0.0:${port}`,
        ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      });
      assert.notEqual(code, 0);
      assert.match(stderr, /DATABASE_URL reaches 0\.0\.0\.0 without TLS/);
      assert.match(stderr, /TEMPORAL_ADDRESS reaches 0\.0\.0\.0 without TLS/);
      assert.ok(!stderr.includes('hunter2'));
      assert.equal(connections, before);
    });
  }

  it('applies the same rules to the addresses in development.json', async () => {
    const dataDir = join(folder.path, 'remote');
    await mkdir(dataDir);
    const named = { database_url: database(`0.0.0.0:${port}`), temporal_address: `0.0.0.0:${port}` };
    await writeFile(join(dataDir, 'development.json'), JSON.stringify(named));
    const before = connections;
    const { code, stderr } = await run(['src/processes/cli/main.ts', 'ops', 'stuck'], { DATA_DIR: dataDir });
    assert.notEqual(code, 0);
    assert.match(stderr, /DATABASE_URL reaches 0\.0\.0\.0 without TLS[\s\S]*TEMPORAL_ADDRESS reaches/);
    assert.equal(connections, before);
  });
});
