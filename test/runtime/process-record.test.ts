import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startDaemon, stopLeftover } from '../../dev/daemon.ts';
import { findFreePorts, probePort } from '../../dev/ports.ts';
import { findRecordedProcess, recordProcess, takeLock } from '../../dev/process-record.ts';
import { eventually } from '../../lab/eventually.ts';
import { stillAlive, useFolder } from './support.ts';

describe('a recorded process', () => {
  const folder = useFolder();

  it('is found as long as it lives', async () => {
    const file = join(folder.path, 'child.json');
    const child = spawn('sleep', ['60']);
    recordProcess(file, child.pid ?? 0);
    assert.equal(await findRecordedProcess(file), child.pid);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(await findRecordedProcess(file), null);
  });

  it('is not mistaken for a stranger that was given its number', async () => {
    const file = join(folder.path, 'stranger.json');
    recordProcess(file, process.pid);
    const record = await readFile(file, 'utf8');
    await writeFile(file, record.replace(/"identity":"[^"]*"/, '"identity":"an earlier boot/1"'));
    assert.equal(await findRecordedProcess(file), null);
  });

  it('is ended as a leftover, and killed when it does not listen', async () => {
    const daemon = await startDaemon({
      name: 'stubborn',
      dataDir: folder.path,
      command: '/bin/sh',
      args: ['-c', 'trap "" TERM; echo deaf > deaf; while :; do sleep 0.1; done'],
      cwd: folder.path,
      env: { PATH: '/usr/bin:/bin' },
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 1_000,
    });
    await eventually('it does not listen', () => existsSync(join(folder.path, 'deaf')));
    const said: string[] = [];
    await stopLeftover(folder.path, 'stubborn', 'SIGTERM', 300, (line) => said.push(line));
    assert.equal(await daemon.exited, 'signal SIGKILL');
    assert.deepEqual(await stillAlive([daemon.pid]), []);
    assert.match(said.join('\n'), /left stubborn behind \(process \d+\)/);
  });
});

describe('a lock', () => {
  const folder = useFolder();

  it('is held by one process until that releases it', async () => {
    const file = join(folder.path, 'lock');
    const first = await takeLock(file);
    assert.ok(first.taken);
    assert.deepEqual(await takeLock(file), { taken: false, holder: process.pid });
    await first.release();
    assert.ok((await takeLock(file)).taken);
  });

  it('is free again when its holder was killed', async () => {
    const file = join(folder.path, 'killed');
    const holder = spawn('sleep', ['60']);
    recordProcess(file, holder.pid ?? 0);
    assert.equal((await takeLock(file)).taken, false);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    assert.ok((await takeLock(file)).taken);
  });
});

describe('ports', () => {
  it('that are found free are all different, and each can be listened on', async () => {
    const ports = await findFreePorts(20);
    assert.equal(new Set(ports).size, 20);
    for (const port of ports) {
      assert.equal(await probePort(port), 'free');
    }
  });

  it('are distinguished if they have a listener', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    assert.equal(await probePort(address.port), 'EADDRINUSE');
    server.close();
  });
});
