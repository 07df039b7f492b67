import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon, Say } from './daemon.ts';
import { reasonOf } from './last-words.ts';
import { type ProcessName, StartError, untilAborted } from './stack.ts';

/**
 * The pause before each try to start a process again, in milliseconds; the last one repeats. The first is not 0: if
 * everything is killed at once, this process too, nothing is started in between.
 */
const usualPausesMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000];

/** After a process was up for this long, the pauses are short again. */
const steadyMs = 10_000;

export interface KeepOptions<T extends { daemon: Daemon }> {
  name: ProcessName;
  /**
   * Starts the process, on the same ports each time, and resolves when it is up. If it fails or the signal comes, it
   * rejects and leaves no process behind. The last line of the error's message is the reason.
   */
  start: (signal: AbortSignal) => Promise<T>;
  /** What an operator does if it cannot be brought back. Null: it is tried again for ever. */
  remedy: string | null;
  say: Say;
  pausesMs?: readonly number[];
}

/** A process that is started again whenever it ends on its own. One that is stopped by SIGSTOP lives. */
export interface Kept<T> {
  readonly name: ProcessName;
  /** Resolves when it is up for the first time. Rejects if that start fails: it is not repeated. */
  readonly started: Promise<T>;
  /** Rejects with a StartError when it was tried once for each pause and cannot be brought back. Never resolves. */
  readonly lost: Promise<never>;
  readonly isUp: boolean;
  /** Ends it for good, also during a start or a pause. May be called again. */
  stop(): Promise<void>;
}

/** Starts a process and keeps it running until `stop`. Says each time why it ended and when it is up again. */
export function keepRunning<T extends { daemon: Daemon }>(options: KeepOptions<T>): Kept<T> {
  const { name, start, remedy, say, pausesMs = usualPausesMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = untilAborted(signal);
  let present: T | null = null;
  let tries = 0;

  async function keep(first: T): Promise<void> {
    for (let current: T | null = first; current !== null; ) {
      present = current;
      const upAt = performance.now();
      const how = await Promise.race([current.daemon.exited, stopped]);
      if (how === null) return;
      present = null;
      if (performance.now() - upAt >= steadyMs) tries = 0;
      const reason = await reasonOf(current.daemon, how);
      current = await bringBack({
        what: `ended (${how})`,
        why: `Its log is ${current.daemon.logFile}. The reason: ${reason}`,
      });
      if (current !== null) say(`${name} is up again`);
    }
  }

  /** Returns null when it is stopped meanwhile. */
  async function bringBack(problem: Problem): Promise<T | null> {
    for (let { what, why } = problem; ; ) {
      if (remedy !== null && tries >= pausesMs.length) {
        throw new StartError(`${name} could not be brought back in ${tries} tries. ${remedy}\n${name} ${what}. ${why}`);
      }
      const pauseMs = pausesMs[Math.min(tries, pausesMs.length - 1)] ?? 0;
      tries += 1;
      const which = remedy === null ? `try ${tries}` : `try ${tries} of ${pausesMs.length}`;
      say(`${name} ${what}; starting it again in ${pauseMs / 1000} s (${which}). ${firstAndLastLine(why)}`);
      try {
        await sleep(pauseMs, undefined, { signal });
        return await start(signal);
      } catch (error) {
        if (signal.aborted) return null;
        what = 'did not start';
        why = error instanceof Error ? error.message : String(error);
      }
    }
  }

  let lose = (_error: unknown): void => {};
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  lost.catch(() => {}); // also where nothing waits for it
  const started = start(signal);
  const running = started.then(
    (first) => keep(first).catch(lose),
    () => {},
  );
  return {
    name,
    started,
    lost,
    get isUp() {
      return present !== null;
    },
    async stop() {
      stopping.abort();
      await running;
      await present?.daemon.stop();
    },
  };
}

interface Problem {
  /** The rest of a sentence that begins with the name. */
  what: string;
  why: string;
}

/** Leaves out the end of a log, but not its last line, which is the reason. */
function firstAndLastLine(message: string): string {
  const lines = message.split('\n');
  return lines.length === 1 ? message : `${lines[0]} … ${lines.at(-1)}`;
}
