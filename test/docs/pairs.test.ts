import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const check = (...args: string[]) => run(process.execPath, [join(root, 'tools/pairs.mjs'), ...args]);

describe('the table of pairs in development.md', () => {
  let folder: string;
  beforeEach('copy the tests', async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-pairs-'));
    await cp(join(root, 'test/pairs'), folder, { recursive: true });
  });
  afterEach('remove them', () => rm(folder, { recursive: true }));

  it('is that of the titles, and names a test for each pair', async () => {
    assert.deepEqual(await check(), { stdout: '', stderr: '' });
  });

  it('is refused when a pair has lost its test, and is named', async () => {
    await rm(join(folder, 'money-back.test.ts'));
    await assert.rejects(check(folder), ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 1);
      assert.match(stderr, /^No test covers "refund \+ return"\./m);
      assert.match(stderr, /another table/);
      return true;
    });
  });

  it('is refused when a title names its pair in the other order', async () => {
    await writeFile(join(folder, 'other.test.ts'), "lived('mandate + plan: they meet', async () => {});\n");
    await assert.rejects(check(folder), /write "plan \+ mandate", not "mandate \+ plan"/);
  });
});
