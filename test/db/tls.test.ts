import assert from 'node:assert/strict';
import { chown, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { after, before } from 'mocha';
import { type RunningPostgres, startPostgres } from '../../dev/postgres.ts';
import { eventually } from '../../lab/eventually.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { atomically, isOutage } from '../../src/platform/postgres/transaction.ts';
import { useFolder } from '../runtime/support.ts';
import { selfSigned, selfSignedByName } from '../support/certificate.ts';

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error);

/** What a program gets that asks the database one thing: `tls`, `plain`, or the code of the failure. */
async function look(url: URL | string): Promise<unknown> {
  const sql = openPool(String(url), { max: 1, name: 'look' });
  try {
    const [row] = await sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.ssl ? 'tls' : 'plain';
  } catch (error) {
    return codeOf(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

describe('a connection to PostgreSQL', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let server: RunningPostgres | undefined;
  let admin: Pool | undefined;

  function urlWith(parameters: Record<string, string>, host = '127.0.0.1'): URL {
    const url = new URL(server?.url ?? '');
    url.hostname = host;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }

  /** Has the server show this certificate from now on, and answers a file with it as the only authority. */
  async function present({ key, cert }: { key: string; cert: string }): Promise<string> {
    const home = join(folder.path, 'postgres', 'cluster');
    const { uid, gid } = await stat(join(home, 'PG_VERSION'));
    for (const [name, text] of Object.entries({ key, cert })) {
      const file = join(home, `server.${name}`);
      await writeFile(file, text, { mode: 0o600 });
      await chown(file, uid, gid);
    }
    await admin?.unsafe(`alter system set ssl_cert_file = 'server.cert'`);
    await admin?.unsafe(`alter system set ssl_key_file = 'server.key'`);
    await admin?.unsafe('alter system set ssl = on');
    await admin?.unsafe('select pg_reload_conf()');
    const authority = join(folder.path, `${cert.length}.pem`);
    await writeFile(authority, cert);
    await eventually('the server shows its certificate', async () => {
      const url = urlWith({ sslmode: 'verify-ca', sslrootcert: authority });
      return (await look(url)) === 'tls';
    });
    return authority;
  }

  before('start a server', async () => {
    server = await startPostgres({ dataDir: folder.path, log: () => {} });
    admin = openPool(server.url, { max: 1, name: 'test' });
  });
  after('end the server', async () => {
    await admin?.end({ timeout: 1 });
    await server?.stop();
  });

  it('is not made, or made in the clear, with a server that has no TLS, as sslmode says', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      assert.equal(await look(urlWith({ sslmode: mode })), 'ECONNRESET', mode);
    }
    for (const mode of ['disable', 'prefer', 'allow']) assert.equal(await look(urlWith({ sslmode: mode })), 'plain');
    assert.equal(await look(urlWith({})), 'plain');
    assert.throws(() => openPool(urlWith({ sslmode: 'full' }).href, { max: 1, name: 'test' }), /sslmode/);
  });

  it('holds the certificate against the very host that was asked for, an address too', async () => {
    const ofAddress = await present(selfSigned);
    const full = { sslmode: 'verify-full', sslrootcert: ofAddress };
    assert.equal(await look(urlWith(full)), 'tls');
    assert.equal(await look(urlWith(full, 'localhost')), 'ERR_TLS_CERT_ALTNAME_INVALID');
    assert.equal(await look(urlWith({ ...full, sslmode: 'verify-ca' }, 'localhost')), 'tls');
    const ofName = await present(selfSignedByName);
    assert.equal(await look(urlWith({ sslmode: 'verify-full', sslrootcert: ofName }, 'localhost')), 'tls');
    assert.equal(await look(urlWith({ sslmode: 'verify-full', sslrootcert: ofName })), 'ERR_TLS_CERT_ALTNAME_INVALID');
    assert.equal(
      await look(urlWith({ sslmode: 'verify-full', sslrootcert: ofAddress })),
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    );
    assert.equal(
      await look(urlWith({ sslmode: 'verify-full' })),
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      "Node.js's authorities",
    );
    assert.equal(await look(urlWith({ sslmode: 'require' })), 'tls', 'which checks nothing');
  });

  it('that is cut off under TLS fails its transaction, and neither the process nor the pool', async () => {
    const authority = await present(selfSigned);
    const sql = openPool(urlWith({ sslmode: 'verify-full', sslrootcert: authority }).href, { max: 2, name: 'cut' });
    try {
      const large = await sql<{ length: number }[]>`select length(${'x'.repeat(3_000_000)}) as length`;
      assert.equal(large[0]?.length, 3_000_000);
      for (let round = 0; round < 5; round += 1) {
        const cut = atomically(sql, async (tx) => {
          const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
          await admin?.unsafe(`select pg_terminate_backend(${row?.pid})`);
          await tx`select 1`;
        });
        await assert.rejects(cut, (error) =>
          ['57P01', 'CONNECTION_CLOSED', 'ECONNRESET'].includes(String(codeOf(error))),
        );
        // A statement that was sent in the same moment may have gone down with it.
        await eventually('the pool goes on', () => sql`select 1`.catch(() => null));
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
  });
});

describe('a pool whose server is away', () => {
  it('tries again at once, however often it has failed before', async () => {
    const sql = openPool('postgres://u@127.0.0.1:1/d', { max: 1, name: 'away' });
    const startedAt = performance.now();
    for (let tries = 0; tries < 10; tries += 1) await assert.rejects(sql`select 1`, isOutage);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < 5_000, `ten tries took ${Math.round(tookMs)} ms`);
    await sql.end({ timeout: 1 });
  });
});

describe('a pool whose server does not respond', () => {
  it('waits for a connection as long as connect_timeout of the URL says', async () => {
    const server = createServer((socket) => void socket.on('error', () => {}));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const sql = openPool(`postgres://u@127.0.0.1:${port}/d?connect_timeout=1`, { max: 1, name: 'silent' });
    const startedAt = performance.now();
    await assert.rejects(sql`select 1`, (error) => isOutage(error) && codeOf(error) === 'CONNECT_TIMEOUT');
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs > 900 && tookMs < 4_000, `${Math.round(tookMs)} ms`);
    await sql.end({ timeout: 1 });
    server.close();
  });

  it('is refused when connect_timeout is not a number of seconds', () => {
    const url = 'postgres://u@127.0.0.1:1/d?connect_timeout=soon';
    assert.throws(() => openPool(url, { max: 1, name: 'away' }), /connect_timeout must be a number of seconds/);
  });
});

describe('the start of TLS with PostgreSQL', () => {
  const servers: Server[] = [];
  after('end the servers', () => {
    for (const server of servers) server.close();
  });

  /** A server that answers the first message of each connection; its port. */
  async function listen(answer: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => answer(socket));
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, listening));
    return (server.address() as AddressInfo).port;
  }

  it('names the host that was asked for, and no address', async () => {
    const named: unknown[] = [];
    const port = await listen((socket) => {
      socket.write('S');
      const secure = new TLSSocket(socket, {
        isServer: true,
        ...selfSigned,
        SNICallback: (name, done) => done(null, void named.push(name)),
      });
      secure.on('error', () => {});
      secure.once('secure', () => {
        named.push('secure');
        secure.destroy();
      });
    });
    await look(`postgres://u@localhost:${port}/d?sslmode=require`);
    assert.deepEqual(named.splice(0), ['localhost', 'secure']);
    await look(`postgres://u@127.0.0.1:${port}/d?sslmode=require`);
    assert.deepEqual(named, ['secure']);
  });

  it('takes nothing that was put before it, and ends when the server does', async () => {
    const meddled = await listen((socket) => {
      socket.write('SR\0\0\0\x08\0\0\0\0');
      socket.once('data', () => socket.destroy());
    });
    assert.equal(await look(`postgres://u@127.0.0.1:${meddled}/d?sslmode=require`), 'ECONNRESET');
    const gone = await listen((socket) => socket.destroy());
    assert.equal(await look(`postgres://u@127.0.0.1:${gone}/d?sslmode=require`), 'CONNECTION_CLOSED');
    assert.equal(await look(`postgres://u@127.0.0.1:${gone}/d`), 'CONNECTION_CLOSED', 'without TLS too');
  });
});
