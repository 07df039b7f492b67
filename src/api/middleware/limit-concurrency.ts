import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import type { Route } from '../http/route.ts';

/** The number of requests that one key may run at the same time in one process. */
interface Limits {
  /** While other keys also send requests. Enough to keep the process busy, and a third of its database connections. */
  shared: number;
  /** While no other key sends requests. More at once cost less per request, and connections remain for the next key. */
  alone: number;
}

const atWork: Limits = { shared: 8, alone: 16 };
/** For routes that call a processor. They leave the process and the database free while they wait for it. */
const atWorkWithProcessor: Limits = { shared: 64, alone: 64 };
/** Another key counts as active until this long after its last request. */
const sharedForMs = 1_000;

/**
 * Limits the concurrent requests of each key in this process. Further requests wait in their key's own queue, first
 * come first served. So a request waits for at most a few requests of any other key, however many that key sends. A key
 * that is alone gets a higher limit.
 *
 * A request that has queued for `longestWaitMs` is refused with 429.
 *
 * Runs after the body is read, so a slow sender takes no slot, nor does a request that only waits (`Prefer: wait`).
 * Runs before the body is parsed, because parsing costs processor time.
 */
export function limitConcurrency(longestWaitMs: number): (route: Route) => Middleware {
  const lines = { short: openLines(atWork, longestWaitMs), long: openLines(atWorkWithProcessor, longestWaitMs) };
  return (route) => {
    const enter = route.idempotency === 'committed-first' ? lines.long : lines.short;
    return async (ctx, next) => {
      const keyId = ctx.state.key?.id;
      if (keyId === undefined) return next();
      const leave = await enter(keyId);
      try {
        await next();
      } finally {
        leave();
      }
    };
  };
}

/** The requests of a key: the number that run, and the callbacks that resume the queued ones. */
interface Line {
  atWork: number;
  waiting: Set<() => void>;
}

/**
 * Returns a function that resolves when the key has a free slot. It resolves to the function that releases the slot.
 * Keys without running requests are forgotten.
 */
function openLines({ shared, alone }: Limits, longestWaitMs: number): (keyId: string) => Promise<() => void> {
  const lines = new Map<string, Line>();
  let last = { keyId: '', askedAt: Number.NEGATIVE_INFINITY };
  let sharedUntil = 0;

  function isFree(line: Line): boolean {
    return line.atWork < shared || (line.atWork < alone && performance.now() >= sharedUntil);
  }

  return async (keyId) => {
    if (keyId !== last.keyId) sharedUntil = last.askedAt + sharedForMs;
    last = { keyId, askedAt: performance.now() };
    const line = lines.get(keyId) ?? { atWork: 0, waiting: new Set() };
    lines.set(keyId, line);
    // A new request must not overtake the queue.
    if (line.waiting.size === 0 && isFree(line)) line.atWork += 1;
    else await untilCalled(line, longestWaitMs);
    return () => {
      line.atWork -= 1;
      for (const next of line.waiting) {
        if (!isFree(line)) break;
        line.atWork += 1;
        next();
      }
      if (line.atWork === 0) lines.delete(keyId);
    };
  };
}

/** @throws RateLimited if no slot is free in time. */
function untilCalled({ waiting }: Line, longestWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = () => {
      clearTimeout(timer);
      waiting.delete(call);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(call);
      reject(new RateLimited(1));
    }, longestWaitMs);
    waiting.add(call);
  });
}
