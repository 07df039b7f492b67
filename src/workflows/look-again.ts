import { condition } from '@temporalio/workflow';
import { failedEffectOf } from './effect-failure.ts';

/** How long a stalled subject in real time waits before it looks again, in milliseconds. */
const lookAgainAfterMs = 5 * 60_000;

/**
 * Returns a function that waits in real time after a failure: five minutes, less if it is known when a retry helps, or
 * until `isWanted`. A server that skips the workflow's time skips this wait too, again and again. The database's clock
 * reveals this: it has not advanced by the time waited. Then the next wait sets no timer, so that there is nothing to
 * skip to, and only `isWanted` ends it.
 */
export function lookingAgain(isWanted: () => boolean): (failure: unknown) => Promise<void> {
  let waited: { from: number; ms: number } | null = null;
  return async (failure) => {
    const failed = failedEffectOf(failure);
    const isSkipped = failed !== null && waited !== null && failed.databaseTime - waited.from < waited.ms / 2;
    waited = null;
    if (isSkipped) return condition(isWanted);
    const ms = Math.min(lookAgainAfterMs, (failed?.dueAt ?? Infinity) - (failed?.databaseTime ?? 0));
    const isWoken = await condition(isWanted, Math.max(1, ms), { summary: 'stalled; looking again' });
    if (failed !== null && !isWoken) waited = { from: failed.databaseTime, ms };
  };
}
