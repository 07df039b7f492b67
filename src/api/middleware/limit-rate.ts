import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../context.ts';
import type { Settings } from '../route.ts';

/** A bucket that was left alone this long is full again at any sensible setting, and is forgotten. */
const forgottenAfterMs = 60_000;
const sweepAbove = 10_000;

/**
 * Holds each key to its requests a second, with bursts, in a bucket of tokens for each process. Runs on real time.
 * Requests without a key (the public routes) are not counted.
 */
export function limitRate({ rateLimitPerSecond: perSecond, rateLimitBurst: burst }: Settings): Middleware {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (ctx, next) => {
    const keyId = ctx.state.key?.id;
    if (keyId === undefined) return next();
    const now = performance.now();
    let bucket = buckets.get(keyId);
    if (bucket === undefined) {
      if (buckets.size > sweepAbove) forgetIdle(buckets, now);
      bucket = { tokens: burst, at: now };
      buckets.set(keyId, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (bucket.tokens < 1) throw new RateLimited(Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return next();
  };
}

function forgetIdle(buckets: Map<string, { at: number }>, now: number): void {
  for (const [keyId, { at }] of buckets) if (now - at > forgottenAfterMs) buckets.delete(keyId);
}
