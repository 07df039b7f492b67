import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';
import { assertRan, scriptsIn } from '../support/samples.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { lockClients } from './pack.ts';
import { packagesOfTheSandbox, serveRegistry } from './registry.ts';

const page = '00-five-minutes.md';
const longestMs = 10 * 60_000;

describe('a stranger with an empty folder', function () {
  this.timeout(longestMs);
  let folder = '';
  let registry: Awaited<ReturnType<typeof serveRegistry>>;
  let shell: Shell;
  let release: () => Promise<void>;

  before('open a shell in an empty folder, beside a registry with the packages that both need', async () => {
    release = await lockClients();
    folder = await mkdtemp(join(tmpdir(), 'stranger-'));
    registry = await serveRegistry(packagesOfTheSandbox);
    shell = openShell(folder, {
      HOME: folder,
      SERVICE: root,
      npm_config_registry: registry.url,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'),
    });
  });
  after('remove the folder', async () => {
    await shell.close();
    await registry.close();
    await rm(folder, { recursive: true });
    await release();
  });

  it('gets from packing and installing both packages to verified webhooks of an advanced plan by the guide alone', async () => {
    const startedAt = performance.now();
    for (const script of scriptsIn(readFileSync(join(root, 'docs/api', page), 'utf8'), page)) {
      assertRan(script, await shell.run(script));
    }
    console.log(`      took ${Math.round((performance.now() - startedAt) / 1000)} s`);
  });

  it('has written a program that is right by the types of the packed packages', async () => {
    const types = join(root, 'node_modules/@types');
    const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'], typeRoots: [types] };
    const project = join(folder, 'five-minutes');
    const javascript = { allowJs: true, checkJs: true };
    const config = { compilerOptions: { ...compilerOptions, ...javascript, noEmit: true }, files: ['course.mjs'] };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await runProgram(process.execPath, [tsc, '--pretty', 'false', '-p', project], { cwd: project });
    assert.equal(stdout, '');
  });
});
