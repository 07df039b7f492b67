/**
 * Plants the faults of mutants.txt in a copy of the source, one at a time, and prints which test finds each of them:
 *
 *     npm run mutants                  all of them
 *     npm run mutants -- money races   those of an area, or whose line with files and tests has this in it
 *     npm run mutants -- --check       none: only looks whether each still fits the source
 *
 * The copy is of the last commit. Ends with 1 if a fault survives, or if one does not fit: its text must stand once in
 * its file, and its tests must exist.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const wanted = process.argv.slice(2).filter((word) => word !== '--check');
const chosen = readFileSync(join(import.meta.dirname, 'mutants.txt'), 'utf8')
  .split(/^# /m)
  .flatMap((area) => area.split('\n\n').flatMap((block) => read(area.slice(0, area.indexOf('\n')), block.split('\n'))))
  .filter(({ area, at }) => wanted.length === 0 || wanted.some((word) => word === area || at.includes(word)));

const misfits = chosen.flatMap((mutant) => whyMisfit(mutant) ?? []);
for (const misfit of misfits) console.error(misfit);
if (misfits.length > 0) process.exit(1);
if (isCheck) process.exit(0);

const copy = mkdtempSync(join(tmpdir(), 'payments-mutants-'));
process.on('SIGINT', () => {}); // the test gets it too; the copy is removed before the end
let found = 0;
try {
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x'], { cwd: copy, input: archive });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const mutant of chosen) {
    const { isFound, words } = plant(mutant);
    if (isFound) found += 1;
    console.log(`${isFound ? 'found' : 'SURVIVED'} | ${mutant.area} | ${mutant.what} | ${words}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${found} of ${chosen.length} found`);
process.exitCode = found === chosen.length ? 0 : 1;

/** Reads a fault: what is wrong, `@ file tests…`, the lines that stand there (-), and those instead of them (+). */
function read(area, [what, at = '', ...lines]) {
  if (!at.startsWith('@ ')) return [];
  const [file, ...tests] = at.slice(2).split(' ');
  const textOf = (sign) =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  return [{ area, what, at, file: `src/${file}`, tests, text: textOf('-'), instead: textOf('+') }];
}

/** Why a fault cannot be planted. Null if it can. */
function whyMisfit({ what, file, tests, text }) {
  const missing = [file, ...tests.map(testFile)].find((name) => !existsSync(join(root, name)));
  if (missing !== undefined) return `${what}: ${missing} does not exist`;
  const times = readFileSync(join(root, file), 'utf8').split(text).length - 1;
  return times === 1 ? null : `${what}: its text stands ${times} times in ${file}`;
}

function testFile(name) {
  return `test/${name}.test.ts`;
}

/** Runs the tests of a fault with the fault in place. A run in which no test fails, or none runs, has not found it. */
function plant({ file, tests, text, instead }) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.replace(text, () => instead));
  try {
    const run = spawnSync(
      join(copy, 'node_modules/.bin/mocha'),
      ['--bail', ...tests.map(testFile)],
      { cwd: copy, encoding: 'utf8', timeout: 300_000, killSignal: 'SIGINT' },
    );
    const [, failure] = /^ {2}1\) (.*\n(?: {5,}.*\n)*)/m.exec(run.stdout) ?? [];
    const isFound = run.status !== 0 && failure !== undefined;
    const words = isFound ? failure.replaceAll(/\s+/g, ' ').trim() : run.stderr.slice(0, 400) || tests.join(', ');
    return { isFound, words };
  } finally {
    writeFileSync(path, source);
  }
}
