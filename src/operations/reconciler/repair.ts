import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type LostSubject, losableKinds, noteLostSubjects } from '../../db/lost-subjects.ts';
import { workflowIdOf } from '../../messages/workflow-types.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { enqueue, type OutboxEntry } from '../../platform/postgres/outbox.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { realNow } from '../../platform/real-time.ts';
import { startEntry, wakeEntry } from '../../services/wake.ts';
import { sideOf, type WorkflowSide, type WorkflowSides } from '../sides/workflow-sides.ts';
import { inBatches, type Mismatch } from './mismatches.ts';
import { isBacklogOf } from './reconciliations.ts';

/** While the outbox holds so many entries, no further repairs are enqueued, but at most for `repairTimeoutMs`. */
const longBacklog = 1_000;
const repairTimeoutMs = 30_000;

/**
 * Repairs the mismatches through the outbox: missing workflows are started, the others are signalled to look again. One
 * in the wrong Temporal is terminated; one that is held is left as it is. This charges nothing: a workflow holds no
 * state of its own and only does what PostgreSQL says is due.
 */
export async function repair(
  sql: Pool,
  sides: WorkflowSides,
  mismatches: readonly Mismatch[],
  signal?: AbortSignal,
): Promise<void> {
  await noteLostSubjects(sql, mismatches.flatMap(lostSubject));
  const misplaced = mismatches.filter(({ isMisplaced }) => isMisplaced);
  await inBatches(misplaced, (mismatch) => endMisplaced(sideOf(sides, mismatch.livemode), mismatch), signal);
  for (const side of sides) {
    const entries = mismatches
      .filter(({ isMisplaced, isHeld, livemode }) => !isMisplaced && !isHeld && sideOf(sides, livemode) === side)
      .map(repairingEntry);
    if (entries.length === 0) continue;
    // New commits must not queue behind all of the repairs.
    await untilDispatched(sql, side, signal);
    await atomically(sql, (tx) => enqueue(tx, entries, realNow()));
  }
}

/** Its workflow ends now: then nothing else knows that it was there. */
function lostSubject({ workflowType, subjectId: id, livemode, isLost }: Mismatch): LostSubject[] {
  const kind = losableKinds.find((one) => one === workflowType);
  return isLost && kind !== undefined ? [{ id, workflowType: kind, livemode }] : [];
}

/** Ends a workflow whose object has its workflow in the other Temporal. */
async function endMisplaced({ temporal }: WorkflowSide, { workflowType, subjectId }: Mismatch): Promise<null> {
  const handle = temporal.workflow.getHandle(workflowIdOf(workflowType, subjectId));
  await handle.terminate('its mode has another Temporal').catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
  return null;
}

function repairingEntry({ workflowType, subjectId: id, livemode, problem }: Mismatch): OutboxEntry {
  const subject = { id, livemode };
  return problem === 'missing' ? startEntry(workflowType, subject) : wakeEntry(workflowType, subject);
}

async function untilDispatched(sql: Pool, { livemode }: WorkflowSide, signal?: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + repairTimeoutMs;
  while ((await isBacklogOf(sql, longBacklog, livemode)) && performance.now() < giveUpAt) {
    await pause(100, undefined, { signal });
  }
}
