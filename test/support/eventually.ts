import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks until the answer is neither null, undefined nor false, and returns it; throws, saying what was waited for, when
 * that takes longer than `timeoutMs`.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T> | T,
  { timeoutMs = 40_000, everyMs = 15 } = {},
): Promise<Exclude<T, null | undefined | false>> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) {
      return answer as Exclude<T, null | undefined | false>;
    }
    if (performance.now() > giveUpAt) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(everyMs);
  }
}
