import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Sandbox, startSandbox } from '@payments-service/sandbox';
import { root, runProgram } from '../../lab/run-program.ts';
import { useReceiver } from '../support/webhooks.ts';

const examples = join(root, 'clients/sandbox/examples');
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
/** Installed or in npm's cache: `.ci/run` brings it. */
const vitest = ['exec', '--no', '--package', 'vitest@5.1.1', '--', 'vitest'];
const hasVitest = spawnSync('npm', [...vitest, '--version'], { cwd: tmpdir() }).status === 0;

describe('the sandbox for tests of a biller', function () {
  this.timeout(180_000);
  const receiver = useReceiver();
  let started: Sandbox;
  const joined: Sandbox[] = [];

  before('start a service', async () => {
    started = await startSandbox({ service: root, dataDir: 'none-of-this-name' });
  });
  afterEach('leave', async () => {
    for (const sandbox of joined.splice(0)) await sandbox.stop();
    receiver.reset();
  });
  after('end the service', () => started.stop());

  async function joinIt(): Promise<Sandbox> {
    const sandbox = await startSandbox({ dataDir: started.dataDir });
    joined.push(sandbox);
    return sandbox;
  }

  it('joins a service that runs, with an account of its own', async () => {
    const [one, other] = [await joinIt(), await joinIt()];
    assert.deepEqual([one.baseUrl, other.baseUrl], [started.baseUrl, started.baseUrl]);
    assert.equal(new Set([started.billerId, one.billerId, other.billerId]).size, 3);
    const { id, biller_id } = await one.payments.customers.create({ name: 'Ada' });
    assert.equal(biller_id, one.billerId);
    await assert.rejects(other.payments.customers.get(id), { status: 404 });
    for (const key of Object.values(one.keys)) {
      const response = await fetch(`${one.baseUrl}/api/v1/customers`, { headers: { Authorization: `Bearer ${key}` } });
      assert.notEqual(response.status, 401);
    }
  });

  it('advances a clock beyond the bound, and returns when the receiver has received everything', async () => {
    const sandbox = await joinIt();
    await sandbox.payments.webhookEndpoints.create({ url: receiver.url });
    const clock = await sandbox.clock({ at: '2028-01-03T09:00:00Z', name: 'Renewals' });
    assert.equal(clock.state.name, 'Renewals');
    const ready = await clock.advance('2028-06-01T00:00:00Z');
    assert.equal(ready.frozen_time, '2028-06-01T00:00:00.000Z');
    const types = receiver.received.map(({ body }) => JSON.parse(body).event_type);
    assert.equal(types.filter((type) => type === 'test_clock.ready').length, 3);

    receiver.answer = (_, response) => void response.writeHead(500).end();
    await assert.rejects(clock.advance('2028-06-02T00:00:00Z', { timeoutMs: 500 }), /1 webhooks .* still pending/);
    await clock.delete();
  });

  it('goes on with a fresh account after a reset', async () => {
    const sandbox = await joinIt();
    const { billerId, keys, payments } = sandbox;
    await sandbox.clock();
    await payments.customers.create({ name: 'Ada' });
    await sandbox.reset();
    assert.notEqual(sandbox.billerId, billerId);
    assert.notEqual(sandbox.keys.sandbox_secret, keys.sandbox_secret);
    assert.deepEqual((await sandbox.payments.customers.list()).data, []);
    assert.deepEqual((await payments.testClocks.list()).data, []);
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

  it('says what to do if no service runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    await assert.rejects(startSandbox({ dataDir: folder }), /No payments service runs from .* npm start/);
    await assert.rejects(startSandbox({ service: folder, startTimeoutMs: 20_000 }), /has not started:\n/);
    await rm(folder, { recursive: true });
  });

  it('joins the service that wrote development.json alone, whatever has its ports by now', async () => {
    const file = (dataDir: string) => join(dataDir, 'development.json');
    const written = JSON.parse(readFileSync(file(started.dataDir), 'utf8'));
    const dead = 'http://127.0.0.1:1';
    for (const named of [
      { ...written, accounts_url: dead }, // killed, and another copy has the port of its API
      { ...written, accounts_url: written.base_url }, // and something has the port of its accounts, which says yes
      { ...written, accounts_token: 'of an earlier start' },
      { ...written, base_url: dead },
    ]) {
      const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
      await writeFile(file(folder), JSON.stringify(named));
      await assert.rejects(startSandbox({ dataDir: folder }), { message: new RegExp(`No payments .* from ${folder}`) });
      await rm(folder, { recursive: true });
    }
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    await writeFile(file(folder), '{"base_url": "half');
    await assert.rejects(startSandbox({ dataDir: folder }), { message: new RegExp(`No payments .* from ${folder}`) });
    await rm(folder, { recursive: true });
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
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(examples, 'pytest')];
      const given = { ...env(), PYTHONDONTWRITEBYTECODE: '1' };
      const { code, stdout, stderr } = await runProgram('python3', args, { cwd: root, env: given });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /1 passed/);
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

  it('ends the service that it has started, and deletes its data', async () => {
    const own = await startSandbox({ service: root, dataDir: 'none-of-this-name' });
    assert.notEqual(own.baseUrl, started.baseUrl);
    await own.stop();
    await assert.rejects(fetch(`${own.baseUrl}/healthz`));
    assert.ok(!existsSync(own.dataDir));
  });
});
