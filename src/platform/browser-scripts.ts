import { readFileSync } from 'node:fs';

/**
 * Returns scripts for browsers as one text, in the order of their names. They are files of `folder`, each a block or a
 * function, so that they share no names. `npm run types` checks them. Read once, when the module is loaded.
 */
export function readScripts(folder: URL, ...names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('');
}
