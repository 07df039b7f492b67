import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { before, describe, it } from 'mocha';
import { patchPostgres } from '../../patches/apply.mjs';
import { useFolder } from '../runtime/support.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** The environment for npm. Settings of this run's own npm would override the files of the project. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

describe('the lock file', () => {
  const folder = useFolder();

  /** Runs the check on this project with a changed file, and returns its output. */
  async function complaintsAfter(file: string, change: (text: string) => string): Promise<string> {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
      const text = await readFile(join(root, name), 'utf8');
      const changed = name === file ? change(text) : text;
      assert.equal(changed === text, name !== file, 'the change changes something');
      await writeFile(join(folder.path, name), changed);
    }
    const check = run(process.execPath, [join(root, 'tools/packages.mjs'), folder.path]);
    return check.then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    );
  }

  it('has an exact version and a checksum for every package, and names no registry', async () => {
    await run(process.execPath, [join(root, 'tools/packages.mjs')]);
  });

  it('is checked by npm run lint, and so by CI', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.match(scripts.lint, /&& node tools\/packages\.mjs$/);
  });

  for (const [what, file, change, complaint] of [
    [
      'a package without a checksum',
      'package-lock.json',
      (text: string) => text.replace(/\n +"integrity": ".*",/, ''),
      /has no sha512 checksum/,
    ],
    [
      'a checksum that can be forged',
      'package-lock.json',
      (text: string) => text.replace(/"sha512-.*?"/, '"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="'),
      /has no sha512 checksum/,
    ],
    [
      'a package that is bound to a place',
      'package-lock.json',
      (text: string) => text.replace(/("integrity": ".*",)/, '$1 "resolved": "https://evil.example/koa.tgz",'),
      /is bound to https:\/\/evil\.example/,
    ],
    [
      'a package from git',
      'package-lock.json',
      (text: string) =>
        text.replace(/"version": ".*?",\n( +)"integrity": ".*",/, '"resolved": "git+ssh://evil/koa.git",'),
      /has no exact version/,
    ],
    [
      'a range of versions',
      'package.json',
      (text: string) => text.replace(/"koa": "/, '"koa": "^'),
      /koa is asked for as "\^/,
    ],
    [
      'install scripts that may run',
      '.npmrc',
      (text: string) => text.replace('ignore-scripts=true', ''),
      /ignore-scripts=true is missing/,
    ],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      assert.match(await complaintsAfter(file, change), complaint);
    });
  }
});

describe('the PostgreSQL client', function () {
  this.timeout(120_000);
  const folder = useFolder();
  const installed = fileURLToPath(new URL('.', import.meta.resolve('postgres')));
  const fresh = () => join(folder.path, 'package/src');
  const file = () => join(fresh(), 'connection.js');

  before('fetch the package of the registry', async () => {
    const { stdout } = await run('npm', ['pack', '--json', 'postgres@3.4.9'], { cwd: folder.path, env: environment });
    await run('tar', ['-xzf', JSON.parse(stdout)[0].filename], { cwd: folder.path });
  });

  it('is that of the registry with our patch, and is patched once', async () => {
    patchPostgres(fresh());
    const once = await readFile(file(), 'utf8');
    patchPostgres(fresh());
    assert.equal(await readFile(file(), 'utf8'), once);
    await run('diff', ['-r', fresh(), installed]);
  });

  it('ends the start if it is another one', async () => {
    await writeFile(file(), `${await readFile(file(), 'utf8')}\n`);
    assert.throws(() => patchPostgres(fresh()), /is not that of postgres 3\.4\.9.*Run "npm ci"/);
  });
});

describe('a file of this repository', () => {
  it('names the address of no package registry: each client goes where it is configured to', async () => {
    // In two parts, so that this file does not name them either.
    const addresses = [
      ['pypi', 'org'],
      ['files.pythonhosted', 'org'],
      ['registry.npmjs', 'org'],
      ['registry.yarnpkg', 'com'],
      ['proxy.golang', 'org'],
      ['repo.maven', 'apache'],
      ['repo1.maven', 'org'],
    ].map((parts) => parts.join('.'));
    const wanted = addresses.flatMap((address) => ['-e', address]);
    const { stdout } = await run('git', ['grep', '-lIF', ...wanted], { cwd: root }).catch((error) => {
      if (error.code === 1) return { stdout: '' }; // nothing is found
      throw error;
    });
    assert.equal(stdout, '');
  });
});

describe('an install script', function () {
  this.timeout(120_000);
  const folder = useFolder();
  let package_ = '';

  before('make a package that has some', async () => {
    const evil = join(folder.path, 'evil');
    await mkdir(evil);
    // It records its run in the project's folder: npm sets INIT_CWD to it.
    const note = (name: string) =>
      `node -e "require('fs').writeFileSync(process.env.INIT_CWD + '/${name}-has-run', '')"`;
    const scripts = Object.fromEntries(['preinstall', 'install', 'postinstall'].map((name) => [name, note(name)]));
    await writeFile(join(evil, 'package.json'), JSON.stringify({ name: 'evil', version: '1.0.0', scripts }));
    await run('npm', ['pack', '--pack-destination', folder.path], { cwd: evil, env: environment });
    package_ = join(folder.path, 'evil-1.0.0.tgz');
  });

  /** Installs it in a project, with our settings or without. Returns whether a script ran in an install and a ci. */
  async function hasRun(name: string, npm: readonly string[], settings: 'ours' | 'none'): Promise<boolean> {
    const project = join(folder.path, name);
    await mkdir(project);
    await cp(package_, join(project, 'evil-1.0.0.tgz'));
    if (settings === 'ours') await cp(join(root, '.npmrc'), join(project, '.npmrc'));
    await writeFile(
      join(project, 'package.json'),
      JSON.stringify({ name: 'project', version: '1.0.0', dependencies: { evil: 'file:./evil-1.0.0.tgz' } }),
    );
    const [program = '', ...first] = npm;
    for (const command of ['install', 'ci'])
      await run(program, [...first, command], { cwd: project, env: environment });
    assert.ok(await exists(join(project, 'node_modules/evil/package.json')), 'it is installed');
    const notes = await Promise.all(
      ['preinstall', 'install', 'postinstall'].map((script) => exists(join(project, `${script}-has-run`))),
    );
    return notes.includes(true);
  }

  for (const [version, npm] of [
    ['the npm at hand', ['npm']],
    ['npm 10, which Node.js 20 brings along', ['npx', '--yes', '--fetch-retries=0', 'npm@10.9.9']],
  ] as const) {
    it(`does not run with ${version}, though it would with other settings`, async function () {
      const [program, ...first] = npm;
      const isThere = run(program, [...first, '--version'], { cwd: folder.path, env: environment }).then(
        () => true,
        () => false,
      );
      if (!(await isThere)) this.skip(); // npm 10 comes from the registry
      assert.equal(await hasRun(`ours ${version}`, npm, 'ours'), false);
      assert.equal(await hasRun(`none ${version}`, npm, 'none'), true);
    });
  }
});
