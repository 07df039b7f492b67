import type { Pool } from '../../platform/postgres/connection.ts';
import type { Middleware } from '../http/context.ts';
import { preferredWaitMs } from '../http/prefer-wait.ts';
import type { Route } from '../http/route.ts';

/** Per process: a twentieth of the 2,000 client connections that it accepts. */
const waitingPerKey = 100;

/**
 * Delays a request that prefers to wait (`Prefer: wait=N`). The delay ends when the route's condition is met, the time
 * is over, or the client disconnects. It comes before the concurrency limit, so the key can send other requests
 * meanwhile. If 100 requests of the key already wait, the preference is ignored: the response comes at once, without
 * `Preference-Applied`.
 */
export function preferWait(sql: Pool): (route: Route) => Middleware {
  const waiting = new Map<string, number>();
  return (route) => {
    if (route.waits === undefined) return (_ctx, next) => next();
    const until = route.waits(sql);
    return async (ctx, next) => {
      const { call, key } = ctx.state;
      const waitMs = preferredWaitMs(ctx);
      if (call === undefined || key === undefined || waitMs === 0) return next();
      const before = waiting.get(key.id) ?? 0;
      if (before >= waitingPerKey) return next();
      waiting.set(key.id, before + 1);
      const end = new AbortController();
      const timer = setTimeout(() => end.abort(), waitMs);
      ctx.res.once('close', () => end.abort()); // the client has disconnected
      try {
        await until(call, ctx.params, end.signal);
      } finally {
        clearTimeout(timer);
        const left = (waiting.get(key.id) ?? 1) - 1;
        if (left > 0) waiting.set(key.id, left);
        else waiting.delete(key.id);
      }
      await next();
      ctx.res.setHeader('Preference-Applied', 'wait');
    };
  };
}
