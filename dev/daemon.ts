import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRecordedProcess, recordProcess } from './process-record.ts';

/** Takes one line for a person to read. */
export type Say = (line: string) => void;

export interface DaemonOptions {
  /** Names the log, the process record and the process in messages. */
  name: string;
  dataDir: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Asks the process to end in order. */
  stopSignal: 'SIGINT' | 'SIGTERM';
  /** How long it may take to end in order, in milliseconds, before it is killed. */
  stopTimeoutMs: number;
  /** An open file that the child gets as its descriptor 3. */
  inheritedFd?: number;
  /** Gives the child an IPC channel. On it the child reports that it is ready, and sees that its parent is gone. */
  ipc?: boolean;
}

/** A server that this process started and has to end. */
export interface Daemon {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when it has ended, for whatever reason, with words such as "exit code 1". */
  readonly exited: Promise<string>;
  /** Resolves with its first IPC message "ready". Never resolves if the process ends before that. */
  readonly ready: Promise<void>;
  /** The end of what this process has written to its log, at most 64 kB; empty if the log cannot be read. */
  output(): Promise<string>;
  /** Ends it in order, kills it when that takes too long, and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

const alive = new Map<ChildProcess, NodeJS.Signals>();

/** The logs that this process has begun. A server that is started again continues its log. */
const begunLogs = new Set<string>();

const outputBytes = 65_536;

// However this process ends, even by an uncaught exception, the servers that it started get their stop signal.
process.on('exit', () => {
  for (const [child, signal] of alive) {
    child.kill(signal);
  }
});

/**
 * Starts a server detached from the terminal: Ctrl-C reaches only this process, which then ends everything in order.
 * The server's output goes to `DATA_DIR/logs/<name>.log`; the log of an earlier run is kept as `<name>.log.1`.
 * @throws when the program cannot be run or recorded. Then no process is left.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { name, dataDir, stopSignal } = options;
  const logFile = join(dataDir, 'logs', `${name}.log`);
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 });
  if (!begunLogs.has(logFile)) await rename(logFile, `${logFile}.1`).catch(ignoreMissing);
  begunLogs.add(logFile);
  const log = await open(logFile, 'a', 0o600);
  const { size: logBegin } = await log.stat();
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    uid: options.uid,
    gid: options.gid,
    detached: true,
    stdio: ['ignore', log.fd, log.fd, options.inheritedFd ?? 'ignore', options.ipc ? 'ipc' : 'ignore'],
  });
  alive.set(child, stopSignal);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  }).finally(() => alive.delete(child));
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (message === 'ready') {
        resolve();
      }
    });
  });
  const { pid } = child;
  try {
    if (pid !== undefined) recordProcess(recordFile(dataDir, name), pid);
  } catch (error) {
    if (pid !== undefined) killGroup(pid); // for example, the disk is full
    await exited;
    throw error;
  } finally {
    await log.close();
  }
  if (pid === undefined) {
    throw new Error(`${name} could not be started: ${await exited}`);
  }

  async function end(leader: number): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(stopSignal);
      const timeout = new AbortController();
      const late = sleep(options.stopTimeoutMs, 'late', { signal: timeout.signal }).catch(() => 'cancelled');
      if ((await Promise.race([exited, late])) === 'late') {
        killGroup(leader);
        await exited;
      }
      timeout.abort();
    }
    await rm(recordFile(dataDir, name), { force: true });
  }
  let ending: Promise<void> | null = null;
  return {
    ...{ name, pid, logFile, exited, ready },
    output: () => readEnd(logFile, logBegin).catch(() => ''),
    stop: () => (ending ??= end(pid)),
  };
}

/**
 * Ends a server that an earlier run left behind because it was killed itself. The process id alone is not trusted: the
 * process must still be the recorded one, so that no unrelated process is ended.
 */
export async function stopLeftover(
  dataDir: string,
  name: string,
  stopSignal: NodeJS.Signals,
  stopTimeoutMs: number,
  say: Say,
): Promise<void> {
  const leftover = await findRecordedProcess(recordFile(dataDir, name));
  if (leftover === null) {
    return;
  }
  say(`An earlier run did not end in order and left ${name} behind (process ${leftover}); ending it`);
  process.kill(leftover, stopSignal);
  const giveUpAt = performance.now() + stopTimeoutMs;
  let killed = false;
  while ((await findRecordedProcess(recordFile(dataDir, name))) !== null) {
    if (!killed && performance.now() > giveUpAt) {
      killGroup(leftover);
      killed = true;
    }
    await sleep(50);
  }
}

/** The file that records a process of this data directory. */
export function recordFile(dataDir: string, name: string): string {
  return join(dataDir, 'run', `${name}.json`);
}

/** The last bytes of a file, from `begin` at the earliest. */
async function readEnd(file: string, begin: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(begin, size - outputBytes);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const { bytesRead } = await handle.read({ buffer: bytes, position: start });
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Kills a process that leads its own group, and the helpers that it started. A process that is already gone is no
 * error.
 */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) {
      throw error;
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') {
    throw error;
  }
  return undefined;
}
