import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { routeFileFaults } from '../support/route-files.ts';
import { applyEdit, type Edit, walks } from './walks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Is not compiled, since it imports almost everything: `routeFileFaults` checks it. */
const routesIndex = 'src/api/routes/index.ts';

/** A walk with all of its steps, or with all but one. */
interface Variant {
  folder: string;
  walk: string;
  omitted: string | null;
}

const variants: Variant[] = Object.entries(walks).flatMap(([walk, { steps, own = Object.keys(steps) }], index) =>
  [null, ...own].map((omitted, nth) => ({ folder: `walk-${index}-${nth}`, walk, omitted })),
);

describe('the walks of docs/development.md, on a scratch copy of the source', function () {
  this.timeout(300_000);
  let scratch = '';
  let report = '';

  before('make a copy for each step that is left out, and compile them all at once', async () => {
    scratch = await mkdtemp(join(tmpdir(), 'walks-'));
    await symlink(join(root, 'node_modules'), join(scratch, 'node_modules'));
    await writeFile(join(scratch, 'package.json'), '{ "type": "module" }');
    await Promise.all(variants.map(make));
    const include = variants
      .flatMap(({ folder, walk }) => copiesOf(walk).map((file) => `${folder}/${file}`))
      .filter((file) => !file.endsWith(routesIndex));
    // By `include`, which allows that a file is missing: a step that is left out may be one.
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions: { types: ['node'] }, include };
    await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    report = await new Promise((resolve) => {
      execFile(
        process.execPath,
        [compiler, '--noEmit', '--pretty', 'false', '-p', scratch],
        { cwd: scratch },
        (_, stdout) => resolve(stdout),
      );
    });
  });
  after('remove the copies', () => rm(scratch, { recursive: true, force: true }));

  async function make({ folder, walk, omitted }: Variant): Promise<void> {
    await copy('src', join(scratch, folder), new Set(copiesOf(walk)));
    for (const [name, edits] of Object.entries(walks[walk]?.steps ?? {})) {
      if (name !== omitted) for (const edit of edits) await applyEdit(join(scratch, folder), edit);
    }
  }

  for (const { folder, walk, omitted } of variants) {
    const verdict = omitted === null ? 'compiles' : `without ${omitted} is refused`;
    it(`the walk of ${walk} ${verdict}`, async () => {
      const errors = report.split('\n').filter((line) => line.startsWith(`${folder}/`));
      const unlisted = await routeFileFaults(join(scratch, folder, 'src/api/routes'));
      if (omitted === null) assert.deepEqual([errors, unlisted], [[], []]);
      else assert.ok(errors.length + unlisted.length > 0, 'neither the compiler nor a test has found it');
    });
  }

  it('take no more source files than the page allows, beside the migration', () => {
    for (const [walk, { steps, atMost, existingAtMost = atMost }] of Object.entries(walks)) {
      const edits = Object.values(steps).flat();
      const filesOf = (some: readonly Edit[]) => [...new Set(some.map(({ file }) => file))];
      const files = filesOf(edits.filter(({ file }) => file.endsWith('.ts')));
      const existing = filesOf(edits.filter((edit) => edit.after !== null));
      assert.ok(files.length <= atMost, `${walk}: ${files.join(', ')}`);
      assert.ok(existing.length <= existingAtMost, `${walk} changes ${existing.join(', ')}`);
    }
  });
});

/** The files of a walk that are copied: those that it changes, and those that are compiled against the change. */
function copiesOf(walk: string): string[] {
  const { steps, compiled } = walks[walk] ?? assert.fail();
  return [...new Set([...compiled, ...Object.values(steps).flatMap((edits) => edits.map(({ file }) => file))])];
}

/** Copies these files of a folder of the repository. All others are links, so that they are compiled once. */
async function copy(folder: string, to: string, copies: ReadonlySet<string>): Promise<void> {
  await mkdir(join(to, folder), { recursive: true });
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (copies.has(path)) await cp(join(root, path), join(to, path));
    else if ([...copies].some((file) => file.startsWith(`${path}/`))) await copy(path, to, copies);
    else await symlink(join(root, path), join(to, path));
  }
}
