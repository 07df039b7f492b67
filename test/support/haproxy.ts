import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '../../dev/tool.ts';
import { type Host, readHost } from '../../src/processes/config/config.ts';

/** Debian puts servers here, which are on no user's PATH. */
const serverFolders = ['/usr/sbin', '/usr/local/sbin'];
const fetchTimeoutMs = 300_000;

/** An HAProxy that can be run, with what its environment needs. */
export interface HaproxyProgram {
  readonly program: string;
  readonly env: Record<string, string>;
}

/**
 * HAProxy as it is installed, or else as Debian's package of it, fetched once per user by apt-get and only unpacked:
 * nothing is installed. Null where there is neither.
 */
export async function findHaproxy(host: Host = readHost()): Promise<HaproxyProgram | null> {
  const installed = await findOnPath('haproxy', [host.searchPath, ...serverFolders].join(delimiter));
  if (installed !== null) return { program: installed, env: {} };
  const folder = join(host.cacheDir, 'haproxy', `${process.platform}-${process.arch}`);
  if (!(await hasProgram(folder))) {
    const [apt, dpkg] = await Promise.all(['apt-get', 'dpkg'].map((tool) => findOnPath(tool, host.searchPath)));
    if (!apt || !dpkg || !(await fetchPackages(apt, dpkg, folder))) return null;
  }
  return unpackedIn(folder);
}

/**
 * Fills the folder in one step. False where apt does not know the package or cannot fetch it, or what it fetches does
 * not run.
 */
async function fetchPackages(apt: string, dpkg: string, folder: string): Promise<boolean> {
  console.log(`      Fetching HAProxy by apt-get into ${folder}, once per user …`);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  const run = (program: string, args: string[], cwd: string) =>
    promisify(execFile)(program, args, { cwd, timeout: fetchTimeoutMs });
  try {
    // What would be installed: the package, and what it needs and is not there. To simulate needs no rights.
    const plan = await run(apt, ['install', '--simulate', '--no-install-recommends', 'haproxy'], draft);
    const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
    await mkdir(join(draft, 'packages'));
    await run(apt, ['download', ...names], join(draft, 'packages'));
    for (const file of await readdir(join(draft, 'packages'))) {
      await run(dpkg, ['-x', join(draft, 'packages', file), draft], draft);
    }
    const { program, env } = await unpackedIn(draft);
    await promisify(execFile)(program, ['-v'], { env }); // it finds its libraries
    await rename(draft, folder);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    console.log(`      apt-get could not fetch it: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
    return await hasProgram(folder); // another run was quicker
  }
}

const hasProgram = async (folder: string) => (await findOnPath('haproxy', dirname(programIn(folder)))) !== null;

function programIn(folder: string): string {
  return join(folder, 'usr', 'sbin', 'haproxy');
}

/** The program, with the folders that its libraries were unpacked into: usr/lib/<architecture> and the like. */
async function unpackedIn(folder: string): Promise<HaproxyProgram> {
  const found = await Promise.all(
    ['lib', join('usr', 'lib')].map(async (name) => {
      const entries = await readdir(join(folder, name), { withFileTypes: true }).catch(() => []);
      const inner = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, name, entry.name));
      return [join(folder, name), ...inner];
    }),
  );
  return { program: programIn(folder), env: { LD_LIBRARY_PATH: found.flat().join(':') } };
}

/** An HAProxy that runs. */
export interface RunningHaproxy {
  /** What it has logged. */
  readonly output: string;
  end(): Promise<void>;
}

/**
 * Starts it with a configuration, whose variables the environment fills; resolves when it accepts its configuration.
 */
export async function startHaproxy(
  { program, env }: HaproxyProgram,
  config: string,
  variables: Record<string, string>,
): Promise<RunningHaproxy> {
  const child: ChildProcess = spawn(program, ['-db', '-f', config], {
    env: { PATH: process.env.PATH, ...env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const check = await promisify(execFile)(program, ['-c', '-f', config], { env: { ...env, ...variables } }).then(
    () => null,
    (error: Error) => error,
  );
  if (check !== null) throw new Error(`HAProxy does not take ${config}: ${check.message}\n${output}`);
  return {
    get output() {
      return output;
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
