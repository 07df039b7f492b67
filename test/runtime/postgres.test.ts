import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type RunningPostgres, startPostgres } from '../../dev/postgres.ts';
import { stillAlive, useFolder } from './support.ts';

describe('the embedded PostgreSQL', () => {
  const folder = useFolder();
  let server: RunningPostgres;
  const start = async () => {
    server = await startPostgres({ dataDir: folder.path, log: () => {} });
    return postgres(server.url, { max: 1, onnotice: () => {} });
  };
  afterEach('end the server', () => server.stop());

  it('is durable, takes 200 connections and listens on loopback alone', async () => {
    const sql = await start();
    const rows = await sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'max_connections', 'listen_addresses')`;
    await sql.end();
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.setting])), {
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      max_connections: '200',
      synchronous_commit: 'on',
    });
  });

  it('keeps what was committed over a restart', async () => {
    const first = await start();
    await first`create table kept as select 42 as answer`;
    await first.end();
    await server.stop();
    const second = await start();
    const rows = await second`select answer from kept`;
    await second.end();
    assert.deepEqual([...rows], [{ answer: 42 }]);
  });

  it('lets nobody in without the password, which only its owner can read', async () => {
    await (await start()).end();
    const stranger = postgres(server.url.replace(/:[^:@]+@/, ':wrong@'), { max: 1 });
    await assert.rejects(stranger`select 1`.execute(), /password authentication failed/);
    await stranger.end();
    assert.equal((await stat(join(folder.path, 'postgres', 'password'))).mode & 0o777, 0o600);
  });

  it('ends while clients are connected, and leaves no process behind', async () => {
    const sql = await start();
    await sql`select 1`; // connected, however long that took
    const waiting = sql`select pg_sleep(60)`.execute().catch((error: unknown) => error);
    await sleep(50);
    await server.stop();
    assert.ok((await waiting) instanceof Error);
    assert.deepEqual(await stillAlive([server.pid]), []);
    await sql.end({ timeout: 1 }); // there is nobody left to say goodbye to
  });

  it('comes back after it was killed, and first ends one that an earlier run left behind', async () => {
    const sql = await start();
    await sql`create table survived as select 1 as one`;
    await sql.end();
    const leftBehind = server.pid;
    const again = await start(); // the first one still runs
    assert.deepEqual(await stillAlive([leftBehind]), []);
    assert.deepEqual([...(await again`select one from survived`)], [{ one: 1 }]);
    await again.end();
  });
});
