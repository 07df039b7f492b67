import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Sandbox, startSandbox } from '@payments-service/sandbox';
import { root, runProgram } from '../../lab/run-program.ts';
import { pythonSandboxDriver, useDriver, whyNoPython } from './languages/driver.ts';
import { itGivesTestsAnAccount } from './languages/sandbox.ts';
import { typescriptSandboxes } from './languages/sandbox-in-typescript.ts';

const examples = join(root, 'clients/sandbox/examples');
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
/** Installed or in npm's cache: `.ci/run` brings it. */
const vitest = ['exec', '--no', '--package', 'vitest@5.1.1', '--', 'vitest'];
const hasVitest = spawnSync('npm', [...vitest, '--version'], { cwd: tmpdir() }).status === 0;

const noPython = await whyNoPython();

describe('the sandbox for tests of a biller', function () {
  this.timeout(180_000);
  let started: Sandbox;

  before('start a service', async () => {
    started = await startSandbox({ service: root, dataDir: 'none-of-this-name' });
  });
  after('end the service', () => started.stop());

  describe('in TypeScript', () => itGivesTestsAnAccount(typescriptSandboxes(), () => started.dataDir));

  if (noPython !== null) it(`is not tested in Python, because ${noPython}`);
  else
    describe('in Python', () => {
      const driver = useDriver(pythonSandboxDriver, () => ({ url: started.baseUrl, key: 'sk_1' }));
      itGivesTestsAnAccount(driver, () => started.dataDir);
    });

  it('gets accounts by the token of development.json alone', async () => {
    const { accounts_url, accounts_token } = JSON.parse(
      readFileSync(join(started.dataDir, 'development.json'), 'utf8'),
    );
    const status = async (method: string, token: string) =>
      (await fetch(accounts_url, { method, headers: { Authorization: `Bearer ${token}` } })).status;
    assert.deepEqual(
      [await status('POST', 'wrong'), await status('POST', ''), await status('PUT', accounts_token)],
      [401, 401, 405],
    );
    assert.equal(await status('POST', accounts_token), 201);
  });

  const env = () => ({ ...process.env, DATA_DIR: started.dataDir, NODE_OPTIONS: '' });

  it('has an example for mocha, which passes', async () => {
    const program = join(root, 'node_modules/mocha/bin/mocha.js');
    const args = ['--conditions=payments-source', program, '--no-config', join(examples, 'mocha/*.test.ts')];
    const { code, stdout, stderr } = await runProgram(process.execPath, args, {
      cwd: root,
      env: env(),
      timeoutMs: 90_000,
    });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /1 passing/);
  });

  if (!hasPytest) it('has an example for pytest, which is not run, since pytest is not on this machine');
  else
    it('has an example for pytest, which passes', async () => {
      const plugin = ['-p', 'payments_service.sandbox.pytest_plugin']; // pip would tell pytest
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...plugin, join(examples, 'pytest')];
      const python = { PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: join(root, 'clients/python/src') };
      // The command line is that of the folder; the service is the one that runs from DATA_DIR.
      const given = { ...env(), ...python, PAYMENTS_SERVICE: root };
      const { code, stdout, stderr } = await runProgram('python3', args, { cwd: root, env: given });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /4 passed/);
    });

  if (!hasVitest) it('has an example for vitest, which is not run, since vitest is not on this machine');
  else
    it('has an example for vitest, which passes', async () => {
      // vitest resolves packages itself: here their sources, as --conditions does for Node.js.
      const config = join(await mkdtemp(join(tmpdir(), 'vitest-')), 'vitest.config.mjs');
      const resolve = { conditions: ['payments-source', 'node', 'module', 'import', 'default'] };
      await writeFile(config, `export default ${JSON.stringify({ resolve, ssr: { resolve } })};`);
      const folders = ['--root', examples, '--dir', join(examples, 'vitest'), '--config', config];
      const args = [...vitest, 'run', ...folders];
      const given = { ...env(), NODE_OPTIONS: '--conditions=payments-source', NO_COLOR: '1' };
      const { code, stdout, stderr } = await runProgram('npm', args, { cwd: tmpdir(), env: given });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /1 passed/);
      await rm(dirname(config), { recursive: true });
    });
});
