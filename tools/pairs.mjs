// The table of pairs in docs/development.md: for each two capabilities, the whole-life tests that cover them together.
// A test covers a pair if its title begins with it, such as `plan + mandate: …`; the names have the order of the list
// below. Usage: node tools/pairs.mjs [--write] [FOLDER], by default test/pairs. Without `--write` it compares the table
// with the titles. Ends with 1 if they differ, or if no test covers a pair.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const capabilities = [
  'plan',
  'subscription',
  'scheduled',
  'link',
  'session',
  'mandate',
  'refund',
  'return',
  'deletion',
  'surcharge',
];
const name = `(${capabilities.join('|')})`;
/** The first argument of a call that declares a test. */
const title = new RegExp(`\\(\\s*'${name} \\+ ${name}: `, 'g');
const [begin, end] = ['<!-- pairs: written by tools/pairs.mjs -->', '<!-- end of pairs -->'];

const root = fileURLToPath(new URL('../', import.meta.url));
const page = join(root, 'docs/development.md');
const isWriting = process.argv.includes('--write');
const folder = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? join(root, 'test/pairs');

const rank = (name) => capabilities.indexOf(name);

/** Returns the files that cover each pair. @throws Error if a title names a pair in the other order. */
function coverage() {
  const covered = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.ts'))) {
    for (const [, row, column] of readFileSync(join(folder, file), 'utf8').matchAll(title)) {
      if (rank(row) > rank(column)) {
        throw new Error(`${file}: write "${column} + ${row}", not "${row} + ${column}"`);
      }
      const pair = `${row} + ${column}`;
      covered.set(pair, [...(covered.get(pair) ?? []), basename(file, '.test.ts')]);
    }
  }
  return covered;
}

/** The table as text: rows and columns are capabilities. Each pair is in it twice, except those of the diagonal. */
function tableOf(covered) {
  const cell = (row, column) => {
    const [first, second] = rank(row) < rank(column) ? [row, column] : [column, row];
    const files = [...new Set(covered.get(`${first} + ${second}`) ?? [])].sort();
    return files.map((file) => `[${file}](../test/pairs/${file}.test.ts)`).join(', ');
  };
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...capabilities]),
    line(['---', ...capabilities.map(() => '---')]),
    ...capabilities.map((row) => line([row, ...capabilities.map((column) => cell(row, column))])),
  ].join('\n');
}

const covered = coverage();
const missing = capabilities.flatMap((row, index) =>
  capabilities
    .slice(index)
    .map((column) => `${row} + ${column}`)
    .filter((pair) => !covered.has(pair)),
);
for (const pair of missing) console.error(`No test covers "${pair}". Write one in test/pairs whose title begins so.`);

const text = readFileSync(page, 'utf8');
const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
const written = `${text.slice(0, from)}\n\n${tableOf(covered)}\n\n${text.slice(to)}`;
const isOld = written !== text;
if (isWriting) writeFileSync(page, written);
else if (isOld) console.error('docs/development.md has another table. Run: npm run pairs -- --write');
if (missing.length > 0 || (isOld && !isWriting)) process.exitCode = 1;
