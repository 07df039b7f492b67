import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encryptionKeyFile } from '../../dev/encryption-keys.ts';
import { mountDisk } from '../../lab/disks.ts';
import { eventually } from '../../lab/eventually.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { freePorts, Start } from './start-process.ts';
import { useFolder } from './support.ts';

const program = fileURLToPath(new URL('../../dev/start.ts', import.meta.url));

describe('npm start in trouble', function () {
  this.timeout(180_000);
  const folder = useFolder();

  it('refuses to go on without the key that its data were used with, makes no other, and goes on with the right one', async () => {
    const dataDir = join(folder.path, 'keyless');
    const ports = await freePorts();
    const end = async (copy: Start) => {
      copy.child.kill('SIGTERM');
      assert.equal(await copy.ended, 0);
    };
    const first = new Start(dataDir, ports);
    await first.ready();
    await end(first);
    const file = encryptionKeyFile(dataDir);
    await rename(file, `${file}.away`);

    const keyless = new Start(dataDir, ports);
    assert.equal(await keyless.ended, 1, keyless.output);
    assert.ok(keyless.output.includes(`${file} is missing`), keyless.output);
    assert.match(keyless.output, /Restore the file from a back-up\. Nothing was changed\./);
    assert.equal(/^ready/m.test(keyless.output), false);
    await assert.rejects(stat(file), /ENOENT/);

    await rename(`${file}.away`, file);
    const again = new Start(dataDir, ports);
    await again.ready();
    await end(again);
  });

  it('refuses a data folder that cannot be written, in words, before it starts anything', async () => {
    const file = join(folder.path, 'no-folder');
    await writeFile(file, '');
    const copy = new Start(join(file, 'data'), await freePorts());
    assert.equal(await copy.ended, 1);
    assert.match(copy.output, /no-folder\/data cannot be written \(ENOTDIR.*\)\. Make it writable for this user, /);
    assert.doesNotMatch(copy.output, /\n {4}at |is up/);
  });

  it('runs on, and ends in order, while its own output goes to a full disk, and says then how much is missing', async function () {
    const place = join(folder.path, 'output');
    const disk = await mountDisk(place, 1);
    if (disk === null) this.skip();
    const log = join(place, 'start.log');
    const ballast = join(place, 'ballast');
    const output = openSync(log, 'a');
    const none = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '', ENCRYPTION_KEYS: '' };
    const ports = await freePorts();
    await writeFile(ballast, Buffer.alloc(2 * 1024 * 1024)).catch(() => {});
    const child = spawn(process.execPath, [program], {
      env: childEnvironment({ ...none, DATA_DIR: join(folder.path, 'loud'), ...ports }),
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const ended = once(child, 'exit');
    try {
      const responds = async () => (await fetch(`http://127.0.0.1:${ports.PORT}/healthz`)).status === 200;
      await eventually('the API responds', () => responds().catch(() => false), { timeoutMs: 120_000 });
      assert.equal(await readFile(log, 'utf8'), '');
      await rm(ballast);
      await eventually('it says so', async () =>
        /lines were lost while the disk was full/.test(await readFile(log, 'utf8')),
      );
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      assert.match(await readFile(log, 'utf8'), /PostgreSQL has ended/);
    } finally {
      child.kill('SIGTERM');
      await ended;
      await disk.unmount();
    }
  });
});
