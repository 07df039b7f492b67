import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ran, runProgram } from '../lab/run-program.ts';
import { print } from '../src/platform/terminal.ts';
import { readHost } from '../src/processes/config/config.ts';

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
const debianHint = 'On Debian and Ubuntu: apt install python3 python3-venv.';

/** What is needed to fuzz is not there; the message says what to install. */
export class Unprepared extends Error {
  override name = 'Unprepared';
}

/** A program and the arguments that come before all others. */
export type Command = readonly [program: string, ...first: string[]];

/**
 * Schemathesis, in a virtual environment that is made once for each content of `requirements.txt`.
 * @throws Unprepared when Python is missing or too old, or its packages cannot be had.
 */
export async function prepareSchemathesis(): Promise<Command> {
  const version = await pythonVersion();
  const content = createHash('sha256')
    .update(version)
    .update(await readFile(requirements));
  const folder = join(readHost().cacheDir, 'fuzz', content.digest('hex').slice(0, 16));
  if (!(await stat(folder).catch(() => null))) await make(folder);
  // By its Python and not by its script, which names the folder that it was installed in.
  return [
    join(folder, 'bin', 'python'),
    '-c',
    'from schemathesis.cli import schemathesis; schemathesis(prog_name="st")',
  ];
}

/** Makes the environment next to its place and moves it there, so that a folder with the name is always a whole one. */
async function make(folder: string): Promise<void> {
  print(`Installing schemathesis into ${folder}, once.`);
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    await install(draft);
    await rename(draft, folder).catch(async (error: unknown) => {
      // Another run was faster.
      if (!(await stat(folder).catch(() => null))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function pythonVersion(): Promise<string> {
  const asked = await runProgram('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  if (asked.code !== 0) throw new Unprepared(`python3 was not found. ${debianHint}`);
  const version = asked.stdout.trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || minor < 11) throw new Unprepared(`Python 3.11 or newer is needed, and python3 is ${version}.`);
  return version;
}

async function install(folder: string): Promise<void> {
  const wanted = [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '--requirement',
    requirements,
  ];
  const whole = await runProgram('python3', ['-m', 'venv', folder]);
  if (whole.code === 0) return need(await runProgram(join(folder, 'bin', 'python'), ['-m', 'pip', ...wanted]));
  // Debian has the part of venv that installs pip in a package of its own; the system's pip can do it from outside.
  const bare = await runProgram('python3', ['-m', 'venv', '--clear', '--without-pip', folder]);
  const outside = await runProgram('python3', ['-m', 'pip', '--version']);
  if (bare.code !== 0 || outside.code !== 0) {
    throw new Unprepared(
      `python3 cannot make a virtual environment with pip. ${debianHint}\n${whole.stdout}${whole.stderr}`,
    );
  }
  need(await runProgram('python3', ['-m', 'pip', '--python', join(folder, 'bin', 'python'), ...wanted]));
}

function need({ code, stdout, stderr }: Ran): void {
  if (code !== 0)
    throw new Unprepared(`The packages of fuzz/requirements.txt cannot be installed:\n${stdout}${stderr}`);
}
