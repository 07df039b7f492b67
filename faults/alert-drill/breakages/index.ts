import type { Breakage } from './breakage.ts';
import { databaseStopped, tableLocked } from './database.ts';
import { planPoisoned, processorFails, processorSilent, receiverGone, workflowUnknown } from './payments.ts';
import { apiKilled, apiStopped, pagesStopped, temporalStopped, workerSlow } from './processes.ts';

/**
 * In this order, one row after the other; those of a row at the same time. The last row takes minutes of its own, and
 * compares with the charges of the rows before.
 */
export const breakages: readonly (readonly Breakage[])[] = [
  [apiStopped],
  [pagesStopped],
  [apiKilled],
  [temporalStopped],
  [workerSlow],
  [tableLocked],
  [databaseStopped],
  [planPoisoned, processorFails, processorSilent, workflowUnknown, receiverGone],
];

/** The alerts that have a breakage. */
export const drilledAlerts: readonly string[] = breakages.flat().flatMap(({ alerts }) => Object.keys(alerts));

/** The alerts that the drill does not bring about, and where what they tell of is brought about instead. */
export const alertsElsewhere: Readonly<Record<string, string>> = {
  PaymentsLogLinesLost: 'a full disk under the logs: `npm run faults -- --only "full disk"`',
  PaymentsDatabaseFull: 'a full disk under PostgreSQL: the same, and test/runtime/full-disk.test.ts',
  PaymentsDatabaseLocked: 'a session that holds whole tables: test/services/stuck-locks.test.ts',
  PaymentsChargingHeld: 'a database that was restored: test/workflows/restored-live-charges.test.ts',
};
