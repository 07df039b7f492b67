import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useStage } from '../support/stage.ts';
import { packClients } from './pack.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const client = join(root, 'clients/typescript');
const compilers = [join(root, 'node_modules'), join(client, 'node_modules')];

const program = (start: string) => `
  ${start}
  const payments = new PaymentsClient({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE_URL });
  (async () => {
    const { id } = await payments.customers.create({ name: 'Plain' });
    const { name } = await payments.customers.get(id);
    const refused = await payments.customers.get('cus_1').catch((error) => error instanceof ApiError && error.code);
    const event = verifyWebhook('{"id":"evt_1"}', signWebhook('{"id":"evt_1"}', 'whsec_c2VjcmV0'), 'whsec_c2VjcmV0');
    console.log(name, refused, event.id);
  })();`;
const imported = "import { ApiError, PaymentsClient, signWebhook, verifyWebhook } from '@payments-service/client';";
const required =
  "const { ApiError, PaymentsClient, signWebhook, verifyWebhook } = require('@payments-service/client');";

const typed = (start: string) => `
  ${start}
  const payments = new PaymentsClient({ apiKey: 'sk_1', baseUrl: 'http://localhost' });
  export const customer: Promise<Customer> = payments.customers.create({ name: 'Ada' });
  export const amount = (event: Event): number =>
    event.event_type === 'payment_intent.failed' ? event.data.amount : 0;
  // @ts-expect-error the types are there, and not any
  export const wrong: number = payments.customers.create({ name: 'Ada' });`;
const typedImport = "import { type Customer, type Event, PaymentsClient } from '@payments-service/client';";
const typedRequire = `import client = require('@payments-service/client');
  import PaymentsClient = client.PaymentsClient;
  type Customer = client.Customer;
  type Event = client.Event;`;

describe('the packed client in an empty project', function () {
  this.timeout(120_000);
  const stage = useStage();
  let folder = '';
  let listing: string[] = [];

  before('build it, pack it, and install it with its dependencies, without the network', async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-package-'));
    const packages = ['standardwebhooks', '@stablelib/base64', 'fast-sha256', '@types/node', 'undici-types'].map(
      (name) => join(root, 'node_modules', name),
    );
    await packClients(['typescript'], folder);
    await npm(['pack', '--pack-destination', folder, ...packages], root);
    const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`);
    listing = (
      await run('tar', ['-tzf', tarballs.find((name) => name.includes('payments-service')) ?? ''], { cwd: folder })
    ).stdout
      .trim()
      .split('\n');
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await npm(['install', '--offline', '--no-save', ...tarballs], folder);
  });
  after('remove it', () => rm(folder, { recursive: true, force: true }));

  const npm = (args: string[], cwd: string) =>
    run('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd,
      env: { ...process.env, npm_config_cache: join(folder, 'cache') },
    });

  async function runs(file: string, text: string, ...options: string[]): Promise<void> {
    await writeFile(join(folder, file), text);
    const env = { API_KEY: stage.keys.sandboxSecret, BASE_URL: stage.api.url };
    const { stdout, stderr } = await run(process.execPath, [...options, file], { cwd: folder, env });
    assert.deepEqual([stdout, stderr], ['Plain resource_missing evt_1\n', '']);
  }

  it('is imported by an ECMAScript module', () => runs('program.mjs', program(imported)));

  it('is required by a CommonJS module', () => runs('program.cjs', program(required)));

  it('is required as CommonJS where a module cannot be required, as in older tools', () =>
    runs('older.cjs', program(required), '--no-experimental-require-module'));

  it('is loaded once by a program that imports and requires it, so that instanceof holds', async () => {
    const text = `
      import { createRequire } from 'node:module';
      import { ApiError } from '@payments-service/client';
      console.log(createRequire(import.meta.url)('@payments-service/client').ApiError === ApiError);`;
    await writeFile(join(folder, 'both.mjs'), text);
    assert.equal((await run(process.execPath, ['both.mjs'], { cwd: folder, env: {} })).stdout, 'true\n');
  });

  const settings: readonly { module: string; moduleResolution: string; files: string[]; more?: object }[] = [
    { module: 'nodenext', moduleResolution: 'nodenext', files: ['typed.mts', 'typed.cts'] },
    { module: 'node16', moduleResolution: 'node16', files: ['typed.mts', 'typed.cts'] },
    { module: 'esnext', moduleResolution: 'bundler', files: ['typed.mts'] },
    {
      module: 'esnext',
      moduleResolution: 'bundler',
      files: ['typed.mts'],
      more: { types: [], lib: ['es2023', 'dom'], exactOptionalPropertyTypes: true, skipLibCheck: true },
    },
  ];
  for (const { more = {}, files, ...resolution } of settings) {
    const about = `moduleResolution ${resolution.moduleResolution}${'types' in more ? ' and the types of browsers' : ''}`;
    it(`has strict types, by two compilers, with ${about}`, async () => {
      await writeFile(join(folder, 'typed.mts'), typed(typedImport));
      await writeFile(join(folder, 'typed.cts'), typed(typedRequire));
      const compilerOptions = {
        ...{ strict: true, target: 'es2022', lib: ['es2023'], types: ['node'], noEmit: true },
        ...resolution,
        ...more,
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      for (const compiler of compilers) {
        const tsc = join(compiler, 'typescript/bin/tsc');
        const { stdout } = await run(process.execPath, [tsc, '--pretty', 'false', '-p', folder], { cwd: folder }).catch(
          (error: { stdout: string }) => error,
        );
        assert.equal(stdout, '', compiler);
      }
    });
  }

  it('has compiled code, its types and its sources, and nothing else', () => {
    const odd = listing.filter(
      (name) =>
        !/^package\/(dist\/(esm|cjs)\/[\w./-]+\.(js|d\.ts|d\.ts\.map)|src\/[\w./-]+\.ts)$/.test(name) &&
        !['package/package.json', 'package/README.md', 'package/dist/cjs/package.json'].includes(name),
    );
    assert.deepEqual(odd, []);
    for (const name of ['dist/esm/index.js', 'dist/esm/index.d.ts', 'dist/cjs/index.js', 'dist/cjs/index.d.ts'])
      assert.ok(listing.includes(`package/${name}`), name);
  });

  it('may be published, under the licence that the repository has', async () => {
    const manifest = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'));
    const { license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.deepEqual([manifest.private, manifest.license], [undefined, license]);
  });
});
