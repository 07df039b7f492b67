import { execFile } from 'node:child_process';
import { access, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { realNow } from '../src/platform/real-time.ts';
import { childEnvironment } from '../src/processes/config/config.ts';

const run = promisify(execFile);

/** The clock of one process, which can be set off while the process runs. */
export interface FakeClock {
  /** What the process has to be started with. */
  readonly environment: Record<string, string>;
  /** From within a second on, the process's time of day is that of the machine and so many seconds more. */
  setOff(seconds: number): Promise<void>;
}

/** Where Debian and others put libfaketime's library for programs with threads. */
const places = ['/usr/lib', '/usr/lib64', '/usr/local/lib'];
const names = ['faketime/libfaketimeMT.so.1', 'libfaketimeMT.so.1'];

/**
 * Clocks that can be set off, each a file in the folder that libfaketime reads once a second; null where there is no
 * such library, or Node.js does not obey it. The monotonic clock, by which time-outs and timers go, runs on, as it does
 * when an operator or a time server sets a machine's clock.
 */
export async function findFakeClocks(folder: string): Promise<((name: string) => Promise<FakeClock>) | null> {
  const library = await findLibrary();
  if (library === null) return null;
  await mkdir(folder, { recursive: true, mode: 0o700 });

  async function clockOf(name: string): Promise<FakeClock> {
    const file = join(folder, name.replaceAll(' ', '-'));
    const setOff = async (seconds: number) => {
      await writeFile(`${file}.draft`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
      await rename(`${file}.draft`, file);
    };
    await setOff(0);
    const environment = {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    return { environment, setOff };
  }

  const trial = await clockOf('trial');
  await trial.setOff(3_600);
  const asked = await run(process.execPath, ['-p', 'Date.now()'], { env: childEnvironment(trial.environment) }).then(
    ({ stdout }) => Number(stdout) - realNow().getTime(),
    () => 0,
  );
  return Math.abs(asked - 3_600_000) < 60_000 ? clockOf : null;
}

async function findLibrary(): Promise<string | null> {
  for (const place of places) {
    const folders = [place, ...(await readdir(place).catch(() => [])).map((name) => join(place, name))];
    for (const file of folders.flatMap((folder) => names.map((name) => join(folder, name)))) {
      const isThere = await access(file).then(
        () => true,
        () => false,
      );
      if (isThere) return file;
    }
  }
  return null;
}
