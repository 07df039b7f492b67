import type { Pool } from '../../platform/postgres/connection.ts';
import type { Context, Middleware } from '../http/context.ts';
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
      const { context, key } = ctx.state;
      const waitMs = preferredWaitMs(ctx);
      if (context === undefined || key === undefined || waitMs === 0) return next();
      const before = waiting.get(key.id) ?? 0;
      if (before >= waitingPerKey) return next();
      waiting.set(key.id, before + 1);
      const end = new AbortController();
      const timer = setTimeout(() => end.abort(), waitMs);
      ctx.res.once('close', () => end.abort()); // the client has disconnected
      try {
        await until(context, ctx.params, end.signal);
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

/** Longer than any advance should take, shorter than common client timeouts. */
const longestSeconds = 60;

/**
 * Returns how long the client prefers to wait for a better response, in ms. The header is `Prefer: wait=N` in whole
 * seconds (RFC 7240), capped at 60. Returns 0 if the header is missing or malformed.
 */
function preferredWaitMs(ctx: Context): number {
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(ctx.get('Prefer')) ?? [];
  return seconds === undefined ? 0 : Math.min(Number(seconds), longestSeconds) * 1000;
}
