import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { after } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

/** The SDK aborts a workflow task after five seconds. */
const stoppedMs = 6_500;

describe('a worker process that is stopped while a workflow thinks', function () {
  this.timeout(serverStartTimeoutMs);
  let child: ChildProcess | undefined;
  after('end the process', () => child?.kill('SIGKILL'));

  it('begins the workflow task again when it is continued, and lives', async () => {
    const program = fileURLToPath(new URL('slow-workflow/process.ts', import.meta.url));
    const given = [await temporalServer(), testNamespace, `test-${randomBytes(6).toString('hex')}`];
    child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let stopWhenItThinks: (() => void) | undefined = () => child?.kill('SIGSTOP');
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        said += chunk;
        if (!said.includes('thinking')) return;
        stopWhenItThinks?.();
        stopWhenItThinks = undefined;
      });
    }
    const ended = once(child, 'exit');
    const thoughts = () => said.match(/thinking/g)?.length ?? 0;
    await eventually('it thinks', () => said.includes('thinking'), { timeoutMs: 120_000 });
    await pause(stoppedMs);
    child.kill('SIGCONT');
    await eventually('it is done', () => child?.exitCode !== null, { timeoutMs: 120_000 });
    assert.ok(thoughts() > 1, said);
    assert.deepEqual(await ended, [0, null], said);
    assert.match(said, /thought/);
  });
});
