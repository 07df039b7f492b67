import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lchown, mkdir, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identifyProcess } from '../../dev/process-record.ts';
import { runScript } from '../../lab/run-program.ts';
import { startService } from '../../lab/service.ts';
import { assertOwnFile, claimFolder } from '../../src/platform/own-folder.ts';
import { freePorts, Start } from './start-process.ts';
import { useFolder } from './support.ts';

const stranger = 54_321;
const ours = process.getuid?.() ?? 0;

describe('a data folder', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const make = () => mkdtemp(join(folder.path, 'data-'));

  /** Another user can be told apart only by root, who can give files away. */
  before('needs root', function () {
    if (ours !== 0) this.skip();
  });

  it('is made for its user alone, and is used again', async () => {
    const path = join(await make(), 'of', 'ours');
    claimFolder(path);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    await mkdir(join(path, 'run'), { mode: 0o700 });
    await writeFile(join(path, 'run/api.json'), '{}');
    claimFolder(path);
  });

  it('is refused if it is another user’s, or if others may write it', async () => {
    const foreign = await make();
    await chown(foreign, stranger, stranger);
    assert.throws(() => claimFolder(foreign), /belongs to another user \(uid 54321\).*DATA_DIR, --data/);
    const shared = await make();
    for (const mode of [0o777, 0o770, 0o702]) {
      await chmod(shared, mode);
      assert.throws(() => claimFolder(shared), /can be written by other users \(mode 7\d\d\).*chmod go-w/);
    }
    await chmod(shared, 0o755);
    claimFolder(shared);
  });

  it('is refused if another user has planted a file, a link or a folder, also in its inner folders', async () => {
    const path = await make();
    for (const inner of ['', 'run', 'logs', 'temporal']) {
      const planted = join(await make(), inner);
      await mkdir(planted, { recursive: true, mode: 0o700 });
      await symlink('/etc/hostname', join(planted, 'start.log'));
      await lchown(join(planted, 'start.log'), stranger, stranger);
      const data = inner === '' ? planted : join(planted, '..');
      assert.throws(() => claimFolder(data), /start\.log belongs to another user/, inner);
    }
    await mkdir(join(path, 'run'));
    await chmod(join(path, 'run'), 0o777);
    assert.throws(() => claimFolder(path), /run can be written by other users/);
  });

  it('may have what the user of PostgreSQL has, under root', async () => {
    const path = await make();
    await mkdir(join(path, 'postgres'));
    await chown(join(path, 'postgres'), stranger, stranger);
    claimFolder(path, [stranger]);
    assert.throws(() => claimFolder(path), /postgres belongs to another user/);
  });

  it('that others may write starts nothing: no planted process is ended, no link is followed, no key is used', async () => {
    const path = await make();
    const victim = spawn('sleep', ['60'], { stdio: 'ignore' });
    const precious = join(await make(), 'precious');
    await writeFile(precious, 'as it was');
    const planted = { 'run/worker.json': { pid: victim.pid, identity: identifyProcess(victim.pid ?? 0) } };
    await mkdir(join(path, 'run'));
    for (const [name, content] of Object.entries(planted)) await writeFile(join(path, name), JSON.stringify(content));
    await writeFile(join(path, 'encryption.key'), `planted:${Buffer.alloc(32, 1).toString('base64')}\n`);
    await symlink(precious, join(path, 'start.log'));
    await symlink(precious, join(path, 'development.json.unfinished'));
    await chmod(path, 0o777);
    try {
      const begun = new Start(path, await freePorts());
      assert.equal(await begun.ended, 1);
      assert.match(begun.output, /can be written by other users \(mode 777\).*Nothing was started\./);
      await assert.rejects(startService(path), /can be written by other users/);
      assert.equal(await readFile(precious, 'utf8'), 'as it was');
      assert.equal(victim.exitCode ?? victim.signalCode, null, 'the planted process lives');
    } finally {
      victim.kill('SIGKILL');
      await once(victim, 'close');
    }
  });

  it('that another user could have written tells a command nothing, unless the environment names the database', async () => {
    const path = await make();
    const file = join(path, 'development.json');
    await writeFile(file, JSON.stringify({ database_url: 'postgres://planted:planted@127.0.0.1:1/planted' }));
    await chown(file, stranger, stranger);
    assert.throws(() => assertOwnFile(file), /development\.json belongs to another user/);
    const refused = await runScript('src/processes/cli/main.ts', ['billers', 'list'], {
      DATA_DIR: path,
      DATABASE_URL: '',
    });
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /development\.json belongs to another user/);
    const named = { DATA_DIR: path, DATABASE_URL: 'postgres://payments:secret@127.0.0.1:1/payments' };
    const tried = await runScript('src/processes/cli/main.ts', ['billers', 'list'], named);
    assert.doesNotMatch(tried.stderr, /another user/);
    assert.match(tried.stderr, /ECONNREFUSED|cannot be reached/);
  });
});
