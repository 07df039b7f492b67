// Every script of package.json loads this file first (`node --import`), and so does mocha. It checks the version of
// Node.js, patches the PostgreSQL client if it is fresh, and keeps compiled code between starts. Plain JavaScript: an
// older Node.js must be able to read it.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { patchPostgres } from './patches/apply.mjs';

const neededVersion = 24;

if (Number.parseInt(process.versions.node, 10) < neededVersion) {
  console.error(
    `This program needs Node.js ${neededVersion} or newer, and this is ${process.versions.node} (${process.execPath}).\n` +
      'On Linux with an x64 processor, "npm ci" installs the right one, and all npm scripts use it: run "npm ci", then ' +
      'start the program by its npm script.\n' +
      `On other machines, install Node.js ${neededVersion}.`,
  );
  process.exit(1);
}
try {
  patchPostgres();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// The programs that this one starts use the same folder. If it cannot be written, code is compiled at each start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url));
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
