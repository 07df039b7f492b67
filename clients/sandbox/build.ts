// `npm run build`: compiles the package into `dist`, against the built client, and bundles the service into
// `dist/service`.
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildService } from './build-service.ts';

const here = new URL('.', import.meta.url);
const path = (name: string) => fileURLToPath(new URL(name, here));

await rm(new URL('dist', here), { recursive: true, force: true });
const steps = [
  ['../typescript/build.ts'],
  ['../typescript/node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
];
for (const [program = '', ...args] of steps) {
  const { status } = spawnSync(process.execPath, [path(program), ...args], { cwd: path('.'), stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
await buildService(path('dist/service'));
