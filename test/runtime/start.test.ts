import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../../lab/eventually.ts';
import { freePorts, type Ports, Start } from './start-process.ts';
import { stillAlive, useFolder } from './support.ts';

describe('npm start', function () {
  this.timeout(300_000);
  const running: Start[] = [];
  let copy: Start | undefined;
  after('end what is left', async () => {
    for (const begun of running.splice(0)) {
      begun.child.kill('SIGTERM');
      await begun.ended;
    }
  });
  const folder = useFolder();

  function start(name: string, ports: Ports): Start {
    const begun = new Start(join(folder.path, name), ports);
    running.push(begun);
    return begun;
  }

  /** A copy that is ready: the one that the test before has left, or else a new one on the same data. */
  async function up(): Promise<{ copy: Start; development: Record<string, unknown> }> {
    if (copy === undefined || copy.child.exitCode !== null || copy.child.signalCode !== null)
      copy = start('first', await freePorts());
    return { copy, development: await copy.ready() };
  }

  it('boots everything, writes development.json for its owner alone, and says ready once', async () => {
    const { copy, development } = await up();
    const { ports } = copy;
    assert.equal(development.base_url, `http://127.0.0.1:${ports.PORT}`);
    assert.equal(development.temporal_ui_url, `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`);
    assert.equal(development.temporal_address, `127.0.0.1:${ports.TEMPORAL_PORT}`);
    assert.equal((await stat(join(copy.dataDir, 'development.json'))).mode & 0o777, 0o600);
    assert.equal((await stat(join(copy.dataDir, 'encryption.key'))).mode & 0o777, 0o600);
    assert.equal((await fetch(`${development.base_url}/healthz`)).status, 200);
    assert.equal((await fetch(String(development.temporal_ui_url))).status, 200);
    assert.equal(copy.output.match(/^ready/gm)?.length, 1);
  });

  it('refuses a DATA_DIR that a running copy uses, and leaves that one alone', async () => {
    const { copy, development } = await up();
    const second = start('first', await freePorts());
    assert.equal(await second.ended, 1);
    assert.match(second.output, new RegExp(`is in use: .* \\(process ${copy.child.pid}\\)`));
    assert.equal((await fetch(`${development.base_url}/healthz`)).status, 200);
  });

  it('runs side by side with a copy that has other ports and another DATA_DIR', async () => {
    const other = start('second', await freePorts());
    const [first, second] = await Promise.all([up(), other.ready()]);
    assert.notEqual(first.development.biller_id, second.biller_id);
    other.child.kill('SIGTERM');
    assert.equal(await other.ended, 0);
    assert.equal((await fetch(`${first.development.base_url}/healthz`)).status, 200);
  });

  it('keeps biller and keys over a restart, and has no development.json from its stop until it is ready', async () => {
    const before = await up();
    const file = join(before.copy.dataDir, 'development.json');
    before.copy.child.kill('SIGTERM');
    await eventually('the stop begins', () => /ending everything in order/.test(before.copy.output), { everyMs: 1 });
    await eventually('the file is gone', async () => !existsSync(file), { timeoutMs: 1_000, everyMs: 1 });
    assert.equal(before.copy.child.exitCode, null, 'before anything that it names has ended');
    assert.equal(await before.copy.ended, 0);
    // A service that was killed leaves it behind.
    await writeFile(file, JSON.stringify(before.development));
    const next = up();
    await eventually('PostgreSQL is up', () => copy !== before.copy && /PostgreSQL is up/.test(copy?.output ?? ''));
    assert.equal(existsSync(file), false);
    const { development } = await next;
    assert.equal((await stat(join(before.copy.dataDir, 'demo-biller.json'))).mode & 0o777, 0o600);
    assert.deepEqual(
      [development.biller_id, development.keys],
      [before.development.biller_id, before.development.keys],
    );
  });

  it('ends in order with 0 when Ctrl-C reaches its whole group twice, and leaves no process behind', async () => {
    const { copy } = await up();
    const pids = Object.values(await copy.pids());
    const group = -(copy.child.pid ?? 0);
    process.kill(group, 'SIGINT');
    process.kill(group, 'SIGINT');
    assert.equal(await copy.ended, 0);
    assert.deepEqual(await stillAlive(pids), []);
    const ends = [...copy.output.matchAll(/\] (.*) has ended/g)].map(([, name]) => name);
    assert.deepEqual(ends, ['API', 'Pages', 'Worker', 'Temporal', 'PostgreSQL']);
  });

  it('refuses a taken port before it starts anything, and names port and variable', async () => {
    const ports = await freePorts();
    const stranger = createServer().listen(Number(ports.TEMPORAL_UI_PORT), '127.0.0.1');
    await once(stranger, 'listening');
    const begun = start('never', ports);
    assert.equal(await begun.ended, 1);
    assert.match(begun.output, new RegExp(`Port ${ports.TEMPORAL_UI_PORT} is taken .* TEMPORAL_UI_PORT`));
    await assert.rejects(stat(join(begun.dataDir, 'logs')), /ENOENT/);
    stranger.close();
  });

  it('ends with 1 when a process ends before it was ever ready, and its own last words are the last line', async () => {
    // An address of no machine.
    const begun = start('unready', { ...(await freePorts()), HOST: '192.0.2.1' });
    assert.equal(await begun.ended, 1);
    assert.match(begun.output, /(api|pages) ended while starting \(exit code 1\)\. The end of .*logs\/\1\.log:/);
    assert.match(
      begun.output.trimEnd().split('\n').at(-1) ?? '',
      /^HOST must be an address of this machine, not "192\.0\.2\.1"$/,
    );
    assert.doesNotMatch(begun.output, /starting it again/);
  });

  it('clears away what a start that was killed has left behind, and goes on with its data', async () => {
    const killed = await up();
    const pids = await killed.copy.pids();
    killed.copy.child.kill('SIGKILL');
    await killed.copy.ended;
    await eventually(
      'API and worker notice on their own',
      async () => (await stillAlive([pids.api, pids.worker])).length === 0,
      { timeoutMs: 20_000 },
    );
    const next = await up();
    assert.equal(next.development.biller_id, killed.development.biller_id);
    assert.match(next.copy.output, /left temporal behind/);
    assert.deepEqual(await stillAlive(Object.values(pids)), []);
  });

  it('goes on with its data after all of its processes were killed at once, ten times in a row', async () => {
    const { biller_id } = (await up()).development;
    for (let round = 1; round <= 10; round += 1) {
      const { copy: killed } = await up();
      const pids = Object.values(await killed.pids());
      for (const pid of [killed.child.pid ?? 0, ...pids]) process.kill(pid, 'SIGKILL');
      await killed.ended;
      const next = await up();
      assert.equal(next.development.biller_id, biller_id, `round ${round}`);
      assert.deepEqual(await stillAlive(pids), [], `round ${round}`);
    }
  });

  it('ends with 1 when PostgreSQL cannot be brought back, after how many tries, what to do, and why', async () => {
    const { copy } = await up();
    const { postgres, ...others } = await copy.pids();
    await appendFile(join(copy.dataDir, 'postgres/cluster/postgresql.conf'), '\nnonsense\n');
    process.kill(postgres, 'SIGKILL');
    assert.equal(await copy.ended, 1);
    assert.match(copy.output, /PostgreSQL could not be brought back in 7 tries\. The last line below says why/);
    assert.match(copy.output.trimEnd().split('\n').at(-1) ?? '', /^FATAL: +configuration file .* contains errors$/);
    assert.deepEqual(await stillAlive(Object.values(others)), []);
  });
});
