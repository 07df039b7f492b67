import type { Pool } from '../../platform/postgres/connection.ts';
import type { Middleware } from '../http/context.ts';
import { preferredWaitMs } from '../http/prefer-wait.ts';
import type { Route } from '../http/route.ts';

/** In one process: a twentieth of its connections. */
const waitingPerKey = 100;

/**
 * Holds a request back that prefers to wait (`Prefer: wait=N`), until what its route waits for has come, the time is over, or
 * the client has gone. It comes before the request takes its turn, so a key whose requests wait can still send others.
 * Beyond 100 requests of a key the preference is not followed: the response comes at once, without `Preference-Applied`.
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
      ctx.res.once('close', () => end.abort()); // the client has gone
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
