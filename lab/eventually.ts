import { setTimeout as pause } from 'node:timers/promises';

type Found<T> = Exclude<T, null | undefined | false>;

export interface Waiting {
  /** For how long to ask; `Infinity` for ever. */
  timeoutMs?: number;
  /** Between two questions. */
  everyMs?: number;
  /** Ends the wait: its reason is thrown. */
  signal?: AbortSignal;
}

/**
 * Asks until the result is neither null, undefined nor false.
 * @throws Error that names `what` if that takes too long.
 */
export async function eventually<T>(
  what: string | (() => string),
  ask: () => Promise<T> | T,
  waiting: Waiting = {},
): Promise<Found<T>> {
  const { timeoutMs = 40_000, everyMs = 15, signal } = waiting;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const result = await ask();
    if (result !== null && result !== undefined && result !== false) return result as Found<T>;
    signal?.throwIfAborted();
    if (performance.now() > giveUpAt) {
      throw new NotInTime(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await pause(everyMs);
  }
}

/** Whether it becomes true in time. */
export async function becomesTrue(holds: () => Promise<boolean> | boolean, waiting: Waiting = {}): Promise<boolean> {
  return eventually('it holds', holds, waiting).catch((error: unknown) => {
    if (error instanceof NotInTime) return false;
    throw error;
  });
}

/** Repeats the work until it succeeds. @throws its last error once the time is up. */
export async function untilItSucceeds<T>(work: () => PromiseLike<T>, waiting: Waiting = {}): Promise<T> {
  const { timeoutMs = 20_000, everyMs = 250 } = waiting;
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await pause(everyMs);
    }
  }
}

class NotInTime extends Error {}
