import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'mocha';
import { root, runProgram } from '../../lab/run-program.ts';
import { RigUnavailable, rigProgram, rigPrograms } from '../../lab/stripe-rig/programs.ts';
import { useFolder } from '../runtime/support.ts';

describe('the programs in place of Stripe', () => {
  const folder = useFolder();

  for (const name of rigPrograms) {
    it(`are said to be missing in one sentence without what installs them: ${name}`, async () => {
      const host = { searchPath: folder.path, cacheDir: folder.path };
      await assert.rejects(
        rigProgram(name, () => {}, host),
        (error: Error) => {
          assert.ok(error instanceof RigUnavailable);
          assert.match(
            error.message,
            new RegExp(`^${name} is not installed, and there is no (go|python3|npm) on PATH\\.$`),
          );
          return true;
        },
      );
      assert.deepEqual(await readdir(folder.path), []);
    });
  }

  it('are pinned by exact versions and checksums', async () => {
    const { code, stderr } = await runProgram(process.execPath, ['tools/packages.mjs', 'lab/stripe-rig/pins'], {
      cwd: root,
    });
    assert.equal(code, 0, stderr);
  });
});
