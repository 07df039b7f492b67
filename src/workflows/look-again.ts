import { condition } from '@temporalio/workflow';
import { failedEffectOf } from './effect-failure.ts';

/** After this a subject in real time that could not be carried on with is looked at again, in milliseconds. */
const lookAgainAfterMs = 5 * 60_000;

/**
 * Makes the wait after a failure in real time: five minutes, less where it is known when trying again helps, or until
 * `isWanted`. A server that skips the workflow's time skips this wait too, and would do so again and again. It is found out by
 * the database's clock, which has not gone on by what was waited: then no timer is set, so that there is nothing to skip to,
 * and only `isWanted` ends the wait.
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
