import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { type ClockAhead, workflowClockAhead } from '../domain/clock-ahead.ts';

/**
 * Why an activity's effect could not be carried out, in words; null when the error is something else, such as a
 * cancellation.
 */
export function whyEffectFailed(error: unknown): string | null {
  return failureOf(error)?.message ?? null;
}

/** What the database's clock says, where the effect failed because the workflow's is ahead of it; null where not. */
export function clockAheadOf(error: unknown): ClockAhead | null {
  const failure = failureOf(error);
  const known: unknown = failure?.type === workflowClockAhead ? failure.details?.[0] : null;
  return isClockAhead(known) ? known : null;
}

/** A local activity throws the failure bare, any other one wraps it. */
function failureOf(error: unknown): ApplicationFailure | null {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure ? failure : null;
}

function isClockAhead(known: unknown): known is ClockAhead {
  if (typeof known !== 'object' || known === null || !('databaseTime' in known) || !('dueAt' in known)) return false;
  return typeof known.databaseTime === 'number' && typeof known.dueAt === 'number';
}
