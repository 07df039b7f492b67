import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@payments-service/sandbox';
import { after, before, describe, it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';

const gym = join(root, 'examples/gym');
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

describe('the gym of examples/', function () {
  this.timeout(180_000);
  let started: Sandbox;
  before('start a service', async () => {
    started = await startSandbox({ service: root, dataDir: 'none-of-this-name' });
  });
  after('end the service', () => started.stop());

  const runs = async (program: string, args: string[], more: Record<string, string> = {}) => {
    const env = { ...process.env, DATA_DIR: started.dataDir, NODE_OPTIONS: '', PAYMENTS_SERVICE: root, ...more };
    const { code, stdout, stderr } = await runProgram(program, args, { cwd: root, env, timeoutMs: 150_000 });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };

  it('is paid in TypeScript as its own tests say', async () => {
    const test = join(gym, 'typescript/gym.test.ts');
    const args = ['--conditions=payments-source', '--test', '--test-reporter=tap', test];
    assert.match(await runs(process.execPath, args), /^# pass 2$/m);
  });

  if (!hasPytest) it('is not run in Python, since pytest is not on this machine');
  else
    it('is paid in Python as its own tests say', async () => {
      const plugin = ['-p', 'payments_service.sandbox.pytest_plugin'];
      const python = { PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: join(root, 'clients/python/src') };
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...plugin, join(gym, 'python')];
      assert.match(await runs('python3', args, python), /2 passed/);
    });
});
