import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

/** Longer than a workflow may think at a stretch, which the SDK limits to five seconds. */
const stoppedMs = 6_500;

describe('a worker process', function () {
  this.timeout(serverStartTimeoutMs);
  let child: ChildProcess | undefined;
  afterEach('end the process', () => child?.kill('SIGKILL'));

  /** Starts the process with the workflow of this type. */
  async function start(workflowType: string): Promise<ChildProcess> {
    const program = fileURLToPath(new URL('slow-workflow/process.ts', import.meta.url));
    const queue = `test-${randomBytes(6).toString('hex')}`;
    child = spawn(process.execPath, [program, await temporalServer(), testNamespace, queue, workflowType], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return child;
  }

  it('fails the task of a workflow that never returns, names the run, and lives', async () => {
    const child = await start('hangs');
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    await eventually('the task has failed', () => said.includes('Script execution timed out'), { timeoutMs: 120_000 });
    assert.match(said, /"run_id":"[0-9a-f-]{36}"/);
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
  });

  it('that is stopped while a workflow thinks finishes its task when it is continued, and lives', async () => {
    const child = await start('thinks');
    let said = '';
    let stopWhenItThinks: (() => void) | undefined = () => child.kill('SIGSTOP');
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        said += chunk;
        if (!said.includes('thinking')) return;
        stopWhenItThinks?.();
        stopWhenItThinks = undefined;
      });
    }
    const ended = once(child, 'exit');
    await eventually('it thinks', () => said.includes('thinking'), { timeoutMs: 120_000 });
    await pause(stoppedMs);
    child.kill('SIGCONT');
    await eventually('it is done', () => child.exitCode !== null, { timeoutMs: 120_000 });
    assert.deepEqual(await ended, [0, null], said);
    assert.match(said, /thought/);
  });
});
