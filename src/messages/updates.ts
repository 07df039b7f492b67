import { defineUpdate } from '@temporalio/workflow';
import type { IssuedBy, SkipSlotInput } from './operator-command.ts';

/**
 * Advances a clock-bound subject from the clock's present time, `from`, to `target` (both epoch ms of the clock).
 * Completes when everything due by then is done. `dueAt` is when its next step is due, as the sender has just read it;
 * if it is null, the workflow reads that first.
 */
export const advanceTo = defineUpdate<void, [target: number, from: number, dueAt: number | null]>('advanceTo');

/**
 * The operator commands as Updates, sent from the Web UI or the command line. Each returns a sentence: what was done,
 * or why nothing was. The Web UI sends at most one value, so each Update takes one argument. For most it is who issues
 * the command, and may be missing.
 */
export const commands = {
  recheck: defineUpdate<string, [by: IssuedBy | null | undefined]>('recheck'),
  retryNow: defineUpdate<string, [by: IssuedBy | null | undefined]>('retryNow'),
  skipSlot: defineUpdate<string, [slot: SkipSlotInput]>('skipSlot'),
  retryAdvance: defineUpdate<string, [by: IssuedBy | null | undefined]>('retryAdvance'),
  giveUp: defineUpdate<string, [by: IssuedBy | null | undefined]>('giveUp'),
};
