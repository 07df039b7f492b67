/**
 * Runs a command with a PATH on which programs are missing, as on a fresh machine:
 *
 *     node tools/without.mjs chromium,promtool -- npx mocha test/api/ops.test.ts
 *
 * The folders of PATH that have one of the programs are replaced by folders of links to all others. Ends with the
 * status of the command.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const [list, dashes, program, ...args] = process.argv.slice(2);
if (list === undefined || dashes !== '--' || program === undefined) {
  console.error('Usage: node tools/without.mjs PROGRAM,PROGRAM… -- COMMAND [ARGUMENT…]');
  process.exit(2);
}
const missing = new Set(list.split(','));
const root = await mkdtemp(join(tmpdir(), 'payments-without-'));
try {
  const folders = [];
  for (const [index, folder] of (process.env.PATH ?? '').split(delimiter).entries()) {
    const names = await readdir(folder).catch(() => []);
    if (!names.some((name) => missing.has(name))) {
      folders.push(folder);
      continue;
    }
    const links = join(root, String(index));
    await mkdir(links);
    const kept = names.filter((name) => !missing.has(name));
    await Promise.all(kept.map((name) => symlink(resolve(folder, name), join(links, name))));
    folders.push(links);
  }
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, PATH: folders.join(delimiter) } });
  // The command gets Ctrl-C too, and ends on its own.
  process.on('SIGINT', () => {});
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
