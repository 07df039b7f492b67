import { TokenBucket } from 'limiter';
import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import type { Settings } from '../http/route.ts';

/** A bucket that was left alone this long is full again at any sensible setting, and is forgotten. */
const forgottenAfterMs = 60_000;
const sweepAbove = 10_000;

/**
 * Limits each key to its requests a second, with bursts, in a bucket of tokens for each process, on real time. A request
 * costs one token; what costs more, such as a large body, is taken later by `ctx.state.charge`. Requests without a key (the
 * public routes) are not counted; nor are those whose key is not valid.
 *
 * Responses carry the fields of draft-ietf-httpapi-ratelimit-headers-11: the quota is the bucket, its window the time in
 * which an empty one fills; `t` is when the whole quota is there again, or when a refused request may come again.
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
      // Never more than the quota: a request that costs more could not be sent at all.
      const wanted = Math.min(tokens, burst - taken);
      const isWithin = bucket.tryRemoveTokens(wanted);
      // Sent again, the request needs the tokens that it has lost, too.
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
