import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folder, generate } from '../../clients/python/generate/generate.ts';
import { serviceDocument } from '../../clients/typescript/generate/generate.ts';
import { root, runProgram } from '../../lab/run-program.ts';
import { itRunsSamplesOf, runScript } from '../support/samples.ts';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';
import { itWaitsForClocks } from './languages/clocks.ts';
import { pythonDriver, whyNoPython } from './languages/driver.ts';
import { itSendsLikeTheOthers } from './languages/requests.ts';
import { itVerifiesWebhooks } from './languages/webhooks.ts';

/** A wrong line has \`type: ignore\`: mypy reports it if the line is right. */
const usage = `from payments_service import PaymentsClient, models
payments = PaymentsClient(base_url="http://localhost", api_key="sk_1")
customer: models.Customer = payments.customers.create({"name": "Ada"}, idempotency_key="order-1")
for event in payments.events.list(limit=10):
    if event["event_type"] == "payment_intent.failed":
        attempt: int = event["data"]["attempt"]
    event["data"]["amount"]  # type: ignore
payments.customers.create({"nmae": "Ada"})  # type: ignore
payments.customers.create({"name": "Ada"}, wait_seconds=1)  # type: ignore
payments.customers.list(unknown=1)  # type: ignore
payments.subscriptions.retry_now("sub_1")
payments.subscriptions.retry_now()  # type: ignore
from payments_service.sandbox import start_sandbox
with start_sandbox(data_dir=".data") as sandbox:
    frozen: str = sandbox.clock(at="2028-01-03T09:00:00Z").advance("2028-02-01T00:00:00Z")["frozen_time"]
    sandbox.clock().advance(1)  # type: ignore
wrong: int = payments.customers.get("cus_1")  # type: ignore
`;

const obstacle = await whyNoPython();

describe('the generated code of the client in Python', () => {
  it('is up to date with the document: otherwise run `npm run generate -w clients/typescript`', async () => {
    const files = generate(serviceDocument());
    const present = (await readdir(folder)).filter((name) => name.endsWith('.py'));
    assert.deepEqual(present.sort(), Object.keys(files).sort());
    for (const [name, text] of Object.entries(files)) {
      assert.ok((await readFile(new URL(name, folder), 'utf8')) === text, `${name} is out of date`);
    }
  });
});

if (obstacle !== null) {
  describe('the client in Python', () => {
    it(`is not tested, because ${obstacle}`);
  });
} else {
  describe('the client in Python', () => itSendsLikeTheOthers(pythonDriver));
  describe('the client in Python, with test clocks', () => itWaitsForClocks(pythonDriver));
  describe('the client in Python, with webhooks', () => itVerifiesWebhooks(pythonDriver));

  describe('the README of the client in Python', () => {
    const service = useService();

    itRunsSamplesOf(new URL('../../clients/python/README.md', import.meta.url), async (script) => {
      const { key } = await service.merchant();
      return runScript(script, { BASE_URL: service.url, API_KEY: key });
    });
  });

  describe('the package of the client in Python', function () {
    this.timeout(120_000);
    const stage = useStage();
    const source = join(root, 'clients/python');
    let folder = '';
    before('copy the package, so that its build leaves nothing behind', async () => {
      folder = await mkdtemp(join(tmpdir(), 'python-client-'));
      await cp(source, join(folder, 'package'), { recursive: true });
    });
    after('remove it', () => rm(folder, { recursive: true }));

    const python = (...args: string[]) => runProgram('python3', args, { cwd: folder });

    // mypy reads the types of pytest, for its plugin.
    if (!has('mypy') || !has('pytest')) it('is not checked by mypy, which is not on this machine, or pytest is not');
    else
      it('has strict types, and its types tell events apart and refuse a wrong body', async () => {
        await writeFile(join(folder, 'package/src/usage.py'), usage);
        const config = join(source, 'pyproject.toml');
        const args = ['-m', 'mypy', '--config-file', config, '--warn-unused-ignores', '--cache-dir', '/dev/null'];
        const { code, stdout } = await python(...args, join(folder, 'package/src'));
        assert.equal(code, 0, stdout);
      });

    if (!has('setuptools') || !has('wheel')) it('is not built: setuptools and wheel are not on this machine');
    else
      it('is built, installed without the network and used from an empty folder', async () => {
        const offline = ['--quiet', '--no-index', '--no-deps', '--disable-pip-version-check'];
        const built = await python(
          '-m',
          'pip',
          'wheel',
          ...offline,
          '--no-build-isolation',
          '-w',
          'wheels',
          './package',
        );
        assert.equal(built.code, 0, built.stderr);
        const [wheel = ''] = await readdir(join(folder, 'wheels'));
        assert.equal(wheel, 'payments_service_client-1.0.0-py3-none-any.whl');
        await python('-m', 'pip', 'install', ...offline, '--target', 'empty', join('wheels', wheel));
        assert.ok((await readdir(join(folder, 'empty/payments_service'))).includes('py.typed'));
        const program = `
import payments_service
payments = payments_service.PaymentsClient(base_url="${stage.api.url}", api_key="${stage.keys.sandboxSecret}")
print(payments.customers.create({"name": "Plain"})["name"])`;
        const { stdout, stderr } = await runProgram('python3', ['-c', program], { cwd: join(folder, 'empty') });
        assert.equal(stdout, 'Plain\n', stderr);
        if (!has('pytest')) return;
        const empty = join(folder, 'empty');
        const env = { ...process.env, PYTHONPATH: empty, PYTHONDONTWRITEBYTECODE: '1' };
        const fixtures = await runProgram('python3', ['-m', 'pytest', '-p', 'no:cacheprovider', '--fixtures'], {
          cwd: empty,
          env,
        });
        assert.match(fixtures.stdout, /^payments_sandbox -- .*pytest_plugin\.py/m, fixtures.stderr);
      });
  });
}

function has(module: string): boolean {
  return spawnSync('python3', ['-c', `import ${module}`]).status === 0;
}
