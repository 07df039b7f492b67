import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PaymentsClient } from '@payments-service/client';
import { startSandbox } from '@payments-service/sandbox';
import { findOnPath } from '../../dev/tool.ts';
import { eventually } from '../../lab/eventually.ts';
import { readProcessTable } from '../../lab/process-table.ts';
import { root, runProgram } from '../../lab/run-program.ts';
import { ask, listenersOf } from '../support/listeners.ts';
import { type Printed, StartedSandbox } from './started-sandbox.ts';
import { becomeStranger, foreignPath, orThrow, type Stranger } from './stranger.ts';

const isLinux = process.platform === 'linux';

describe('the packed sandbox in a folder without this repository', function () {
  this.timeout(180_000);
  let stranger: Stranger;
  const started: StartedSandbox[] = [];

  before('pack it, and install it without the network', async () => {
    stranger = await becomeStranger();
  });
  after('remove it', async () => {
    for (const each of started) if (each.child.exitCode === null) await each.stop();
    await stranger.remove();
  });

  function start(...args: string[]): StartedSandbox {
    const sandbox = new StartedSandbox(stranger, args);
    started.push(sandbox);
    return sandbox;
  }

  const run = (...args: string[]) =>
    runProgram('node', ['node_modules/.bin/payments-sandbox', ...args], { cwd: stranger.folder, env: stranger.env });

  /** Resolves when none of the processes is there. */
  const untilGone = (pids: readonly number[]) =>
    eventually('all processes are gone', async () => {
      const table = await readProcessTable();
      return pids.every((pid) => !table.has(pid));
    });

  it('has the patches of its libraries in it', async () => {
    const folder = join(stranger.folder, 'node_modules/@payments-service/sandbox/dist/service');
    const files = (await readdir(folder)).filter((name) => /\.c?js$/.test(name));
    const code = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
    const patches = (await readdir(join(root, 'patches'))).filter((name) => name.endsWith('.patch'));
    for (const name of patches) {
      const patch = await readFile(join(root, 'patches', name), 'utf8');
      const added = Array.from(patch.matchAll(/^\+ +(?:function )?(\w+\(\)) \{?$/gm), ([, call = '']) => call);
      assert.ok(added.length > 0, `${name} adds a function`);
      for (const call of added) assert.ok(code.includes(call), `${call} of ${name}`);
    }
  });

  describe('started twice in one folder', () => {
    let [first, second] = [] as StartedSandbox[];
    let printed: Printed[] = [];
    before('start both', async () => {
      [first, second] = [start('--port', '0', '--json'), start('--port', '0', '--json')];
      printed = await Promise.all([first.ready(), second.ready()]);
    });

    it('prints one line of JSON on stdout, and on stderr one line that says ready, with address and key', () => {
      assert.ok(first && printed[0]);
      assert.equal(first.stdout.split('\n').length, 2);
      const { base_url, keys, data_dir } = printed[0];
      const ready = first.stderr.split('\n').filter((line) => line.startsWith('ready: '));
      assert.equal(ready.length, 1);
      for (const text of [base_url, keys.sandbox_secret, join(data_dir, 'development.json')]) {
        assert.ok(ready[0]?.includes(text), `${ready[0]} has ${text}`);
      }
    });

    it('charges a plan on a test clock, in each of them alone', async () => {
      const collected = await Promise.all(
        printed.map(async ({ base_url, keys }) => {
          const payments = new PaymentsClient({ baseUrl: base_url, apiKey: keys.sandbox_secret });
          const clock = await payments.testClocks.create({ frozen_time: '2028-01-03T09:00:00Z' });
          const { id } = await payments.customers.create({ name: 'Ada Lovelace', test_clock: clock.id });
          const token = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' } as const;
          await payments.paymentMethods.create({
            type: 'card',
            customer_reference: id,
            payment_method_data: { expiry_month: 12, expiry_year: 2040, token_metadata: token },
          });
          const plan = await payments.paymentPlans.create({
            ...{ customer_id: id, name: 'Gym', frequency_type: 'weekly', start_date: '2028-01-04', currency: 'AUD' },
            ...{ recurring_amount_cents: 2500, until_further_notice: true },
          });
          await payments.paymentPlans.activate(plan.id);
          await payments.testClocks.advanceAndWait(clock.id, { frozen_time: '2028-01-16T00:00:00Z' });
          assert.equal((await payments.testClocks.list()).data.length, 1);
          return (await payments.paymentPlans.get(plan.id)).collected_amount_cents;
        }),
      );
      assert.deepEqual(collected, [5000, 5000]);
    });

    it('serves the reference with its guides and their pictures, the pages, and the Web UI', async () => {
      const [{ base_url, pages_url, temporal_ui_url } = assert.fail()] = printed;
      const text = async (url: string) => (await fetch(url)).text();
      assert.match(await text(`${base_url}/docs/guides/15-workbench`), /<img[^>]+src="data:image\/png;base64,iVBOR/);
      assert.match(await text(`${base_url}/openapi.json`), /"openapi":"3\.1/);
      assert.equal((await fetch(`${pages_url}/healthz`)).status, 200);
      assert.match(await text(temporal_ui_url), /<html/);
    });

    it('listens on loopback alone, and refuses requests for other hosts', async function () {
      if (!isLinux) return this.skip();
      assert.ok(first);
      const listeners = await listenersOf(first.pid);
      assert.ok(listeners.length > 10, `${listeners.length} listeners`);
      assert.deepEqual(
        listeners.filter(({ address }) => !address.startsWith('127.')),
        [],
      );
      const [{ base_url, temporal_ui_url } = assert.fail()] = printed;
      for (const [url, path] of [
        [base_url, '/docs'],
        [base_url, '/ops'],
        [temporal_ui_url, '/'],
      ] as const) {
        const port = Number(new URL(url).port);
        assert.equal((await ask({ port, path }))?.status, 200, path);
        for (const host of ['evil.test', `evil.test:${port}`, '0.0.0.0']) {
          assert.ok([400, 421].includes((await ask({ port, path, host }))?.status ?? 0), `${host} ${path}`);
        }
      }
    });

    it('runs nothing of this repository', async function () {
      if (!isLinux) return this.skip();
      assert.ok(first);
      for (const pid of await first.family()) {
        const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(1).join(' ');
        const env = await readFile(`/proc/${pid}/environ`, 'utf8');
        assert.ok(!`${words} ${env}`.includes(root), `${pid}: ${words}`);
      }
    });

    it('ends all of its processes and deletes its data at SIGTERM, and leaves the other alone', async () => {
      assert.ok(first);
      const family = await first.family();
      assert.equal(await first.stop(), 0);
      await untilGone(family);
      assert.ok(!existsSync(printed[0]?.data_dir ?? ''));
      assert.equal((await fetch(`${printed[1]?.base_url}/readyz`)).status, 200);
    });

    it('leaves no process and no data after a kill -9', async () => {
      assert.ok(second);
      const family = await second.family();
      second.child.kill('SIGKILL');
      await untilGone(family);
      await eventually('the data are gone', () => !existsSync(printed[1]?.data_dir ?? ''));
    });
  });

  it('keeps the data of --data, is joined there, refuses a second service there, and runs on the Node.js that the machine has', async () => {
    const data = join(stranger.folder, 'kept');
    const args = ['--port', '0', '--json', '--data', 'kept'];
    const node = (await findOnPath('node', foreignPath)) ?? process.execPath;
    console.log(`      with Node.js ${(orThrow(await runProgram(node, ['--version']))).trim()}`);
    const first = new StartedSandbox(stranger, args, node);
    started.push(first);
    const { base_url, keys, data_dir } = await first.ready();
    assert.equal(data_dir, data);
    await new PaymentsClient({ baseUrl: base_url, apiKey: keys.sandbox_secret }).customers.create({ name: 'Ada' });
    const joined = await startSandbox({ dataDir: data });
    assert.equal(joined.baseUrl, base_url);
    await joined.stop();
    const refused = await run('--data', data);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /kept is in use by process \d+\. End that one, or give this one another --data\./);
    const taken = await run('--port', new URL(base_url).port);
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /^Port \d+ is taken by another process\. End it, or give another --port/m);
    assert.equal(await first.stop(), 0);

    const again = start(...args);
    const { base_url: baseUrl, keys: sameKeys } = await again.ready();
    assert.deepEqual(sameKeys, keys);
    const { data: customers } = await new PaymentsClient({ baseUrl, apiKey: keys.sandbox_secret }).customers.list();
    assert.deepEqual(
      customers.map(({ name }) => name),
      ['Ada'],
    );
    assert.equal(await again.stop(), 0);
    assert.ok(existsSync(data));
  });

  it('says what is wrong with its options, and ends with 2', async () => {
    for (const [args, message] of [
      [['--porto', '1'], /Unknown option '--porto'/],
      [['--port', 'http'], /--port needs a whole number from 0 to 65535, not "http"/],
      [['--port', '65536'], /--port needs a whole number/],
      [['--data', ''], /--data needs a folder/],
      [['now'], /Unexpected argument 'now'/],
    ] as const) {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, message);
      assert.match(stderr, /--end-with-parent/);
    }
    const { folder: cwd, env } = stranger;
    const helped = await runProgram('npx', ['@payments-service/sandbox', '--help'], { cwd, env });
    assert.equal(helped.code, 0);
    assert.match(helped.stdout, /^payments-sandbox \[OPTIONS\]/);
  });

  describe('used by tests', () => {
    before('copy the examples', () => cp(join(root, 'clients/sandbox/examples'), stranger.folder, { recursive: true }));

    async function runTests(program: string, args: readonly string[], passed: RegExp, env = {}): Promise<void> {
      const { folder } = stranger;
      const ran = await runProgram(program, args, {
        cwd: folder,
        env: { ...stranger.env, ...env },
        timeoutMs: 150_000,
      });
      assert.match(orThrow(ran), passed);
      await eventually('its service has ended', async () => {
        const { stdout } = await runProgram('ps', ['-eo', 'args']);
        return !stdout.includes(folder);
      });
    }

    it('starts a service for a test of Node.js', () =>
      runTests('node', ['--test', '--test-reporter=tap', 'node-test/renewal.test.ts'], /^# pass 1$/m));

    const hasPytest = runProgram('python3', ['-m', 'pytest', '--version']).then(({ code }) => code === 0);
    it('starts a service for pytest', async function () {
      if (!(await hasPytest)) {
        console.log('      pytest is not on this machine');
        return this.skip();
      }
      // As pip would install it, but that pip would also tell pytest of the plugin.
      const packages = join(stranger.folder, '../python');
      await cp(join(root, 'clients/python/src'), packages, { recursive: true });
      const plugin = ['-p', 'payments_service.sandbox.pytest_plugin'];
      const python = {
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONPATH: [packages, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
      };
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...plugin, 'pytest'];
      await runTests('python3', args, /4 passed/, python);
    });

    it('starts a service for vitest', async function () {
      // In npm's cache: `.ci/run` brings it.
      const vitest = ['exec', '--no', '--package', 'vitest@5.1.1', '--', 'vitest'];
      const npm = { HOME: process.env.HOME ?? '', NO_COLOR: '1', npm_config_offline: 'true' };
      const found = await runProgram('npm', [...vitest, '--version'], {
        cwd: tmpdir(),
        env: { ...stranger.env, ...npm },
      });
      if (found.code !== 0) {
        console.log('      vitest is not on this machine');
        return this.skip();
      }
      await runTests('npm', [...vitest, 'run', '--dir', 'vitest'], /1 passed/, npm);
    });

    it('ends with a test that is killed', async () => {
      const program = join(stranger.folder, 'killed.mjs');
      await writeFile(
        program,
        `import { startSandbox } from '@payments-service/sandbox';
         console.log((await startSandbox()).dataDir);
         process.kill(process.pid, 'SIGKILL');`,
      );
      const { stdout } = await runProgram('node', [program], { cwd: stranger.folder, env: stranger.env });
      assert.match(stdout, /payments-sandbox-/);
      await eventually('its data are gone', () => !existsSync(stdout.trim()));
      await rm(program);
    });

    it('fails if DATA_DIR names a folder from which no service runs', async () => {
      const text = "import('@payments-service/sandbox').then(({ startSandbox }) => startSandbox())";
      const env = { ...stranger.env, DATA_DIR: 'elsewhere' };
      const { code, stderr } = await runProgram('node', ['-e', text], { cwd: stranger.folder, env });
      assert.equal(code, 1);
      assert.match(stderr, /No payments service runs from .*elsewhere\. Start one with npm start/);
    });
  });
});
