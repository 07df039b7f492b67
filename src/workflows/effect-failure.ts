import { ActivityFailure, ApplicationFailure, condition } from '@temporalio/workflow';
import type { FailedEffect } from '../messages/failed-effect.ts';
import { commandRefused } from '../messages/operator-command.ts';
import type { Stall } from '../messages/workflow-status.ts';

/**
 * Returns why an activity's effect could not be carried out, and when it failed.
 * @throws the error itself if it is any other, such as a cancellation.
 */
export function stallOf(error: unknown): Stall {
  const failure = failureOf(error);
  if (failure === null) throw error;
  return { reason: failure.message, since: failedEffectOf(error)?.databaseTime ?? null };
}

/** Returns the details of an effect's failure, or null if it has none. */
export function failedEffectOf(error: unknown): FailedEffect | null {
  const known: unknown = failureOf(error)?.details?.[0];
  return isFailedEffect(known) ? known : null;
}

/** Returns why an activity refused an operator command. Null if the error is any other. */
export function refusedCommandOf(error: unknown): string | null {
  const failure = failureOf(error);
  return failure?.type === commandRefused ? failure.message : null;
}

/** A local activity throws the failure itself; any other activity wraps it. */
function failureOf(error: unknown): ApplicationFailure | null {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure ? failure : null;
}

function isFailedEffect(known: unknown): known is FailedEffect {
  if (typeof known !== 'object' || known === null || !('databaseTime' in known) || !('dueAt' in known)) return false;
  return typeof known.databaseTime === 'number' && (known.dueAt === null || typeof known.dueAt === 'number');
}

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
