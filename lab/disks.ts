import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const mounted = new Set<string>();

// However this process ends, no disk stays mounted.
process.on('exit', () => {
  for (const folder of mounted) spawnSync('umount', ['--lazy', folder]);
});

/** A small file system of a folder's own, which can be made full. */
export interface Disk {
  /** Takes away all space that is not used. */
  fill(): Promise<void>;
  /** Gives it back. */
  free(): Promise<void>;
  isFull(): Promise<boolean>;
  /** Refuses all writes, or allows them again. No file may be open for writing. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  unmount(): Promise<void>;
}

/** The folders of a data directory that can have disks of their own. */
export const diskNames = ['postgres', 'temporal', 'logs'] as const;

export type DiskName = (typeof diskNames)[number];

/** The disks of a data directory; empty where this machine does not let us mount one. */
export type Disks = ReadonlyMap<DiskName, Disk>;

const diskMegabytes: Record<DiskName, number> = { postgres: 3_000, temporal: 1_000, logs: 1_000 };
/** Kilobytes that may be left on a disk that is full. */
const mostSpare = 10_000;

/** Mounts disks under these folders of the data directory, which are empty still. Only root may. */
export async function mountDisks(dataDir: string, names: readonly DiskName[]): Promise<Disks> {
  const disks = new Map<DiskName, Disk>();
  for (const name of names) {
    const disk = await mountDisk(join(dataDir, name), diskMegabytes[name], { isKept: name === 'logs' });
    if (disk !== null) disks.set(name, disk);
  }
  return disks;
}

/** Mounts a disk over a folder, or returns null. What `isKept` is still in the folder when the disk is unmounted. */
export async function mountDisk(folder: string, megabytes: number, { isKept = false } = {}): Promise<Disk | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]).then(
    succeeded,
    failed,
  );
  if (!isMounted) return null;
  mounted.add(folder);
  const resize = (size: string) => run('mount', ['-o', `remount,size=${size}`, folder]);
  return {
    async fill() {
      // It may grow between the look and the cut, and is not cut below what it holds.
      for (let spare = 0; spare < mostSpare; spare = 2 * spare + 64) {
        const { stdout } = await run('df', ['--output=used', '--block-size=1k', folder]);
        const used = Number(stdout.trim().split('\n').at(-1));
        if (await resize(`${used + spare}k`).then(succeeded, failed)) return;
      }
      throw new Error(`${folder} cannot be made full`);
    },
    async free() {
      await resize(`${megabytes}m`);
    },
    async isFull() {
      return (await statfs(folder)).bfree === 0;
    },
    async setReadOnly(isReadOnly) {
      await run('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder]);
    },
    async unmount() {
      const copy = `${folder}.copy`;
      if (isKept) await cp(folder, copy, { recursive: true });
      await run('umount', [folder]);
      mounted.delete(folder);
      if (isKept) await rename(copy, folder);
    },
  };
}

const succeeded = () => true;
const failed = () => false;
