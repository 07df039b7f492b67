import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
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
