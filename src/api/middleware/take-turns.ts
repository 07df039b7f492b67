import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../context.ts';
import { patienceOf } from '../patience.ts';
import type { Route } from '../route.ts';

/** How many requests of one key a process works at together: enough to keep it busy, and a third of its connections. */
const atWork = 8;
/** The same for those that wait for a processor in between, and leave process and database to others meanwhile. */
const atWorkWithProcessor = 64;
/** Who has stood in line this long is told to come back. */
const longestWaitMs = 10_000;

/**
 * Lets each key have so many requests at work in this process; more wait for their turn, in their key's own line, first come
 * first served. So a request meets at most a few of any other key before it, in the process and at the database, however
 * many that key has sent. Comes after the body has been read: a client that sends slowly holds no turn. A request that only
 * waits for something (`Prefer: wait`) needs none.
 */
export function turnTaking(): (route: Route) => Middleware {
  const lines = { short: openLines(atWork), long: openLines(atWorkWithProcessor) };
  return (route) => {
    const enter = route.idempotency === 'committed-first' ? lines.long : lines.short;
    return async (ctx, next) => {
      const keyId = ctx.state.key?.id;
      if (keyId === undefined || (route.waits && patienceOf(ctx) > 0)) return next();
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
function openLines(most: number): (keyId: string) => Promise<() => void> {
  const lines = new Map<string, Line>();
  return async (keyId) => {
    const line = lines.get(keyId) ?? { atWork: 0, waiting: new Set() };
    lines.set(keyId, line);
    // Who leaves hands the turn on, so that nobody who has just come is faster than those in line.
    if (line.atWork < most) line.atWork += 1;
    else await untilCalled(line);
    return () => {
      const [next] = line.waiting;
      if (next !== undefined) return next();
      line.atWork -= 1;
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
