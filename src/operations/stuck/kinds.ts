import { fullDatabase } from './database.ts';
import { advanceSlow, clockFailed } from './kinds/clocks.ts';
import { disputeOverdue } from './kinds/disputes.ts';
import { ledgerStopped } from './kinds/ledger.ts';
import { accountRefused, movementsUnexplained, payoutUnreconciled, settlementWaiting } from './kinds/live-processor.ts';
import {
  comparisonLate,
  rowLost,
  workflowIntentsWaiting,
  workflowIntentUnknown,
  workflowsDiffer,
} from './kinds/outbox.ts';
import { overdueKinds } from './kinds/overdue.ts';
import {
  challengeOverdue,
  chargingHeld,
  paymentProcessing,
  processorComparisonLate,
  refundProcessing,
} from './kinds/payments.ts';
import { planInconsistent } from './kinds/plans.ts';
import { clockWrong, encryptionKeysOld, filesUsedUp } from './kinds/processes.ts';
import { rowsBroken, rowsDoubtful } from './kinds/rows.ts';
import { connectionsUsedUp, databaseLocked, processHangs } from './kinds/sessions.ts';
import { deliveryBacklog, deliveryLost, endpointFailing } from './kinds/webhooks.ts';
import { listeners } from './listeners.ts';
import { type Kind, notReadable, type StuckKind } from './reading/find-stuck.ts';
import { refusedWrites } from './refused-writes.ts';
import { workflowKinds } from './workflows.ts';

/**
 * The kinds that PostgreSQL knows of its own sessions. They are read first and on a connection of their own: they say
 * why the others cannot be read.
 */
export const sessionKinds: readonly StuckKind[] = [databaseLocked, connectionsUsedUp, processHangs];

/**
 * The kinds that the tables of PostgreSQL know. The limit of each is several times what the slowest healthy case takes,
 * a restart of every process included.
 */
export const rowKinds: readonly StuckKind[] = [
  ...overdueKinds,
  planInconsistent,
  paymentProcessing,
  refundProcessing,
  challengeOverdue,
  chargingHeld,
  processorComparisonLate,
  advanceSlow,
  clockFailed,
  ledgerStopped,
  disputeOverdue,
  accountRefused,
  movementsUnexplained,
  settlementWaiting,
  payoutUnreconciled,
  deliveryBacklog,
  deliveryLost,
  endpointFailing,
  workflowIntentsWaiting,
  workflowIntentUnknown,
  rowsBroken,
  rowsDoubtful,
  rowLost,
  clockWrong,
  filesUsedUp,
  encryptionKeysOld,
  workflowsDiffer,
  comparisonLate,
];

/** The kind that only a look at the data folder of `npm start` shows: only `ops stuck` looks there. */
export const keyFileMissing: Kind = {
  kind: 'encryption_key_missing',
  meaning: 'The file with the encryption keys is missing or has other keys: the next start fails.',
  after: 0,
};

/** All that "stuck" means. */
export const allKinds: readonly Kind[] = [
  ...sessionKinds,
  ...rowKinds,
  ...workflowKinds,
  notReadable,
  fullDatabase,
  refusedWrites,
  listeners.api,
  listeners.pages,
  keyFileMissing,
];

/** Returns the kind with this name, or undefined. */
export function kindNamed(name: string): Kind | undefined {
  return allKinds.find(({ kind }) => kind === name);
}
