import { TokenBucket } from 'limiter';
import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import type { Settings } from '../http/deps.ts';

/** A bucket that is idle for this long is full again at any sensible setting, so it is dropped. */
const forgottenAfterMs = 60_000;
const sweepAbove = 10_000;

/**
 * Limits the request rate of each key, with bursts. Each process has one token bucket per key, on real time. A request
 * costs one token. Costlier requests, such as those with a large body, take more later through `ctx.state.charge`.
 * Requests without a key (the public routes) or with an invalid key are not counted.
 *
 * Responses carry the fields of draft-ietf-httpapi-ratelimit-headers-11. The quota is the bucket's size, and the window
 * is the time in which an empty bucket fills. `t` is when the full quota is available again or, for a refused request,
 * when to retry.
 */
export function limitRate({ rateLimitPerSecond: perSecond, rateLimitBurst: burst }: Settings): Middleware {
  const buckets = new Map<string, TokenBucket>();
  const policy = `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`;

  function bucketOf(keyId: string): TokenBucket {
    const known = buckets.get(keyId);
    if (known !== undefined) return known;
    if (buckets.size > sweepAbove) forgetIdle(buckets);
    const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: 'second' });
    bucket.content = burst;
    buckets.set(keyId, bucket);
    return bucket;
  }

  return (ctx, next) => {
    const keyId = ctx.state.key?.id;
    if (keyId === undefined) return next();
    const bucket = bucketOf(keyId);
    let taken = 0;
    const charge = (tokens: number) => {
      // Never more than the quota: otherwise a costlier request could never succeed.
      const wanted = Math.min(tokens, burst - taken);
      const isWithin = bucket.tryRemoveTokens(wanted);
      // A retry also needs the tokens that this request has already taken.
      const missing = (isWithin ? burst : taken + wanted) - bucket.content;
      if (isWithin) taken += wanted;
      const seconds = Math.ceil(missing / perSecond);
      ctx.res.setHeader('RateLimit-Policy', policy);
      ctx.res.setHeader('RateLimit', `"default";r=${Math.floor(bucket.content)};t=${seconds}`);
      if (!isWithin) throw new RateLimited(seconds);
    };
    charge(1);
    ctx.state.charge = charge;
    return next();
  };
}

function forgetIdle(buckets: Map<string, TokenBucket>): void {
  const now = performance.now();
  for (const [keyId, { lastDrip }] of buckets) if (now - lastDrip > forgottenAfterMs) buckets.delete(keyId);
}
