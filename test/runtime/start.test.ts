import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePorts, type Ports, Start } from './start-process.ts';
import { stillAlive, until, useFolder } from './support.ts';

describe('npm start', function () {
  this.timeout(120_000);
  const folder = useFolder();
  const running: Start[] = [];

  function start(name: string, ports: Ports): Start {
    const begun = new Start(join(folder.path, name), ports);
    running.push(begun);
    return begun;
  }
  afterEach('end what a failed test has left', async () => {
    for (const begun of running.splice(0)) {
      begun.child.kill('SIGTERM');
      await begun.ended;
    }
  });

  it('boots everything, writes development.json for its owner alone, and says ready once', async () => {
    const ports = await freePorts();
    const begun = start('first', ports);
    const development = await begun.ready();
    assert.equal(development.base_url, `http://127.0.0.1:${ports.PORT}`);
    assert.equal(development.temporal_ui_url, `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`);
    assert.equal(development.temporal_address, `127.0.0.1:${ports.TEMPORAL_PORT}`);
    assert.equal((await stat(join(begun.dataDir, 'development.json'))).mode & 0o777, 0o600);
    assert.equal((await stat(join(begun.dataDir, 'encryption.key'))).mode & 0o777, 0o600);
    assert.equal((await fetch(`${development.base_url}/healthz`)).status, 200);
    assert.equal((await fetch(String(development.temporal_ui_url))).status, 200);
    assert.equal(begun.output.match(/^ready/gm)?.length, 1);
  });

  it('ends in order with 0 when Ctrl-C reaches its whole group twice, and leaves no process behind', async () => {
    const begun = start('first', await freePorts());
    await begun.ready();
    const pids = Object.values(await begun.pids());
    const group = -(begun.child.pid ?? 0);
    process.kill(group, 'SIGINT');
    process.kill(group, 'SIGINT');
    assert.equal(await begun.ended, 0);
    assert.deepEqual(await stillAlive(pids), []);
    const ends = [...begun.output.matchAll(/\] (.*) has ended/g)].map(([, name]) => name);
    assert.deepEqual(ends, ['API', 'Worker', 'Temporal Web UI', 'Temporal', 'PostgreSQL']);
  });

  it('keeps biller and keys over a restart', async () => {
    const first = start('first', await freePorts());
    const before = await first.ready();
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);
    const after = await start('first', await freePorts()).ready();
    assert.deepEqual([after.biller_id, after.keys], [before.biller_id, before.keys]);
  });

  it('runs side by side with a copy that has other ports and another DATA_DIR', async () => {
    const [one, other] = [start('first', await freePorts()), start('second', await freePorts())];
    const [first, second] = await Promise.all([one.ready(), other.ready()]);
    assert.notEqual(first.biller_id, second.biller_id);
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

  it('refuses a DATA_DIR that a running copy uses, and leaves that one alone', async () => {
    const first = start('first', await freePorts());
    const { base_url } = await first.ready();
    const second = start('first', await freePorts());
    assert.equal(await second.ended, 1);
    assert.match(second.output, new RegExp(`is in use: .* \\(process ${first.child.pid}\\)`));
    assert.equal((await fetch(`${base_url}/healthz`)).status, 200);
  });

  it('ends everything with 1 when a part dies, and says which and what its log says', async () => {
    const begun = start('first', await freePorts());
    await begun.ready();
    const pids = await begun.pids();
    process.kill(pids.worker, 'SIGKILL');
    assert.equal(await begun.ended, 1);
    assert.match(begun.output, /worker ended unexpectedly \(signal SIGKILL\).*logs\/worker\.log/);
    assert.deepEqual(await stillAlive(Object.values(pids)), []);
  });

  it('clears away what a start that was killed has left behind, and goes on with its data', async () => {
    const killed = start('first', await freePorts());
    const before = await killed.ready();
    const pids = await killed.pids();
    killed.child.kill('SIGKILL');
    await killed.ended;
    await until(
      'API and worker notice by themselves',
      async () => (await stillAlive([pids.api, pids.worker])).length === 0,
      20_000,
    );
    const next = start('first', await freePorts());
    assert.equal((await next.ready()).biller_id, before.biller_id);
    assert.match(next.output, /left temporal behind/);
    assert.deepEqual(await stillAlive(Object.values(pids)), []);
  });

  it('goes on with its data after all of its processes were killed at once', async () => {
    const killed = start('first', await freePorts());
    const before = await killed.ready();
    const pids = Object.values(await killed.pids());
    for (const pid of [killed.child.pid ?? 0, ...pids]) process.kill(pid, 'SIGKILL');
    const next = start('first', await freePorts());
    assert.equal((await next.ready()).biller_id, before.biller_id);
    assert.deepEqual(await stillAlive(pids), []);
  });
});
