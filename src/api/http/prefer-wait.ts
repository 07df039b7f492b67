import type { Context } from './context.ts';

/** Longer than any advance should take, shorter than common time-outs of clients. */
const longestSeconds = 60;

/**
 * For how many milliseconds the client would rather wait for a better answer than have this one at once: `Prefer: wait=N`
 * in whole seconds (RFC 7240), at most 60. A preference that cannot be read is none.
 */
export function preferredWaitMs(ctx: Context): number {
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(ctx.get('Prefer')) ?? [];
  return seconds === undefined ? 0 : Math.min(Number(seconds), longestSeconds) * 1000;
}
