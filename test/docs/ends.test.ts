import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = join(root, 'docs/api/13a-what-an-end-does.md');
const check = (...args: string[]) => run(process.execPath, [join(root, 'tools/ends.mjs'), ...args]);

describe('the tables of ends in the guide', () => {
  let folder: string;
  beforeEach('make a folder', async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-ends-'));
  });
  afterEach('remove it', () => rm(folder, { recursive: true }));

  it('are those of the domain', async () => {
    assert.deepEqual(await check(), { stdout: '', stderr: '' });
  });

  it('are refused when a word differs, and written anew', async () => {
    const page = join(folder, 'page.md');
    const text = await readFile(guide, 'utf8');
    await writeFile(page, text.replace('| goes on |', '| canceled |'));
    await assert.rejects(check(page), ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 1);
      assert.match(stderr, /other tables/);
      return true;
    });
    await check('--write', page);
    assert.equal(await readFile(page, 'utf8'), text);
  });
});
