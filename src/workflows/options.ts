import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';

/** Outages are waited out without end; what trying again does not mend says so with `EffectFailed`. */
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** A step that stays in the database, and the sandbox's processor with it: run by the worker that has the workflow task. */
export const inProcess: LocalActivityOptions = { startToCloseTimeout: '1 minute', retry };

/** A step that leaves the machine, such as a live charge. */
export const overTheNetwork: ActivityOptions = { startToCloseTimeout: '2 minutes', retry };
