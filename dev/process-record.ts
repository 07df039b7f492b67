import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { link, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Records a process, by its id and identity, for `findRecordedProcess`. The file is never half written. It is written
 * before this returns: if this process were killed between a start and the record of it, the next start would not know
 * the process.
 */
export function recordProcess(file: string, pid: number): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify({ pid, identity: identifyProcess(pid) })}\n`);
  renameSync(unfinished, file);
}

/** The id of the process that a file records, or null when it no longer lives or nothing is recorded. */
export async function findRecordedProcess(file: string): Promise<number | null> {
  const record = await readRecord(file);
  return record !== null && identifyProcess(record.pid) === record.identity ? record.pid : null;
}

/** What a file records of a process, which may have ended since. Null when nothing is recorded. */
export async function readRecord(file: string): Promise<{ pid: number; identity: string } | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, pid, identity] = /"pid":(\d+),"identity":"([^"]+)"/.exec(text) ?? [];
  return pid === undefined || identity === undefined ? null : { pid: Number(pid), identity };
}

export type Lock = { taken: true; release: () => Promise<void> } | { taken: false; holder: number };

/**
 * Takes a lock for this process, or returns the living process that holds it. A lock whose holder was killed is free.
 * Two processes that find such a lock in the same millisecond could both take it: this guards against mistakes, not
 * attacks.
 */
export async function takeLock(file: string): Promise<Lock> {
  const mine = `${file}.${process.pid}`;
  recordProcess(mine, process.pid);
  try {
    for (;;) {
      try {
        await link(mine, file); // atomic: unlike a file that is opened and then written, a link is complete at once
        return { taken: true, release: () => rm(file, { force: true }) };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
          throw error;
        }
      }
      const holder = await findRecordedProcess(file);
      if (holder !== null) {
        return { taken: false, holder };
      }
      await rm(file, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/**
 * Returns the identity of a process: the same text for as long as it lives, another text once its id belongs to a new
 * process, and null when there is no process. A process id alone proves nothing after a crash or a reboot.
 */
export function identifyProcess(pid: number): string | null {
  return process.platform === 'linux' ? identifyOnLinux(pid) : identifyByPs(pid);
}

/** Uses `/proc` rather than `ps`: slim images lack `ps`, and its start time moves when the wall clock is set. */
function identifyOnLinux(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces. After it come the state (field 3) and, as field 22, the start in ticks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const zombie = fields[0] === 'Z';
    return zombie ? null : `${boot.trim()}/${fields[19]}`;
  } catch (error) {
    if (isGone(error)) {
      return null;
    }
    throw error;
  }
}

function identifyByPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null; // ps exits with 1 for an unknown process
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ESRCH';
}
