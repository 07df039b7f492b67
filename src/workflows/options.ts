import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';

/** Outages are retried without limit. Errors that retries do not fix are thrown as `EffectFailed`. */
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/**
 * For a step that only uses the database, or the sandbox's processor in it. It runs in the worker that has the workflow
 * task.
 */
export const inProcess: LocalActivityOptions = { startToCloseTimeout: '1 minute', retry };

/**
 * For a step that waits for another machine, such as a live charge. A worker that dies is noticed by its missing
 * heartbeat, and another worker continues.
 */
export const overTheNetwork: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '8 seconds',
  retry,
};
