// Prints the unit tests: the test files whose imports, followed through the repository, start no process and no server.
// `npm run test:unit` runs them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const starters = /from '(?:node:(?:child_process|http|https|net|worker_threads)|@temporalio\/(?:testing|worker))'/;
const typeImport = /^(?:import|export) type [^;]*;$/gm;
const ownImport = /(?:from|import\()\s*'(\.[^']+\.ts)'/g;
const known = new Map();

function isPlain(file) {
  const found = known.get(file);
  if (found !== undefined) return found;
  const text = readFileSync(file, 'utf8').replaceAll(typeImport, '');
  const imported = [...text.matchAll(ownImport)].map(([, path]) => join(dirname(file), path));
  const plain = !starters.test(text) && imported.filter((path) => existsSync(path)).every(isPlain);
  known.set(file, plain);
  return plain;
}

const files = readdirSync('test', { recursive: true })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);
console.log(files.filter(isPlain).sort().join('\n'));
