import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useFolder } from './support.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const day = 86_400_000;

describe('the launcher', function () {
  this.timeout(60_000);
  const folder = useFolder();

  /** A version of the service whose API only says its name, beside others that share one cache. */
  async function version(
    name: string,
    says = name,
  ): Promise<{ home: string; start(program?: string): Promise<string> }> {
    const home = join(folder.path, name);
    await mkdir(join(home, 'src', 'processes'), { recursive: true });
    await mkdir(join(home, 'node_modules'));
    await mkdir(join(folder.path, 'cache'), { recursive: true });
    await symlink(join(folder.path, 'cache'), join(home, 'node_modules', '.cache'));
    for (const item of ['esbuild', '@esbuild']) {
      await symlink(join(root, 'node_modules', item), join(home, 'node_modules', item));
    }
    await cp(join(root, 'src', 'processes', 'launch.mjs'), join(home, 'src', 'processes', 'launch.mjs'));
    await cp(join(root, 'patches', 'apply.mjs'), join(home, 'patches', 'apply.mjs')); // and no patch
    await writeFile(join(home, 'package.json'), '{ "type": "module" }');
    await writeFile(join(home, 'src', 'processes', 'api.ts'), `const name: string = '${says}';\nconsole.log(name);\n`);
    await writeFile(
      join(home, 'src', 'processes', 'worker.ts'),
      `import { where } from './where.ts';\nconsole.log(where);\n`,
    );
    await writeFile(
      join(home, 'src', 'processes', 'where.ts'),
      'export const where = new URL(import.meta.url).pathname;\n',
    );
    return {
      home,
      async start(program = 'api') {
        const { stdout } = await run(process.execPath, [join(home, 'src', 'processes', 'launch.mjs'), program]);
        return stdout.trim();
      },
    };
  }
  const bundles = async () => (await readdir(join(folder.path, 'cache', 'launch'))).sort();

  it('lets versions start side by side from one cache, and each again from the bundle that it has made', async () => {
    const [one, two] = [await version('one'), await version('two')];
    assert.deepEqual(await Promise.all([one.start(), two.start()]), ['one', 'two']);
    const made = await bundles();
    assert.equal(made.length, 2, String(made));
    assert.deepEqual(await Promise.all([two.start(), one.start()]), ['two', 'one']);
    assert.deepEqual(await bundles(), made);
  });

  it('discards what was not started from for a week, beyond the last four, and what was never finished', async () => {
    const cache = join(folder.path, 'cache', 'launch');
    const put = async (name: string, daysAgo: number) => {
      const at = new Date(Date.now() - daysAgo * day);
      await writeFile(join(cache, name), 'old');
      await utimes(join(cache, name), at, at);
    };
    await put('api-a.mjs', 8);
    await put('api-b.mjs', 9);
    await put('api-c.mjs.1.draft', 1);
    await put('api-d.mjs.2.draft', 0);
    const three = await version('three');
    assert.equal(await three.start(), 'three');
    const kept = await bundles();
    assert.ok(kept.includes('api-a.mjs'), 'one of the last four, however old');
    assert.ok(kept.includes('api-d.mjs.2.draft'), 'which somebody may be writing');
    assert.deepEqual(
      kept.filter((name) => /^api-[bc]\./.test(name)),
      [],
    );
    assert.equal(kept.length, 5, String(kept));
  });

  it('lets a source find what lies beside it, in each copy its own, though both start from one bundle', async () => {
    for (const { home, start } of [await version('four', 'the same'), await version('five', 'the same')]) {
      assert.equal(await start('worker'), join(home, 'src', 'processes', 'where.ts'));
    }
  });

  it('starts no other program, and says which there are', async () => {
    const { start } = await version('six');
    await assert.rejects(start('dispatcher'), /api\|worker/);
  });
});
