import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ProgramUnavailable, pinnedPrograms, pinnedTemporal } from '../../dev/pinned-programs.ts';
import { dynamicConfigFlags, readDynamicConfig, renderTemplate } from '../../dev/temporal-config.ts';
import { findTemporal, parseServerVersion } from '../../dev/temporal-program.ts';
import { readHost } from '../../src/processes/config/config.ts';
import { useFolder } from './support.ts';

describe('the choice of a Temporal server', () => {
  const folder = useFolder();

  /** Looks for one with nothing but a `temporal` on PATH that responds to `--version` like this. */
  async function findWithCli(name: string, version: string, lines: string[] = []) {
    const searchPath = join(folder.path, name);
    await mkdir(searchPath);
    await writeFile(join(searchPath, 'temporal'), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
    const host = { searchPath, cacheDir: join(folder.path, 'empty-cache') };
    const downloadBySdk = () => Promise.reject(new ProgramUnavailable('no network'));
    const found = await findTemporal(host, (line) => lines.push(line), undefined, { downloadBySdk }).catch(
      (error: Error) => error.message,
    );
    return { found, cli: join(searchPath, 'temporal') };
  }

  it('takes a CLI on PATH whose server is new enough, where neither pip nor the SDK can download one', async () => {
    const { found, cli } = await findWithCli('new', 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)');
    assert.deepEqual(found, { cli, origin: cli });
  });

  for (const [why, version, said] of [
    ['is too old', 'temporal version 1.5.0 (Server 1.29.1, UI 2.40.0)', /has server 1\.29\.1; 1\.32\.0 or later/],
    ['does not name its server', 'something else of that name', /does not say its server version/],
  ] as const) {
    it(`passes over a CLI that ${why}, and says what to do`, async () => {
      const lines: string[] = [];
      const { found } = await findWithCli(`cli that ${why}`, version, lines);
      assert.match(lines.join('\n'), said);
      assert.match(String(found), /install Python 3 with pip, /);
    });
  }

  it('fetches the pinned program, which is the version that it says, and uses it again', async function () {
    this.timeout(300_000);
    const lines: string[] = [];
    const { cli } = await findTemporal(readHost(), (line) => lines.push(line));
    const { stdout } = await promisify(execFile)(cli, ['--version']);
    const { version } = pinnedPrograms.temporal;
    assert.equal(stdout, `temporal version ${version} (Server ${pinnedTemporal.server}, UI ${pinnedTemporal.ui})\n`);
    lines.splice(0);
    await findTemporal({ ...readHost(), searchPath: '' }, (line) => lines.push(line));
    assert.deepEqual(lines, []);
  });

  it('reads the server version, not that of the CLI around it', () => {
    assert.deepEqual(parseServerVersion('temporal version 1.7.2 (Server 1.33.0, UI 2.60.0)'), [1, 33, 0]);
    assert.equal(parseServerVersion('temporal version 1.7.2'), null);
  });
});

describe('the configuration of the Temporal server', () => {
  it('gives the CLI every line of the dynamic configuration, with durations and lists as JSON', async () => {
    const yaml = await readDynamicConfig();
    const flags = dynamicConfigFlags(yaml);
    assert.ok(flags.includes('frontend.WorkflowTimeSkippingEnabled=true'));
    assert.ok(flags.includes('history.workflowIdReuseMinimalInterval="0s"'));
    assert.ok(flags.includes('frontend.httpAllowedHosts=["closed.invalid"]'));
    assert.equal(flags.length / 2, yaml.split('\n').filter((line) => /^\w/.test(line)).length);
  });

  it('is never written with a hole in it', async () => {
    await assert.rejects(renderTemplate('ui.yaml', { UI_PORT: 8233 }), /FRONTEND_PORT/);
  });
});
