import type { Pool } from './types.ts';

/** All connections were at work for longer than the caller was to wait. Nothing was done. Counts as an outage. */
export class PoolExhausted extends Error {
  override name = 'PoolExhausted';
  readonly code = 'CONNECTION_WAIT_TIMEOUT';

  constructor(waitMs: number) {
    super(`all connections to the database were at work for ${waitMs / 1000} s`);
  }
}

/** Gives a place back. */
type Free = () => void;

/** The parts of the client's query that its types do not show: what sends it, and the two ways in which it ends. */
interface Sendable {
  handler(query: Sendable): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * The pool, with as many places as it has connections: a statement or a transaction takes one before it is sent, in the order
 * in which they came, and fails with PoolExhausted when there is none within `longestWaitMs`. The client itself would let
 * everybody wait for ever, and send statements to wait behind others on connections that are at work.
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

  // A function of its own and no Proxy, which would cost every statement more than its place does.
  const bounded = (...given: Parameters<Pool>) => seated(pool(...given));
  return Object.assign(Object.defineProperties(bounded, Object.getOwnPropertyDescriptors(pool)) as Pool, {
    begin,
    unsafe: (...given: Parameters<Pool['unsafe']>) => seated(pool.unsafe(...given)),
  });
}

/** How to take a place: `onPlace` is called at once if there is one, otherwise one of the two is within `longestWaitMs`. */
function placesFor(count: number, longestWaitMs: number) {
  let taken = 0;
  const waiting = new Set<(free: Free) => void>();

  /** A place that can be given back once, to the one who has waited longest. */
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

/** What is no query has nothing to wait for: the name of a column, values to insert. */
function isSendable(made: unknown): made is Sendable {
  return made instanceof Promise && 'handler' in made;
}
