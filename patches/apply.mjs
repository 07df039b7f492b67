// Applies the patches in this folder to node_modules, where they are not applied. No install script runs here (.npmrc),
// ours neither, so whatever starts a program of the service imports this file first. It takes some milliseconds when
// nothing is to be done; npm ci makes node_modules anew, and then it takes half a second, once.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const root = join(folder, '..');
const record = join(root, 'node_modules', '.patched');
const patches = readdirSync(folder).filter((file) => file.endsWith('.patch'));

/** Of the patches and of the files that they change, as these are now. */
function checksum() {
  const hash = createHash('sha256');
  for (const name of patches) {
    const patch = readFileSync(join(folder, name), 'utf8');
    hash.update(patch);
    for (const [, file] of patch.matchAll(/^\+\+\+ b\/(.+)$/gm)) hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function recorded() {
  try {
    return readFileSync(record, 'utf8');
  } catch {
    return null;
  }
}

if (patches.length > 0 && recorded() !== checksum()) {
  const program = join(root, 'node_modules/patch-package/index.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--error-on-fail'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The patches could not be applied. Run npm ci, and start again.\n${stdout}${stderr}`);
  writeFileSync(record, checksum());
}
