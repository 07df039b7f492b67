// Prints the test files in the order in which `npm test` runs them: those that take longest first, so that no worker is
// left with one of them at the end, and those that need the machine for themselves last.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../test/', import.meta.url));
const { longest, alone } = JSON.parse(readFileSync(join(folder, 'support/run-order.json'), 'utf8'));
const files = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.test.ts'))
  .sort();
const others = files.filter((name) => !longest.includes(name) && !(name in alone));

console.log([...longest, ...others, ...Object.keys(alone)].map((name) => `test/${name}`).join('\n'));
