// Applies postgres.patch to the PostgreSQL client that npm has installed. No package runs a script when it is installed
// (.npmrc), so the first program that starts does it (setup.mjs); each later start compares the file's checksum. Plain
// JavaScript, because the image and an older Node.js load it too.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The file that is patched, of postgres 3.4.9. */
const patchedFile = 'connection.js';
/** SHA-256 of the file in the registry's package, and of the file with the patch. */
const before = 'ee3a218d9aa6a6f2887c1a19da50009335fe84c11a5431d5cab72d6bc528632f';
const after = '3faa9efe170aa696e17f721b1e6a020c20a298535ea2deb4bcc5d4c719c867f1';

const sumOf = (text) => createHash('sha256').update(text).digest('hex');
const folderOfClient = () => fileURLToPath(new URL('.', import.meta.resolve('postgres')));

/**
 * Patches the client in `folder`, its `src`, unless it is patched. A service with the client as it is would end with
 * the first connection that is closed at the wrong moment.
 * @throws Error if the client is another one, or cannot be written; it says what to do.
 */
export function patchPostgres(folder = folderOfClient()) {
  const file = `${folder}/${patchedFile}`;
  const text = readFileSync(file, 'utf8');
  if (sumOf(text) === after) return;
  const { applyPatch } = createRequire(import.meta.url)('diff');
  const patch = readFileSync(new URL('postgres.patch', import.meta.url), 'utf8');
  const patched = sumOf(text) === before && applyPatch(text, patch);
  if (!patched || sumOf(patched) !== after)
    throw new Error(`${file} is not that of postgres 3.4.9, to which patches/postgres.patch belongs. Run "npm ci".`);
  // Under another name first: programs may start side by side, and read it.
  const scratch = `${file}.${randomUUID()}`;
  try {
    writeFileSync(scratch, patched);
    renameSync(scratch, file);
  } catch (error) {
    rmSync(scratch, { force: true });
    throw new Error(`${file} needs patches/postgres.patch. Run "node setup.mjs" as a user who may write it.`, {
      cause: error,
    });
  }
}
