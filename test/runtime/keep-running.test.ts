import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { type Daemon, startDaemon } from '../../dev/daemon.ts';
import { type KeepOptions, type Kept, keepRunning } from '../../dev/keep-running.ts';
import { StartError } from '../../dev/stack.ts';
import { eventually } from '../../lab/eventually.ts';
import { stillAlive, useFolder } from './support.ts';

describe('a process that is kept running', () => {
  const folder = useFolder();
  let kept: Kept<{ daemon: Daemon }> | undefined;
  let said: string[] = [];
  afterEach('end it', () => kept?.stop());

  const run = (script: string) =>
    startDaemon({
      name: 'worker',
      dataDir: folder.path,
      command: '/bin/sh',
      args: ['-c', script],
      env: { PATH: '/usr/bin:/bin' },
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 1_000,
    });

  function keep(options: Partial<KeepOptions<{ daemon: Daemon }>>): Kept<{ daemon: Daemon }> {
    said = [];
    const start = async () => ({ daemon: await run('exec sleep 60') });
    kept = keepRunning({ name: 'Worker', start, remedy: null, say: (line) => said.push(line), ...options });
    return kept;
  }

  it('is started again each time it ends, after a longer pause, for ever, and its last words are said', async () => {
    keep({
      start: async () => ({ daemon: await run('echo "Error: it broke"; exit 3') }),
      pausesMs: [1, 2, 3],
    });
    const ends = () => said.filter((line) => line.startsWith('Worker ended'));
    await eventually('it was started five times', () => ends().length > 5);
    assert.match(
      ends()[0] ?? '',
      /^Worker ended \(exit code 3\); starting it again in 0\.001 s \(try 1\)\. Its log is .*worker\.log\. The reason: Error: it broke$/,
    );
    const pauses = ends().map((line) => /in ([\d.]+) s/.exec(line)?.[1]);
    assert.deepEqual(pauses.slice(0, 5), ['0.001', '0.002', '0.003', '0.003', '0.003']);
    assert.ok(said.filter((line) => line === 'Worker is up again').length >= 4);
  });

  it('is not tried again when its first start fails', async () => {
    let starts = 0;
    const { started } = keep({
      start: async () => {
        starts += 1;
        throw new Error('PORT is wrong');
      },
      pausesMs: [1],
    });
    await assert.rejects(started, /^Error: PORT is wrong$/);
    await pause(50);
    assert.deepEqual([starts, said], [1, []]);
  });

  it('is given up after one try for each pause, with what to do, and the reason as the last line', async () => {
    let starts = 0;
    const { lost } = keep({
      start: async () => {
        starts += 1;
        if (starts > 1) throw new Error('It did not come up. The end of its log:\nLOG: starting\nFATAL: no space');
        return { daemon: await run('exit 1') };
      },
      remedy: 'Free the disk.',
      pausesMs: [1, 2],
    });
    const error = await lost.catch((reason: unknown) => reason);
    assert.ok(error instanceof StartError);
    const lines = error.message.split('\n');
    assert.equal(lines[0], 'Worker could not be brought back in 2 tries. Free the disk.');
    assert.equal(lines.at(-1), 'FATAL: no space');
    assert.equal(starts, 3);
    assert.match(said[1] ?? '', /^Worker did not start; .*\(try 2 of 2\)\. It did not come up\..* … FATAL: no space$/);
  });

  it('is not started again when it is stopped during the pause before', async () => {
    const { stop, started } = keep({ pausesMs: [60_000] });
    const { daemon } = await started;
    process.kill(daemon.pid, 'SIGKILL');
    await eventually('it has ended', () => said.length > 0);
    assert.match(said[0] ?? '', /^Worker ended \(signal SIGKILL\); .*something killed it \(kill -9\)/);
    await stop();
    assert.equal(said.length, 1);
  });

  it('is ended when it is stopped during a start', async () => {
    const pids: number[] = [];
    const { stop, started } = keep({
      start: async (signal) => {
        const daemon = await run('exec sleep 60');
        pids.push(daemon.pid);
        if (pids.length > 1) {
          await pause(60_000, undefined, { signal }).catch(() => {});
          await daemon.stop();
          throw new Error('stopped');
        }
        return { daemon };
      },
      pausesMs: [1],
    });
    process.kill((await started).daemon.pid, 'SIGKILL');
    await eventually('it starts again', () => pids.length === 2);
    await stop();
    assert.deepEqual([pids.length, await stillAlive(pids)], [2, []]);
  });
});
