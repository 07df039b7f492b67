import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { findTemporal } from '../../dev/temporal-program.ts';
import { useFolder } from '../runtime/support.ts';

/** Writes an executable file where its program was asked for, as `go build -o FILE` does. */
const go = `#!/bin/sh
case "$1" in
  version) echo 'go version go1.30.0 linux/amd64' ;;
  list) echo 'package example.com/server' ;;
  build)
    while [ "$1" != -o ]; do shift; done
    cp /bin/sh "$2" ;;
esac
`;

describe('a foreign program on PATH under the name temporal', () => {
  const folder = useFolder();

  /** A PATH with such a program, which notes that it was run; with this `go`, or none; and an empty cache. */
  async function plant(name: string, goProgram: string | null) {
    const searchPath = join(folder.path, name, 'bin');
    const note = join(folder.path, name, 'temporal-was-run');
    await mkdir(searchPath, { recursive: true });
    const planted = `#!/bin/sh\ntouch '${note}'\necho 'temporal version 9.9.9 (Server 9.9.9, UI 9.9.9)'\n`;
    await writeFile(join(searchPath, 'temporal'), planted, { mode: 0o755 });
    if (goProgram !== null) await writeFile(join(searchPath, 'go'), goProgram, { mode: 0o755 });
    const wasRun = () =>
      access(note).then(
        () => true,
        () => false,
      );
    return { host: { searchPath, cacheDir: join(folder.path, name, 'cache') }, wasRun };
  }

  it('is not run if the pinned server can be built, or was built before', async () => {
    const { host, wasRun } = await plant('builds', go);
    const lines: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      const found = await findTemporal(host, (line) => lines.push(line));
      assert.equal(found.kind === 'server' && found.server.startsWith(host.cacheDir), true, lines.join('\n'));
    }
    assert.equal(lines.filter((line) => line.startsWith('Building')).length, 1);
    assert.ok(!lines.some((line) => line.includes('temporal.download')), 'nothing is downloaded either');
    assert.equal(await wasRun(), false);
  });

  it('is not run instead of a pinned server whose build failed', async () => {
    const { host, wasRun } = await plant('fails', go.replace(/list\).*/, 'list) exit 1 ;;'));
    await assert.rejects(
      findTemporal(host, () => {}),
      /could not fetch the sources/,
    );
    assert.equal(await wasRun(), false);
  });

  it('is the last resort without Go, and the start logs it', async function () {
    this.timeout(400_000); // where the network allows the download
    const { host, wasRun } = await plant('no go', null);
    const lines: string[] = [];
    const found = await findTemporal(host, (line) => lines.push(line));
    if (/sdk-download/.test(found.origin)) {
      assert.equal(await wasRun(), false);
      return;
    }
    assert.equal(found.origin, join(host.searchPath, 'temporal'));
    assert.match(lines.at(-1) ?? '', /^Using .*temporal, since there is no Go/);
  });

  it('does not affect what the SDK downloads: one version, never the latest', async () => {
    const source = (name: string) => readFile(new URL(`../../dev/${name}`, import.meta.url), 'utf8');
    assert.match(await source('temporal-download.ts'), /^const cliVersion = 'v\d+\.\d+\.\d+';$/m);
    assert.match(await source('temporal-download-by-sdk.ts'), /type: 'cached-download', version, downloadDir/);
  });
});
