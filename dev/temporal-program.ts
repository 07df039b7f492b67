import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { buildTemporal, findBuiltTemporal } from './temporal-build.ts';
import { downloadCli } from './temporal-download.ts';

/** The first server that can skip the time of a single workflow. */
const leastServer = [1, 32, 0] as const;

/** The programs that make up a Temporal server here: our own build, or the all-in-one `temporal` CLI. */
export type TemporalProgram =
  | { readonly kind: 'server'; readonly server: string; readonly ui: string; readonly origin: string }
  | { readonly kind: 'cli'; readonly cli: string; readonly origin: string };

/**
 * Finds a Temporal server. Programs pinned by checksum come first. The order is:
 * - the version of temporal/go.mod, as an earlier start built it;
 * - a build of it, where there is Go (minutes, once per user);
 * - the CLI of one version, which the SDK downloads;
 * - `temporal` on PATH, if it is new enough.
 * @throws with what to do when there is no server; when a build fails (another server would not know the workflows that
 * this one will have); when `signal` aborts a download or build.
 */
export async function findTemporal(host: Host, say: Say, signal?: AbortSignal): Promise<TemporalProgram> {
  const origin = 'built from temporal/go.mod';
  const built = await findBuiltTemporal(host);
  if (built !== null) {
    return { kind: 'server', ...built, origin };
  }
  const go = await findOnPath('go', host.searchPath);
  if (go !== null) {
    return { kind: 'server', ...(await buildTemporal(host, go, say, signal)), origin };
  }
  const downloaded = await downloadCli(host, say, signal);
  if (downloaded !== null && (await isNewEnough(downloaded, say))) {
    return { kind: 'cli', cli: downloaded, origin: downloaded };
  }
  const onPath = await findOnPath('temporal', host.searchPath);
  if (onPath !== null && (await isNewEnough(onPath, say))) {
    say(`Using ${onPath}, since there is no Go to build the pinned Temporal server with`);
    return { kind: 'cli', cli: onPath, origin: onPath };
  }
  throw new Error(
    'There is no Temporal server yet, and the Go toolchain that would build it was not found on PATH. Do one of:\n' +
      '  - install Go 1.21 or later (https://go.dev/dl) and start again; the build takes some minutes, once\n' +
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
