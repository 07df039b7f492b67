import { signal } from './process-table.ts';

/** Processes that are stopped by SIGSTOP. */
const frozen = new Set<number>();

// However this process ends: a frozen process would not end with it.
process.on('exit', thawAll);

/** Stops a process without ending it, until `thaw` or until this process ends. */
export function freeze(pid: number): void {
  frozen.add(pid);
  signal(pid, 'SIGSTOP');
}

/** Lets a frozen process go on. */
export function thaw(pid: number): void {
  frozen.delete(pid);
  signal(pid, 'SIGCONT');
}

/** Lets all that are frozen go on. */
export function thawAll(): void {
  for (const pid of frozen) thaw(pid);
}
