import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { newSubject } from './new-subject.ts';
import { applyEdit } from './walks.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** What imports the source is checked or run with the copy, so it is copied too. Everything else is linked. */
const copied = ['src', 'dev', 'lab', 'demo', 'bench', 'faults', 'fuzz'];
const tests = ['test/support', 'test/docs/quotes.ts'];

describe('a copy of the source with the new subject of docs/development.md', function () {
  this.timeout(300_000);
  let copy = '';

  before('copy the source, and walk', async () => {
    copy = await mkdtemp(join(tmpdir(), 'new-subject-'));
    for (const name of await readdir(root)) {
      if (![...copied, 'test', '.git'].includes(name)) await symlink(join(root, name), join(copy, name));
    }
    for (const path of [...copied, ...tests]) await cp(join(root, path), join(copy, path), { recursive: true });
    for (const edit of Object.values(newSubject.steps).flat()) await applyEdit(copy, edit);
  });
  after('remove the copy', () => rm(copy, { recursive: true, force: true }));

  it('leaves the queries of operators as they are: they read the table, and need its words alone', () => {
    const files = Object.values(newSubject.steps).flatMap((edits) => edits.map(({ file }) => file));
    const ofOperators = files.filter((file) => file.startsWith('src/operations/') || file.startsWith('src/sites/'));
    assert.deepEqual([...new Set(ofOperators)], ['src/operations/stuck/kinds/overdue.ts']);
  });

  it('keeps to the architecture', async () => {
    await run(process.execPath, ['--disable-warning=ExperimentalWarning', 'tools/architecture.mjs'], { cwd: copy });
  });

  it('serves the new subject, and knows it wherever subjects are listed', async () => {
    // The schema is another one. Its run is one of its own, on the same servers.
    const { TEST_DATABASE_TEMPLATE: _, TEST_RUN_FOLDER: __, MOCHA_WORKER_ID: ___, ...environment } = process.env;
    const mocha = [join(root, 'node_modules/mocha/bin/mocha.js'), 'test/docs/quotes.ts'];
    const { stdout } = await run(process.execPath, mocha, { cwd: copy, env: environment }).catch(
      ({ stdout: output, stderr }: { stdout: string; stderr: string }) => assert.fail(`${output}\n${stderr}`),
    );
    assert.match(stdout, /^ {2}6 passing/m);
  });
});
