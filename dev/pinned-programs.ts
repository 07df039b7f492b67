// The programs that `programs/programs.json` pins: wheels of the Python package index that hold one program each.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import manifest from './programs/programs.json' with { type: 'json' };

/** What is pinned of a file. */
export interface Pin {
  readonly bytes: number;
  readonly sha256: string;
}

/** A wheel of the manifest. */
export interface Wheel extends Pin {
  readonly file: string;
  /** The path of the program in the wheel. */
  readonly entry: string;
  readonly program: Pin;
}

/** A program of the manifest, with a wheel for each platform, such as `linux-x64`. */
export interface PinnedProgram {
  readonly package: string;
  readonly version: string;
  readonly holds: string;
  readonly license: string;
  /** The C library that it needs on Linux; none by default. */
  readonly needs?: string;
  /** The version under which the SDK downloads the same program; it does not by default. */
  readonly sdkVersion?: string;
  readonly wheels: { readonly [platform: string]: Wheel };
}

export const pinnedPrograms: { readonly [name in keyof typeof manifest]: PinnedProgram } = manifest;

/** The Temporal server and Web UI in the pinned CLI. */
export const pinnedTemporal = { server: manifest.temporal.server, ui: manifest.temporal.ui };

/** The program cannot be had from here, for a reason that another source may not have: a platform, or the network. */
export class ProgramUnavailable extends Error {
  override name = 'ProgramUnavailable';
}

/**
 * Checks length and SHA-256 of a file that was fetched.
 * @throws when the file is another one than is pinned. No other source is tried then.
 */
export async function refuseOther(file: string, pinned: Pin, what: string): Promise<void> {
  const { size } = await stat(file);
  const sha256 = await sha256Of(file);
  if (size === pinned.bytes && sha256 === pinned.sha256) return;
  throw new Error(
    `${what} is not what dev/programs/programs.json pins, so it is refused and deleted:\n` +
      `  pinned ${pinned.bytes} bytes, SHA-256 ${pinned.sha256}\n  found  ${size} bytes, SHA-256 ${sha256}\n` +
      'It may have been cut short on the way, or somebody has changed it. Start again, or ask those who run its source.',
  );
}

/** Whether a file is there and is the one that is pinned. */
export async function isIntact(file: string, pinned: Pin): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found !== null && found.size === pinned.bytes && (await sha256Of(file)) === pinned.sha256;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
