import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFolder } from './support.ts';

const LIFECYCLE = new URL('../../src/processes/lifecycle.ts', import.meta.url).href;

describe('the end of a process', () => {
  const folder = useFolder();

  /** A process whose closing does this; resolves when it has said that it is ready. */
  async function start(close: string): Promise<ChildProcess> {
    const file = join(folder.path, `${close.replaceAll(/\W/g, '_')}.mts`);
    await writeFile(
      file,
      `import { announceReady, onShutdown } from ${JSON.stringify(LIFECYCLE)};
      setInterval(() => {}, 1000);
      onShutdown(async () => { ${close} });
      announceReady();`,
    );
    const child = fork(file, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const [message] = await once(child, 'message');
    assert.equal(message, 'ready');
    return child;
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`comes on ${signal} with code 0, after what is to be closed is closed`, async () => {
      const child = await start('await new Promise((done) => setTimeout(done, 50)); console.log("closed");');
      const output = once(child.stdout ?? child, 'data');
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [0, null]);
      assert.match(String((await output)[0]), /closed/);
    });
  }

  it('comes on its own when the supervisor is gone', async () => {
    const child = await start('return;');
    child.disconnect();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('has code 1 when closing fails', async () => {
    const child = await start('throw new Error("stuck");');
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });

  it('is not hurried by the same Ctrl-C arriving twice, but by a second one later', async () => {
    const child = await start('await new Promise(() => {});');
    child.kill('SIGINT');
    child.kill('SIGINT');
    await new Promise((done) => setTimeout(done, 1_200));
    assert.equal(child.exitCode, null);
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });
});
