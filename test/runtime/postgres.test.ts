import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type RunningPostgres, startPostgres } from '../../dev/postgres.ts';
import { eventually } from '../../lab/eventually.ts';
import { stillAlive, useFolder } from './support.ts';

describe('the embedded PostgreSQL', () => {
  const folder = useFolder();
  let server: RunningPostgres;
  const said: string[] = [];
  const start = async () => {
    said.length = 0;
    server = await startPostgres({ dataDir: folder.path, log: (line) => said.push(line) });
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

  it('refuses connections without the password, which only its owner can read', async () => {
    await (await start()).end();
    const stranger = postgres(server.url.replace(/:[^:@]+@/, ':wrong@'), { max: 1 });
    await assert.rejects(stranger`select 1`.execute(), /password authentication failed/);
    await stranger.end();
    assert.equal((await stat(join(folder.path, 'postgres', 'password'))).mode & 0o777, 0o600);
  });

  it('says which file to restore when the password in it is another one, and changes nothing', async () => {
    await (await start()).end();
    await server.stop();
    const file = join(folder.path, 'postgres', 'password');
    const right = await readFile(file, 'utf8');
    await writeFile(file, 'another\n');
    const message = `${file} has another password than this PostgreSQL was made with. Restore the file from a back-up.`;
    await assert.rejects(start(), (error: Error) => error.message.startsWith(message));
    assert.equal(await readFile(file, 'utf8'), 'another\n');
    await writeFile(file, right);
    await (await start()).end();
  });

  it('ends while clients are connected, and leaves no process behind', async () => {
    const sql = await start();
    await sql`select 1`; // connected, however long that took
    const waiting = sql`select pg_sleep(60)`.execute().catch((error: unknown) => error);
    await sleep(50);
    await server.stop();
    assert.ok((await waiting) instanceof Error);
    assert.deepEqual(await stillAlive([server.pid]), []);
    await sql.end({ timeout: 1 }); // the server has gone already
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

  it('comes back although the killed process stays a zombie, and says why it waits', async function () {
    if (process.platform !== 'linux') return this.skip();
    await (await start()).end();
    process.kill(server.pid, 'SIGKILL');
    await server.daemon.exited;
    // The shell starts a child, and becomes a program that does not wait for it. Only then the child ends: the shell
    // would wait for it. Root starts PostgreSQL as another user, who sees only its own processes.
    const { uid, gid } = await stat(join(folder.path, 'postgres', 'cluster'));
    const script = '(until grep -q sleep /proc/$$/comm; do sleep 0.1; done) & echo $!; exec sleep 60';
    const parent = spawn('/bin/sh', ['-c', script], { uid, gid, cwd: '/' });
    const [printed] = await once(parent.stdout, 'data');
    const zombie = Number(printed);
    for (const name of ['postgres/cluster/postmaster.pid', 'run/postgres.json']) {
      const file = join(folder.path, name);
      await writeFile(file, (await readFile(file, 'utf8')).replace(String(server.pid), String(zombie)));
    }
    await eventually('it is a zombie', async () => (await readFile(`/proc/${zombie}/stat`, 'utf8')).includes(') Z '));
    await (await start()).end();
    assert.match(said.join('\n'), new RegExp(`process ${zombie} is still in the process table; waiting`));
    parent.kill('SIGKILL');
  });

  it('is refused in a folder in which a server runs that has no record, with its process and what to do', async () => {
    await (await start()).end();
    const { pid, stop } = server;
    await rm(join(folder.path, 'run', 'postgres.json'));
    try {
      await assert.rejects(start(), new RegExp(`already runs from .*cluster \\(process ${pid}\\).*kill -INT ${pid}`));
    } finally {
      await stop();
    }
  });

  it('comes back when the last process of the killed one has ended, and says that it waits', async () => {
    const sql = await start();
    const query = sql`select count(*) from generate_series(1, 4000) one, generate_series(1, 5000) other`.catch(
      () => {},
    );
    await sleep(200);
    process.kill(server.pid, 'SIGKILL');
    await (await start()).end();
    assert.match(said.join('\n'), /some of its processes still run; waiting/);
    await Promise.all([query, sql.end({ timeout: 1 })]);
  });
});
