import type { Pool } from './types.ts';

/** The pool acquire timeout passed while all connections were in use. Nothing was sent. Counts as an outage. */
class PoolExhausted extends Error {
  override name = 'PoolExhausted';
  readonly code = 'CONNECTION_WAIT_TIMEOUT';

  constructor(timeoutMs: number) {
    super(`all connections to the database were in use for ${timeoutMs / 1000} s`);
  }
}

/** Releases a slot. Further calls have no effect. */
type Release = () => void;

/** Parts of the client's query that its types lack: the function that sends it, and the two that complete it. */
interface Sendable {
  handler(query: Sendable): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Returns the pool with an acquire timeout. There are as many slots as connections. Each statement or transaction
 * acquires a slot before it is sent, first come, first served. If it gets none within `timeoutMs`, it fails with
 * PoolExhausted. The client alone would let callers wait for ever, and would queue statements behind others on busy
 * connections.
 */
export function withAcquireTimeout(pool: Pool, timeoutMs: number): Pool {
  const acquire = createSlots(pool.options.max, timeoutMs);

  function withSlot<T>(made: T): T {
    if (!isSendable(made)) return made;
    const send = made.handler;
    made.handler = (query) =>
      acquire(
        (release) => {
          const { resolve, reject } = query;
          query.resolve = (result) => {
            release();
            resolve(result);
          };
          query.reject = (error) => {
            release();
            reject(error);
          };
          send(query);
        },
        (error) => query.reject(error),
      );
    return made;
  }

  async function begin(...args: unknown[]): Promise<unknown> {
    const release = await new Promise<Release>(acquire);
    try {
      return await Reflect.apply(pool.begin, pool, args);
    } finally {
      release();
    }
  }

  // A plain function instead of a Proxy: a Proxy would cost each statement more than its slot does.
  const limited = (...args: Parameters<Pool>) => withSlot(pool(...args));
  return Object.assign(Object.defineProperties(limited, Object.getOwnPropertyDescriptors(pool)) as Pool, {
    begin,
    unsafe: (...args: Parameters<Pool['unsafe']>) => withSlot(pool.unsafe(...args)),
  });
}

/**
 * Returns a function that acquires one of `count` slots. It calls `onAcquired` at once if a slot is free. Otherwise it
 * calls `onAcquired` or `onTimeout` within `timeoutMs`.
 */
function createSlots(count: number, timeoutMs: number) {
  let used = 0;
  const waiting = new Set<(release: Release) => void>();

  /** Returns a function that releases a slot, once, to the caller that has waited longest. */
  function releaseOnce(): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = waiting;
      if (next === undefined) used -= 1;
      else next(releaseOnce());
    };
  }

  return (onAcquired: (release: Release) => void, onTimeout: (error: PoolExhausted) => void): void => {
    if (used < count) {
      used += 1;
      onAcquired(releaseOnce());
      return;
    }
    const timeout = setTimeout(() => {
      waiting.delete(waiter);
      onTimeout(new PoolExhausted(timeoutMs));
    }, timeoutMs);
    const waiter = (release: Release): void => {
      clearTimeout(timeout);
      waiting.delete(waiter);
      onAcquired(release);
    };
    waiting.add(waiter);
  };
}

/** Helpers such as column names and values to insert are not queries, so they need no slot. */
function isSendable(made: unknown): made is Sendable {
  return made instanceof Promise && 'handler' in made;
}
