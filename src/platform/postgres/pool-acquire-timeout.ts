import type { Pool } from './types.ts';

/** The pool acquire timeout passed while all connections were in use. Nothing was sent. Counts as an outage. */
export class PoolExhausted extends Error {
  override name = 'PoolExhausted';
  readonly code = 'CONNECTION_WAIT_TIMEOUT';

  constructor(waitMs: number) {
    super(`all connections to the database were at work for ${waitMs / 1000} s`);
  }
}

/** Releases a slot. */
type Free = () => void;

/** Parts of the client's query that its types lack: the function that sends it, and the two that complete it. */
interface Sendable {
  handler(query: Sendable): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Returns the pool with an acquire timeout. There are as many slots as connections. Each statement or transaction
 * acquires a slot before it is sent, first come, first served. If it gets none within `longestWaitMs`, it fails with
 * PoolExhausted. The client alone would let callers wait for ever, and would queue statements behind others on busy
 * connections.
 */
export function boundWait(pool: Pool, longestWaitMs: number): Pool {
  const take = placesFor(pool.options.max, longestWaitMs);

  function seated<T>(made: T): T {
    if (!isSendable(made)) return made;
    const send = made.handler;
    made.handler = (query) =>
      take(
        (free) => {
          const { resolve, reject } = query;
          query.resolve = (result) => {
            free();
            resolve(result);
          };
          query.reject = (error) => {
            free();
            reject(error);
          };
          send(query);
        },
        (error) => query.reject(error),
      );
    return made;
  }

  async function begin(...given: unknown[]): Promise<unknown> {
    const free = await new Promise<Free>(take);
    try {
      return await Reflect.apply(pool.begin, pool, given);
    } finally {
      free();
    }
  }

  // A plain function instead of a Proxy: a Proxy would cost each statement more than its slot does.
  const bounded = (...given: Parameters<Pool>) => seated(pool(...given));
  return Object.assign(Object.defineProperties(bounded, Object.getOwnPropertyDescriptors(pool)) as Pool, {
    begin,
    unsafe: (...given: Parameters<Pool['unsafe']>) => seated(pool.unsafe(...given)),
  });
}

/**
 * Returns a function that acquires a slot. It calls `onPlace` at once if a slot is free. Otherwise it calls `onPlace`
 * or `onLate` within `longestWaitMs`.
 */
function placesFor(count: number, longestWaitMs: number) {
  let taken = 0;
  const waiting = new Set<(free: Free) => void>();

  /** Returns a function that releases a slot, once, to the caller that has waited longest. */
  function placeOf(): Free {
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const [next] = waiting;
      if (next === undefined) taken -= 1;
      else next(placeOf());
    };
  }

  return (onPlace: (free: Free) => void, onLate: (error: PoolExhausted) => void): void => {
    if (taken < count) {
      taken += 1;
      onPlace(placeOf());
      return;
    }
    const late = setTimeout(() => {
      waiting.delete(mine);
      onLate(new PoolExhausted(longestWaitMs));
    }, longestWaitMs);
    const mine = (free: Free): void => {
      clearTimeout(late);
      waiting.delete(mine);
      onPlace(free);
    };
    waiting.add(mine);
  };
}

/** Helpers such as column names and values to insert are not queries, so they need no slot. */
function isSendable(made: unknown): made is Sendable {
  return made instanceof Promise && 'handler' in made;
}
