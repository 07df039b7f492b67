import { TokenBucket } from 'limiter';
import { RateLimited } from '../../services/errors.ts';
import type { Middleware } from '../context.ts';
import type { Settings } from '../route.ts';

/** A bucket that was left alone this long is full again at any sensible setting, and is forgotten. */
const forgottenAfterMs = 60_000;
const sweepAbove = 10_000;

/**
 * Holds each key to its requests a second, with bursts, in a bucket of tokens for each process, on real time. Requests
 * without a key (the public routes) are not counted; nor are those whose key is not valid.
 *
 * Answers tell how matters stand, in the fields of draft-ietf-httpapi-ratelimit-headers-11: the quota is the bucket, its
 * window the time in which an empty one fills; `t` is when the whole quota is there again, or the next request may come.
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
    const isWithin = bucket.tryRemoveTokens(1);
    const missing = (isWithin ? burst : 1) - bucket.content;
    const seconds = Math.ceil(missing / perSecond);
    ctx.res.setHeader('RateLimit-Policy', policy);
    ctx.res.setHeader('RateLimit', `"default";r=${Math.floor(bucket.content)};t=${seconds}`);
    if (!isWithin) throw new RateLimited(seconds);
    return next();
  };
}

function forgetIdle(buckets: Map<string, TokenBucket>): void {
  const now = performance.now();
  for (const [keyId, { lastDrip }] of buckets) if (now - lastDrip > forgottenAfterMs) buckets.delete(keyId);
}
