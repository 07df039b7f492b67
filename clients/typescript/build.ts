// `npm run build`: builds the package for the registry in `dist`, or in the given folder: JavaScript, its types, and a
// manifest that points to them. In this repository the TypeScript sources are used directly.
import { spawnSync } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, 'dist'));

await rm(folder, { recursive: true, force: true });
const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
const { status } = spawnSync(
  process.execPath,
  [compiler, '-p', join(here, 'tsconfig.build.json'), '--outDir', folder],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);

const {
  scripts: _,
  devDependencies: __,
  exports: ___,
  ...manifest
} = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
const published = { ...manifest, exports: { '.': { types: './index.d.ts', default: './index.js' } } };
await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
await cp(join(here, 'README.md'), join(folder, 'README.md'));
