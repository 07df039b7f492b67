import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import { commitsFirst, type Route } from '../http/route.ts';

/** The number of requests that one key may run at the same time in one process. */
interface Limits {
  /** While other keys also send requests. Enough to keep the process busy, and a third of its database connections. */
  shared: number;
  /** While no other key sends requests. More at once cost less per request, and connections remain for the next key. */
  alone: number;
}

const running: Limits = { shared: 8, alone: 16 };
/** For routes that call a processor. They leave the process and the database free while they wait for it. */
const runningWithProcessor: Limits = { shared: 64, alone: 64 };
/** Another key counts as active until this long after its last request. */
const sharedForMs = 1_000;

/**
 * Limits the concurrent requests of each key in this process. Further requests wait in their key's own queue, first
 * come first served. So a request waits for at most a few requests of any other key, however many that key sends. A key
 * that is alone gets a higher limit.
 *
 * A request that has queued for `longestWaitMs` is refused with 429.
 *
 * `beforeParsing` runs after the body is read, so a slow sender takes no slot, nor does a request that only waits
 * (`Prefer: wait`). It runs before the body is parsed, because parsing costs processor time. If only the body says
 * whether the request calls a processor, `afterParsing` moves it to the other queue.
 */
export function limitConcurrency(
  longestWaitMs: number,
): Record<'beforeParsing' | 'afterParsing', (route: Pick<Route, 'idempotency' | 'commitsFirst'>) => Middleware> {
  const queues = { short: openQueues(running, longestWaitMs), long: openQueues(runningWithProcessor, longestWaitMs) };
  const inSlot =
    (enter: (keyId: string) => Promise<() => void>): Middleware =>
    async (ctx, next) => {
      const keyId = ctx.state.key?.id;
      if (keyId === undefined) return next();
      ctx.state.leaveQueue?.();
      const leave = once(await enter(keyId));
      ctx.state.leaveQueue = leave;
      try {
        await next();
      } finally {
        leave();
      }
    };
  return {
    beforeParsing: ({ idempotency }) => inSlot(idempotency === 'committed-first' ? queues.long : queues.short),
    afterParsing: (route) => {
      const move = inSlot(queues.long);
      if (route.idempotency !== 'by-body') return (_ctx, next) => next();
      return (ctx, next) => (commitsFirst(route, ctx.state.body) ? move(ctx, next) : next());
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** The requests of a key: the number that run, and the callbacks that resume the queued ones. */
interface Queue {
  running: number;
  waiting: Set<() => void>;
}

/**
 * Returns a function that resolves when the key has a free slot. It resolves to the function that releases the slot.
 * Keys without running requests are forgotten.
 */
function openQueues({ shared, alone }: Limits, longestWaitMs: number): (keyId: string) => Promise<() => void> {
  const queues = new Map<string, Queue>();
  let last = { keyId: '', askedAt: Number.NEGATIVE_INFINITY };
  let sharedUntil = 0;

  function isFree(queue: Queue): boolean {
    return queue.running < shared || (queue.running < alone && performance.now() >= sharedUntil);
  }

  return async (keyId) => {
    if (keyId !== last.keyId) sharedUntil = last.askedAt + sharedForMs;
    last = { keyId, askedAt: performance.now() };
    const queue = queues.get(keyId) ?? { running: 0, waiting: new Set() };
    queues.set(keyId, queue);
    // A new request must not overtake the queue.
    if (queue.waiting.size === 0 && isFree(queue)) queue.running += 1;
    else await untilResumed(queue, longestWaitMs);
    return () => {
      queue.running -= 1;
      for (const next of queue.waiting) {
        if (!isFree(queue)) break;
        queue.running += 1;
        next();
      }
      if (queue.running === 0) queues.delete(keyId);
    };
  };
}

/** @throws RateLimited if no slot is free in time. */
function untilResumed({ waiting }: Queue, longestWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const resume = () => {
      clearTimeout(timer);
      waiting.delete(resume);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(resume);
      reject(new RateLimited(1));
    }, longestWaitMs);
    waiting.add(resume);
  });
}
