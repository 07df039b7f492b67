// The programs that stand in for Stripe: each by its registry's client, pinned exactly, once per user, in the cache.
// None is a dependency of package.json. They bring 130 packages that nothing here imports, and one is under the GPL:
// it stays a process beside the tests.

import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Say } from '../../dev/daemon.ts';
import { takeLock } from '../../dev/process-record.ts';
import { findOnPath, runTool } from '../../dev/tool.ts';
import { type Host, readHost } from '../../src/processes/config/config.ts';
import { runProgram } from '../run-program.ts';

export type RigProgram = 'stripe-mock' | 'localstripe' | 'emulate' | 'stripe-stateful-mock';

/** A program and its first arguments. */
export type Command = readonly [program: string, ...first: string[]];

/** A program of the rig is not here and cannot be installed. The message is one sentence that says why. */
export class RigUnavailable extends Error {
  override name = 'RigUnavailable';
}

const pins = fileURLToPath(new URL('pins/', import.meta.url));
const pin = (file: string) => join(pins, file);

interface Recipe {
  /** The program of this machine that installs it. */
  readonly needs: 'go' | 'python3' | 'npm';
  /** The files of pins/ that the folder in the cache depends on. */
  readonly pinned: readonly string[];
  install(tool: string, folder: string, run: Run): Promise<void>;
  command(folder: string): Command;
}

/** @throws RigUnavailable if the program ends with anything but 0 */
type Run = (program: string, args: readonly string[], env?: Record<string, string>) => Promise<void>;

const stripeMock = 'github.com/stripe/stripe-mock@v0.203.0';

/** By npm from the lock file; both programs are in one folder. */
const byNpm = {
  needs: 'npm',
  pinned: ['package.json', 'package-lock.json'],
  async install(npm: string, folder: string, run: Run) {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) await copyFile(pin(file), join(folder, file));
    await run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  },
} as const;

const recipes: Record<RigProgram, Recipe> = {
  // Go checks the module against the public log of checksums.
  'stripe-mock': {
    needs: 'go',
    pinned: [],
    install: (go, folder, run) => run(go, ['install', stripeMock], { GOBIN: folder, CGO_ENABLED: '0' }),
    command: (folder) => [join(folder, 'stripe-mock')],
  },
  localstripe: {
    needs: 'python3',
    pinned: ['requirements.txt', 'build-constraints.txt'],
    // localstripe is published as its sources alone, which pip packs; of the others only wheels are taken.
    async install(python, folder, run) {
      const quiet = ['--quiet', '--no-input', '--disable-pip-version-check'];
      const forms = ['--only-binary=:all:', '--no-binary=localstripe', '--require-hashes'];
      const where = ['--requirement', pin('requirements.txt'), '--target', join(folder, 'site')];
      const env = { PIP_CONSTRAINT: pin('build-constraints.txt') };
      await run(python, ['-m', 'pip', 'install', ...quiet, ...forms, ...where], env);
    },
    command: (folder) => ['python3', '-c', startLocalStripe, join(folder, 'site')],
  },
  emulate: { ...byNpm, command: (folder) => [process.execPath, join(folder, 'node_modules/emulate/dist/index.js')] },
  'stripe-stateful-mock': {
    ...byNpm,
    command(folder) {
      const program = join(folder, 'node_modules/stripe-stateful-mock/dist/cli.js');
      return [process.execPath, '--require', fileURLToPath(new URL('loopback/listen.cjs', import.meta.url)), program];
    },
  },
};

/** Runs the module in the folder that is its first argument, with the others. */
const startLocalStripe =
  'import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module("localstripe", run_name="__main__")';

/** The programs that `startStripeRig` starts. */
export const programsOfRig: readonly RigProgram[] = ['localstripe', 'stripe-mock'];

export const rigPrograms = Object.keys(recipes) as RigProgram[];

/**
 * The command of a program of the rig, installed if it is not in the cache; `say` gets one line if so.
 * @throws RigUnavailable if it cannot be installed here
 */
export async function rigProgram(name: RigProgram, say: Say, host: Host = readHost()): Promise<Command> {
  const recipe = recipes[name];
  const folder = await folderOf(name, recipe, host);
  if (await exists(folder)) return recipe.command(folder);
  const tool = await findOnPath(recipe.needs, host.searchPath);
  if (tool === null) throw new RigUnavailable(`${name} is not installed, and there is no ${recipe.needs} on PATH.`);
  await mkdir(dirname(folder), { recursive: true });
  const release = await becomeInstaller(folder);
  try {
    if (!(await exists(folder))) await installInto(folder, name, tool, say);
  } finally {
    await release();
  }
  return recipe.command(folder);
}

async function folderOf(name: RigProgram, { needs, pinned }: Recipe, host: Host): Promise<string> {
  const hash = createHash('sha256').update(`${stripeMock} ${process.platform} ${process.arch} ${process.version}`);
  for (const file of pinned) hash.update(await readFile(pin(file)));
  // Packages that Python has compiled are for one version of it.
  if (needs === 'python3') hash.update((await runProgram('python3', ['--version'])).stdout);
  return join(host.cacheDir, 'stripe-rig', `${needs === 'npm' ? 'npm' : name}-${hash.digest('hex').slice(0, 12)}`);
}

/** Fills the folder of a program in one step. */
async function installInto(folder: string, name: RigProgram, tool: string, say: Say): Promise<void> {
  const begun = performance.now();
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  const run: Run = async (program, args, env = {}) => {
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line.trim());
    const outcome = await runTool(program, args, { cwd: unfinished, env, onLine });
    if (outcome === 'exit code 0') return;
    const reason = lines.filter((line) => line !== '').at(-1) ?? 'it does not say why';
    throw new RigUnavailable(`${name} cannot be installed by ${program} (${outcome}): ${reason}`);
  };
  try {
    await recipes[name].install(tool, unfinished, run);
    // A folder under its final name is complete, whenever this process is killed.
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  say(`installed ${name} in ${((performance.now() - begun) / 1000).toFixed(1)} s, kept in ${folder}`);
}

/** Waits until no other process installs into this folder, and takes the lock. Returns what releases it. */
async function becomeInstaller(folder: string): Promise<() => Promise<void>> {
  for (;;) {
    const lock = await takeLock(`${folder}.lock`);
    if (lock.taken) return lock.release;
    await pause(100);
  }
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );
