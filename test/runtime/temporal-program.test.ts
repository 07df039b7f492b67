import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readDynamicConfigFlags, renderTemplate } from '../../dev/temporal-config.ts';
import { findTemporal, parseServerVersion } from '../../dev/temporal-program.ts';
import { readHost } from '../../src/processes/config/config.ts';
import { useFolder } from './support.ts';

describe('the choice of a Temporal server', () => {
  const folder = useFolder();

  /** A PATH with one executable `temporal` on it that answers `--version` like this; and an empty cache. */
  async function hostWithCli(name: string, version: string) {
    const searchPath = join(folder.path, name);
    await mkdir(searchPath);
    await writeFile(join(searchPath, 'temporal'), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
    return { searchPath, cacheDir: join(folder.path, 'empty-cache') };
  }

  it('takes a CLI on PATH whose server is new enough, where there is neither Go nor a download', async function () {
    this.timeout(400_000); // where the network allows the download
    const host = await hostWithCli('new', 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)');
    const found = await findTemporal(host, () => {});
    if (/sdk-download/.test(found.origin)) this.skip();
    assert.deepEqual(found, {
      kind: 'cli',
      cli: join(host.searchPath, 'temporal'),
      origin: join(host.searchPath, 'temporal'),
    });
  });

  for (const [why, version, said] of [
    ['is too old', 'temporal version 1.5.0 (Server 1.29.1, UI 2.40.0)', /has server 1\.29\.1; 1\.32\.0 or later/],
    ['does not name its server', 'something else of that name', /does not say its server version/],
  ] as const) {
    it(`passes over a CLI that ${why}, and says what to install where there is no Go either`, async function () {
      this.timeout(60_000);
      const host = await hostWithCli(`cli that ${why}`, version);
      const lines: string[] = [];
      const outcome = await findTemporal(host, (line) => lines.push(line)).catch((error: Error) => error.message);
      assert.match(lines.join('\n'), said);
      // Where the network allows it, the SDK's download serves instead.
      assert.match(typeof outcome === 'string' ? outcome : outcome.origin, /install Go 1\.21 or later|sdk-download/);
    });
  }

  it('reuses the build of an earlier start, whatever is on PATH', async function () {
    const host = readHost();
    const built = await readdir(join(host.cacheDir, 'temporal')).catch(() => []);
    if (!built.some((entry) => /^[\d.]+-[0-9a-f]{12}-\w+-\w+$/.test(entry))) {
      this.skip();
    }
    const found = await findTemporal({ ...host, searchPath: '' }, () => {});
    assert.equal(found.kind, 'server');
    assert.equal(found.kind === 'server' && dirname(dirname(found.server)), join(host.cacheDir, 'temporal'));
  });

  it('reads the server version, not that of the CLI around it', () => {
    assert.deepEqual(parseServerVersion('temporal version 1.7.2 (Server 1.33.0, UI 2.60.0)'), [1, 33, 0]);
    assert.equal(parseServerVersion('temporal version 1.7.2'), null);
  });
});

describe('the configuration of the Temporal server', () => {
  it('gives the CLI every line of the dynamic configuration, with durations as JSON text', async () => {
    const flags = await readDynamicConfigFlags();
    assert.ok(flags.includes('frontend.WorkflowTimeSkippingEnabled=true'));
    assert.ok(flags.includes('history.workflowIdReuseMinimalInterval="0s"'));
    const yaml = await renderTemplate('dynamic-config.yaml', {});
    assert.equal(flags.length / 2, yaml.split('\n').filter((line) => /^\w/.test(line)).length);
  });

  it('is never written with a hole in it', async () => {
    await assert.rejects(renderTemplate('ui.yaml', { UI_PORT: 8233 }), /FRONTEND_PORT/);
  });
});
