import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { after } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

/** Longer than the SDK lets a workflow think by itself. */
const stoppedMs = 6_500;

describe('a worker process that is stopped while a workflow thinks', function () {
  this.timeout(serverStartTimeoutMs);
  let child: ChildProcess | undefined;
  after('end the process', () => child?.kill('SIGKILL'));

  it('goes on where it was when it is let, and lives', async () => {
    const program = fileURLToPath(new URL('slow-workflow/process.ts', import.meta.url));
    const given = [await temporalServer(), testNamespace, `test-${randomBytes(6).toString('hex')}`];
    child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    const ended = once(child, 'exit');
    const thoughts = () => said.match(/thinking/g)?.length ?? 0;
    await eventually('it thinks', () => said.includes('thinking'), { timeoutMs: 120_000 });
    child.kill('SIGSTOP');
    await pause(stoppedMs);
    child.kill('SIGCONT');
    const isOver = () => child?.exitCode !== null || thoughts() > 1;
    await eventually('it is done', isOver, { timeoutMs: 120_000 });
    assert.equal(thoughts(), 1, `it had to begin again:\n${said}`);
    assert.deepEqual(await ended, [0, null], said);
    assert.match(said, /thought/);
  });
});
