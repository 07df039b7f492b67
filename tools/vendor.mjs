// Makes vendor/NAME-VERSION.tgz of each patch in vendor/: the package as its registry has it, with the patch. With
// --check, compares the files of the archives with that instead, and ends with 1 if one differs.
// Usage: node tools/vendor.mjs [--check]; without --check it needs GNU tar.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../vendor/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'vendor-'));
const run = (program, ...args) => execFileSync(program, args, { cwd: scratch, encoding: 'utf8' });

/** Unpacks the package, patched, into a folder, and returns its path. */
function patched(name) {
  const [, packageName, version] = /^(.+)-(\d+\.\d+\.\d+)$/.exec(name);
  // A `+` in a file name is the `/` of a package's name.
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', `${packageName.replace('+', '/')}@${version}`));
  const into = unpacked(join(scratch, filename), `${name}-patched`);
  execFileSync('git', ['apply', join(folder, `${name}.patch`)], { cwd: into });
  return into;
}

function unpacked(archive, name) {
  const into = join(scratch, name);
  mkdirSync(into);
  run('tar', '-xzf', archive, '--strip-components=1', '-C', into);
  return into;
}

/** The same files make the same archive: names in order, and npm's own date of every file. */
function pack(from, archive) {
  const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=1985-10-26 08:15:00Z'];
  run('tar', ...fixed, '--use-compress-program=gzip -n -9', '--transform=s,^\\.,package,', '-cf', archive, '-C', from, '.');
}

try {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.patch'))) {
    const name = file.slice(0, -'.patch'.length);
    const archive = join(folder, `${name}.tgz`);
    if (process.argv.includes('--check')) run('diff', '-r', patched(name), unpacked(archive, name));
    else pack(patched(name), archive);
  }
} catch (error) {
  console.error(`${error.message}\n${error.stdout ?? ''}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true });
}
