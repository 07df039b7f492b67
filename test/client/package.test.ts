import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useStage } from '../support/stage.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the built package of the client', function () {
  this.timeout(60_000);
  const stage = useStage();
  let folder: string;

  before('build it, and install it with what it names as its dependencies', async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-package-'));
    const installed = join(folder, 'node_modules/@payments-service/client');
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
    const script = join(root, 'clients/typescript/build.ts');
    await run(process.execPath, [script, installed], { cwd: root });
    const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
  });
  after('remove it', () => rm(folder, { recursive: true, force: true }));

  it('runs on plain Node, without a loader', async () => {
    const program = `
      import { ApiError, PaymentsClient, signWebhook, verifyWebhook } from '@payments-service/client';
      const payments = new PaymentsClient({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE_URL });
      const { id } = await payments.customers.create({ name: 'Plain' });
      const { name } = await payments.customers.get(id);
      const refused = await payments.customers.get('cus_1').catch((error) => error instanceof ApiError && error.code);
      const event = verifyWebhook('{"id":"evt_1"}', signWebhook('{"id":"evt_1"}', 'whsec_c2VjcmV0'), 'whsec_c2VjcmV0');
      console.log(name, refused, event.id);`;
    await writeFile(join(folder, 'program.mjs'), program);
    const env = { API_KEY: stage.keys.sandboxSecret, BASE_URL: stage.api.url };
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder, env });
    assert.equal(stdout, 'Plain resource_missing evt_1\n');
  });

  it('has types that compile under other compiler settings', async () => {
    const program = `
      import { type Customer, PaymentsClient } from '@payments-service/client';
      const payments = new PaymentsClient({ apiKey: 'sk_1', baseUrl: 'http://localhost' });
      export const customer: Promise<Customer> = payments.customers.create({ name: 'Ada' });
      // @ts-expect-error the types are there, and not any
      export const wrong: number = payments.customers.create({ name: 'Ada' });`;
    await writeFile(join(folder, 'program.ts'), program);
    const compilerOptions = {
      strict: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      lib: ['es2023', 'dom'],
      types: [],
      noEmit: true,
      exactOptionalPropertyTypes: true,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '--pretty', 'false', '-p', folder], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, '');
  });

  it('contains only the compiled client, its manifest and its README', async () => {
    const installed = join(folder, 'node_modules/@payments-service/client');
    const files = await readdir(installed, { recursive: true });
    const others = files.filter((name) => !/\.(js|d\.ts)$/.test(name)).sort();
    assert.deepEqual(others, ['README.md', 'generated', 'package.json']);
    const { scripts, devDependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual([scripts, devDependencies], [undefined, undefined]);
  });
});
