import type { Breakage } from './breakage.ts';
import { databaseStopped, tableLocked } from './database.ts';
import { planPoisoned, processorFails, processorSilent, receiverGone, workflowUnknown } from './payments.ts';
import { apiKilled, apiStopped, temporalStopped, workerSlow } from './processes.ts';

/**
 * In this order, one row after the other; those of a row at the same time. The last row takes minutes of its own, and
 * compares with the charges of the rows before.
 */
export const breakages: readonly (readonly Breakage[])[] = [
  [apiStopped],
  [apiKilled],
  [temporalStopped],
  [workerSlow],
  [tableLocked],
  [databaseStopped],
  [planPoisoned, processorFails, processorSilent, workflowUnknown, receiverGone],
];

/** The alerts that have a breakage. */
export const drilledAlerts: readonly string[] = breakages.flat().flatMap(({ alerts }) => Object.keys(alerts));
