// Prints the pairs of capabilities: for each two of them, the whole-life tests that cover them together, such as
// `plan + mandate: plan-debits`. A test covers a pair if its title begins with it, such as `plan + mandate: …`; the
// names have the order of the list below. Usage: node tools/pairs.mjs [FOLDER], by default test/pairs. Ends with 1 if
// no test covers a pair.
import { readdirSync, readFileSync } from 'node:fs';
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
  'dispute',
  'deletion',
  'surcharge',
  'tax',
];
const name = `(${capabilities.join('|')})`;
/** The first argument of a call that declares a test. */
const title = new RegExp(`\\(\\s*'${name} \\+ ${name}: `, 'g');
const folder = process.argv[2] ?? fileURLToPath(new URL('../test/pairs', import.meta.url));

const rank = (name) => capabilities.indexOf(name);

/** Returns the files that cover each pair. @throws Error if a title names a pair in the other order. */
function coverage() {
  const covered = new Map();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.ts'))) {
    for (const [, one, other] of readFileSync(join(folder, file), 'utf8').matchAll(title)) {
      if (rank(one) > rank(other)) {
        throw new Error(`${file}: write "${other} + ${one}", not "${one} + ${other}"`);
      }
      const pair = `${one} + ${other}`;
      covered.set(pair, (covered.get(pair) ?? new Set()).add(basename(file, '.test.ts')));
    }
  }
  return covered;
}

const covered = coverage();
const pairs = capabilities.flatMap((one, index) => capabilities.slice(index).map((other) => `${one} + ${other}`));
for (const pair of pairs) {
  const files = covered.get(pair);
  if (files !== undefined) console.log(`${pair}: ${[...files].sort().join(', ')}`);
  else {
    console.error(`No test covers "${pair}". Write one in test/pairs whose title begins so.`);
    process.exitCode = 1;
  }
}
