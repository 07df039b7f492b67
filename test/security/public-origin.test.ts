import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';
import { readServingConfig } from '../../src/processes/service-config.ts';
import { useFolder } from '../runtime/support.ts';

/** What else a process needs. */
const others = {
  DATABASE_URL: 'postgres://payments@127.0.0.1:9/payments',
  TEMPORAL_ADDRESS: '127.0.0.1:9',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};
const live = { LIVE_PROCESSOR_URL: 'https://processor.example', LIVE_PROCESSOR_SECRET: 'x'.repeat(24) };

describe('the origin of the pages, PUBLIC_URL', () => {
  const folder = useFolder();
  const production = { forThisMachine: false };

  /** Starts a program with no database: it must end before it looks for one. */
  async function start(name: 'api' | 'pages' | 'worker', env: Record<string, string>) {
    const given = {
      PATH: process.env.PATH,
      DATA_DIR: folder.path,
      ...others,
      ...env,
    };
    return runProgram(process.execPath, [`src/processes/${name}.ts`], { cwd: root, env: given, timeoutMs: 60_000 });
  }

  for (const name of ['api', 'pages'] as const) {
    it(`is required by ${name} outside npm start, which says what to set`, async function () {
      this.timeout(60_000);
      const { code, stderr } = await start(name, {});
      assert.notEqual(code, 0);
      assert.match(stderr, /PUBLIC_URL is not set\. .*PUBLIC_URL=https:\/\/pay\.example\.com/);
    });

    it(`is refused by ${name} without https where live payments are taken`, async function () {
      this.timeout(60_000);
      const { code, stderr } = await start(name, { ...live, PUBLIC_URL: 'http://pay.example.com' });
      assert.notEqual(code, 0);
      assert.match(stderr, /PUBLIC_URL must begin with https:\/\//);
    });
  }

  it('is required by a worker where live payments are taken: it repeats charges, and says where payers come back to', async function () {
    this.timeout(60_000);
    const { code, stderr } = await start('worker', live);
    assert.notEqual(code, 0);
    assert.match(stderr, /PUBLIC_URL is not set\. .* A worker with LIVE_PROCESSOR_URL needs the same one/);
  });

  it('may be http where no live payment is taken, and on the machine of npm start', () => {
    const PUBLIC_URL = 'http://127.0.0.1:8081';
    const originOf = (env: NodeJS.ProcessEnv, where: typeof production) =>
      readServingConfig({ ...others, ...env }, where).publicUrl;
    assert.equal(originOf({ PUBLIC_URL }, production), PUBLIC_URL);
    assert.equal(originOf({ PUBLIC_URL, ...live }, { forThisMachine: true }), PUBLIC_URL);
    const secure = { PUBLIC_URL: 'https://pay.example.com/', ...live };
    assert.equal(originOf(secure, production), 'https://pay.example.com');
  });
});
