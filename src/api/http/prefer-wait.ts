import type { Context } from './context.ts';

/** Longer than any advance should take, shorter than common client timeouts. */
const longestSeconds = 60;

/**
 * Returns how long the client prefers to wait for a better response, in ms. The header is `Prefer: wait=N` in whole
 * seconds (RFC 7240), capped at 60. Returns 0 if the header is missing or malformed.
 */
export function preferredWaitMs(ctx: Context): number {
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(ctx.get('Prefer')) ?? [];
  return seconds === undefined ? 0 : Math.min(Number(seconds), longestSeconds) * 1000;
}
