import { condition } from '@temporalio/workflow';
import { clockAheadOf } from './effect-failure.ts';

/** After this a subject in real time that could not be carried on with is looked at again, in milliseconds. */
export const lookAgainAfterMs = 5 * 60_000;

/**
 * Makes the wait after a failure in real time: five minutes, less where the database's clock says when it is over, or until
 * `isWanted`. A server that skips the workflow's time skips this wait too, and would do so again and again. That is found out
 * by the database's clock, which has not gone on by what was waited: then no timer is set, so that there is nothing to skip
 * to, and only `isWanted` ends the wait.
 */
export function lookingAgain(isWanted: () => boolean): (failure: unknown) => Promise<void> {
  let waited: { from: number; ms: number } | null = null;
  return async (failure) => {
    const ahead = clockAheadOf(failure);
    const isSkipped = ahead !== null && waited !== null && ahead.databaseTime - waited.from < waited.ms / 2;
    waited = null;
    if (isSkipped) return condition(isWanted);
    const ms = ahead === null ? lookAgainAfterMs : Math.min(lookAgainAfterMs, ahead.dueAt - ahead.databaseTime);
    const isWoken = await condition(isWanted, ms, { summary: 'stalled; looking again' });
    if (ahead !== null && !isWoken) waited = { from: ahead.databaseTime, ms };
  };
}
