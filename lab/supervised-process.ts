import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { becomesTrue } from './eventually.ts';
import { signal } from './process-table.ts';
import type { CrashOrder } from './processes/crash-orders.ts';

type ProcessState = 'down' | 'starting' | 'up' | 'frozen';

export interface ProcessOptions {
  /** For reports, such as "worker 1". */
  name: string;
  /** The program and its arguments, for node. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** How long it stays down before it is started again, in milliseconds; drawn each time. At once if not given. */
  restartAfterMs?: () => number;
  /** Called with the milliseconds from each start to `ready`. */
  onReady?: (ms: number) => void;
  /** Called if it ended without being killed. */
  onOwnEnd?: (how: string) => void;
}

/** A process of the service under a supervisor, as in production: however it ends, it is started again. */
export interface SupervisedProcess {
  readonly name: string;
  readonly state: ProcessState;
  /** Counts the starts. */
  readonly starts: number;
  /** Null while it is down. */
  readonly pid: number | null;
  /** Kills it at once; it starts again on its own. */
  kill(): void;
  /** Kills it and keeps it down until `release`. */
  hold(): Promise<void>;
  release(): void;
  freeze(): void;
  thaw(): void;
  order(order: CrashOrder['order']): void;
  /** Whether an order makes it end: `onOwnEnd` is not called then. */
  expectEnd(isExpected: boolean): void;
  /** Whether it comes up in time, and was started more than `since` times by then. */
  untilUp(timeoutMs: number, since?: number): Promise<boolean>;
  /** Ends it in order, for good. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 20_000;
/** Those that run. */
const running = new Set<ChildProcess>();

// However this process ends: what it has started, and perhaps stopped, does not outlive it.
process.on('exit', () => {
  for (const { pid } of running) if (pid !== undefined) signal(pid, 'SIGKILL');
});

/** A process that cannot start, because a server is down, must not take the machine from the others. */
const shortestLifeMs = 1_000;

export function superviseProcess(options: ProcessOptions): SupervisedProcess {
  let process: ChildProcess | null = null;
  let state: ProcessState = 'down';
  let starts = 0;
  let isHeld = false;
  let isStopping = false;
  let isExpected = false;

  function start(): void {
    const log = openSync(options.logFile, 'a', 0o600);
    const begun = performance.now();
    const child = spawn(globalThis.process.execPath, options.args, {
      env: options.env,
      stdio: ['ignore', log, log, 'ipc'],
      // Ctrl-C reaches the run alone, which then ends them.
      detached: true,
    });
    closeSync(log);
    running.add(child);
    process = child;
    state = 'starting';
    starts += 1;
    isExpected = false;
    child.on('message', (message) => {
      if (message !== 'ready' || process !== child) return;
      state = 'up';
      options.onReady?.(performance.now() - begun);
    });
    // A killed process cannot be sent a message. That is no failure of this one.
    child.on('error', () => {});
    child.once('exit', (code, name) => {
      running.delete(child);
      state = 'down';
      process = null;
      if (isStopping) return;
      if (!isExpected) options.onOwnEnd?.(name ?? `exit code ${code}`);
      const lived = performance.now() - begun;
      setTimeout(startUnlessHeld, (options.restartAfterMs?.() ?? 0) + Math.max(0, shortestLifeMs - lived));
    });
  }

  function startUnlessHeld(): void {
    if (process === null && !isHeld && !isStopping) start();
  }

  function kill(): void {
    isExpected = true;
    state = 'down';
    if (process?.pid !== undefined) signal(process.pid, 'SIGKILL');
  }

  start();
  return {
    name: options.name,
    get state() {
      return state;
    },
    get starts() {
      return starts;
    },
    get pid() {
      return process?.pid ?? null;
    },
    kill,
    async hold() {
      isHeld = true;
      const ended = process === null ? Promise.resolve() : once(process, 'exit');
      kill();
      await ended;
    },
    release() {
      isHeld = false;
      startUnlessHeld();
    },
    freeze() {
      if (process?.pid === undefined) return;
      signal(process.pid, 'SIGSTOP');
      if (state === 'up') state = 'frozen';
    },
    thaw() {
      if (process?.pid === undefined) return;
      signal(process.pid, 'SIGCONT');
      if (state === 'frozen') state = 'up';
    },
    order(order) {
      if (process?.connected) process.send({ order } satisfies CrashOrder, () => {});
    },
    expectEnd(yes) {
      isExpected = yes;
    },
    async untilUp(timeoutMs, since = 0) {
      return becomesTrue(() => state === 'up' && starts > since, { timeoutMs });
    },
    async stop() {
      isStopping = true;
      const running = process;
      if (running === null) return;
      const ended = once(running, 'exit');
      if (running.pid !== undefined) signal(running.pid, 'SIGCONT');
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
