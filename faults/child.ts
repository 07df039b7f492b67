import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { signal } from './process-table.ts';
import type { Order } from './processes/obey.ts';

export type ChildState = 'down' | 'starting' | 'up' | 'frozen';

export interface ChildOptions {
  /** How it is called in reports, such as "worker 1". */
  name: string;
  /** The program and its arguments, for node. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** How long it stays down before it is started again, in milliseconds; drawn each time. */
  restartAfterMs: () => number;
  /** Called with the milliseconds from each start to `ready`. */
  onReady?: (ms: number) => void;
  /** Called when it ended and nobody had killed it. */
  onOwnEnd: (how: string) => void;
}

/** A process of the service under a supervisor as in production: whatever it dies of, it is started again. */
export interface Child {
  readonly name: string;
  readonly state: ChildState;
  /** Counts the starts. */
  readonly starts: number;
  /** Kills it at once; it starts again by itself. */
  kill(): void;
  /** Kills it and keeps it down until `release`. */
  hold(): Promise<void>;
  release(): void;
  freeze(): void;
  thaw(): void;
  order(order: Order['order']): void;
  /** Whether it has been told to end itself: that it does so is then no fault of its own. */
  expectEnd(isExpected: boolean): void;
  /** Whether it came up in time, having been started more than `since` times. */
  untilUp(timeoutMs: number, since?: number): Promise<boolean>;
  /** Ends it in order, for good. Answers how it ended. */
  stop(): Promise<string>;
}

const stopTimeoutMs = 20_000;
const lookAgainMs = 10;
/** Those that run. */
const running = new Set<ChildProcess>();

// Whatever ends this process: what it has started, and perhaps stopped, does not outlive it.
process.on('exit', () => {
  for (const { pid } of running) if (pid !== undefined) signal(pid, 'SIGKILL');
});

/** One that cannot start, because what it stands on is down, must not take the machine from the others. */
const shortestLifeMs = 1_000;

export function superviseChild(options: ChildOptions): Child {
  let process: ChildProcess | null = null;
  let state: ChildState = 'down';
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
      // Ctrl-C is to reach the fault run alone, which then ends them.
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
    // A killed process cannot be told anything; that it could not is no failure of this one.
    child.on('error', () => {});
    child.once('exit', (code, name) => {
      running.delete(child);
      state = 'down';
      process = null;
      if (isStopping) return;
      if (!isExpected) options.onOwnEnd(name ?? `exit code ${code}`);
      const lived = performance.now() - begun;
      setTimeout(startUnlessHeld, options.restartAfterMs() + Math.max(0, shortestLifeMs - lived));
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
  const child: Child = {
    name: options.name,
    get state() {
      return state;
    },
    get starts() {
      return starts;
    },
    kill,
    async hold() {
      isHeld = true;
      const gone = process === null ? Promise.resolve() : once(process, 'exit');
      kill();
      await gone;
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
      if (process?.connected) process.send({ order } satisfies Order, () => {});
    },
    expectEnd(yes) {
      isExpected = yes;
    },
    async untilUp(timeoutMs, since = 0) {
      const giveUpAt = performance.now() + timeoutMs;
      while (state !== 'up' || starts <= since) {
        if (performance.now() > giveUpAt) return false;
        await pause(lookAgainMs);
      }
      return true;
    },
    async stop() {
      isStopping = true;
      const running = process;
      if (running === null) return 'was down';
      const gone = once(running, 'exit');
      if (running.pid !== undefined) signal(running.pid, 'SIGCONT');
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), stopTimeoutMs);
      await gone;
      clearTimeout(timer);
      return running.signalCode ?? `exit code ${running.exitCode}`;
    },
  };
  return child;
}
