import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** After this a live subject that could not be carried on with is looked at again. */
export const lookAgainAfter = '5 minutes';

/**
 * Why an activity's effect could not be carried out, in words; null when the error is something else, such as a
 * cancellation. A local activity throws the failure bare, any other one wraps it.
 */
export function whyEffectFailed(error: unknown): string | null {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure ? failure.message : null;
}
