// `npm run build`: compiles the package into `dist`, as ECMAScript modules and as CommonJS, each with its types. Inside
// this repository the sources are used directly: the condition `payments-source` leads to them.
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = new URL('.', import.meta.url);
const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));

await rm(new URL('dist', here), { recursive: true, force: true });
for (const project of ['tsconfig.build.json', 'tsconfig.commonjs.json']) {
  const args = [compiler, '-p', fileURLToPath(new URL(project, here))];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
await writeFile(new URL('dist/cjs/package.json', here), '{ "type": "commonjs" }\n');
