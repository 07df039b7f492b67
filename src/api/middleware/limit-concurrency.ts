import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import type { Route } from '../http/route.ts';

/** How many requests of one key a process works at together. */
interface Limits {
  /** While other keys ask too: enough to keep the process busy, and a third of its connections. */
  shared: number;
  /** While nobody else asks: many at once cost less each, and leave connections for whoever comes next. */
  alone: number;
}

const atWork: Limits = { shared: 8, alone: 16 };
/** The same for those that wait for a processor in between, and leave process and database to others meanwhile. */
const atWorkWithProcessor: Limits = { shared: 64, alone: 64 };
/** Another key asks too until so long after its last request. */
const sharedForMs = 1_000;
/** Who has stood in line this long is told to come back. */
const longestWaitMs = 10_000;

/**
 * Lets each key have so many requests at work in this process; more wait for their turn, in their key's own line, first come
 * first served. So a request meets at most a few of any other key before it, in the process and at the database, however
 * many that key has sent; nor is a key that is alone held back for nobody's sake. Comes after the body has been read: a client
 * that sends slowly holds no turn, nor does a request that only waits (`Prefer: wait`). Comes before the body is parsed: that is
 * work.
 */
export function limitConcurrency(): (route: Route) => Middleware {
  const lines = { short: openLines(atWork), long: openLines(atWorkWithProcessor) };
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

/** The requests of a key: how many are at work, and how those go on that wait. */
interface Line {
  atWork: number;
  waiting: Set<() => void>;
}

/** Answers a function that resolves when it is a key's turn, with what ends the turn. Keys that have nothing at work are forgotten. */
function openLines({ shared, alone }: Limits): (keyId: string) => Promise<() => void> {
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
    // Nobody who has just come is faster than those in line.
    if (line.waiting.size === 0 && isFree(line)) line.atWork += 1;
    else await untilCalled(line);
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

/** @throws RateLimited when the turn has not come in time. */
function untilCalled({ waiting }: Line): Promise<void> {
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
