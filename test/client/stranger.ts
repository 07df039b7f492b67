import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Ran, root, runProgram } from '../../lab/run-program.ts';
import { packClients } from './pack.ts';
import { packagesOfTheSandbox, serveRegistry } from './registry.ts';

/** A folder outside this repository, with the packed client and sandbox installed by npm. */
export interface Stranger {
  readonly folder: string;
  readonly tarballs: readonly string[];
  /** What a stranger's shell has; nothing in it names this repository but the program `node` itself. */
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** The folders of PATH that are not of this repository. */
export const foreignPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.startsWith(root) && !folder.includes('node_modules'))
  .join(delimiter);

/** Packs client and sandbox and installs both into an empty folder, without the network. */
export async function becomeStranger(): Promise<Stranger> {
  const home = await mkdtemp(join(tmpdir(), 'stranger-'));
  const [folder, programs] = [join(home, 'project'), join(home, 'bin')];
  await mkdir(folder);
  await mkdir(programs);
  await symlink(process.execPath, join(programs, 'node'));
  const tarballs = await packClients(['typescript', 'sandbox'], home);
  const env = {
    PATH: [programs, foreignPath].join(delimiter),
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), // the Temporal server is there
    npm_config_ignore_scripts: 'true',
    npm_config_update_notifier: 'false',
  };
  const registry = await serveRegistry(packagesOfTheSandbox);
  try {
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const args = ['install', '--save-dev', '--no-audit', '--no-fund', ...tarballs.map((name) => join('..', name))];
    const installing = { ...env, npm_config_registry: registry.url };
    orThrow(await runProgram('npm', args, { cwd: folder, env: installing }));
  } finally {
    await registry.close();
  }
  return { folder, tarballs, env, remove: () => rm(home, { recursive: true, force: true }) };
}

/** The output of a program that ended with 0. @throws Error with its output otherwise */
export function orThrow({ code, stdout, stderr }: Ran): string {
  if (code !== 0) throw new Error(`ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
