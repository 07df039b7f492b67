import { Context } from '@temporalio/activity';
import type { ClockAdvanceRow } from '../db/test-clocks.ts';
import { selectClockById, selectOpenAdvance } from '../db/test-clocks.ts';
import type { OperatorCommand } from '../messages/operator-command.ts';
import type { ClockSubjectStatus } from '../messages/subject-status.ts';
import { pass } from '../platform/crash-points.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { realNow } from '../platform/real-time.ts';
import { pressClock } from '../services/plans/operator-commands.ts';
import { completeAdvance, type DueSubject, dueOnClock, failAdvance } from '../services/test-clocks/clock-advance.ts';
import { expireTestClock } from '../services/test-clocks/test-clocks.ts';
import type { WorkflowTime } from '../services/workflow-time.ts';
import { carryOut } from './failures.ts';

/**
 * Advances one subject of a clock to the advance's target. Returns the reason if it does not get there. `again` means
 * that this advance has moved the subject before, and something is still due.
 */
export type MoveSubject = (
  subject: DueSubject,
  advance: ClockAdvanceRow,
  again: boolean,
) => Promise<{ failure: string | null }>;

export interface ClockDeps {
  sql: Pool;
  moveSubject: MoveSubject;
  /** See `WorkflowTime`. */
  maxAheadMs?: number | undefined;
}

export type ClockActivities = ReturnType<typeof createClockActivities>;

/** The plans of a clock are independent of each other and advance in parallel. */
const rounds = 3;
const heartbeatEvery = 1000;

/** The activities of a test clock's workflow. */
export function createClockActivities({ sql, moveSubject, maxAheadMs }: ClockDeps) {
  return {
    /**
     * Does what the database requires of a clock: carries out the accepted advance, if any, and deletes the clock once
     * it has expired. `now` is the workflow's time in epoch ms. It can be repeated at any time: completed work is not
     * done again.
     */
    async tendClock(clockId: string, now: number): Promise<ClockSubjectStatus> {
      const beat = setInterval(() => Context.current().heartbeat(), heartbeatEvery);
      try {
        const advance = await carryOut(sql, () => selectOpenAdvance(sql, clockId));
        // A worker that shuts down leaves a long advance to another worker at once.
        if (advance !== null) {
          await Promise.race([carryOutAdvance(sql, moveSubject, advance), Context.current().cancelled]);
        }
        return await carryOut(sql, () => statusAfterExpiry(sql, clockId, { at: new Date(now), maxAheadMs }));
      } finally {
        clearInterval(beat);
      }
    },

    /** Executes an operator command. Returns a sentence about the result. */
    pressClock: (clockId: string, deed: OperatorCommand) =>
      carryOut(sql, () => pressClock(sql, clockId, deed, realNow())),
  };
}

async function carryOutAdvance(sql: Pool, moveSubject: MoveSubject, advance: ClockAdvanceRow): Promise<void> {
  pass('advance found');
  const { test_clock_id: clockId, target_time: target } = advance;
  const failures: string[] = [];
  let due = await carryOut(sql, () => dueOnClock(sql, clockId, target));
  for (let round = 0; round < rounds && due.length > 0; round++) {
    const moved = await Promise.all(due.map((subject) => moveSubject(subject, advance, round > 0)));
    failures.push(...moved.flatMap(({ failure }) => failure ?? []));
    if (failures.length > 0) break;
    due = await carryOut(sql, () => dueOnClock(sql, clockId, target));
  }
  const [left] = due;
  if (failures.length === 0 && left !== undefined) failures.push(`${left.id} is due and was not collected`);
  const [reason] = failures;
  pass('advance moved all');
  // `ready` means done: it is written only when nothing up to the target is due any more.
  if (reason === undefined) await carryOut(sql, () => completeAdvance(sql, advance, realNow()));
  else await carryOut(sql, () => failAdvance(sql, advance, reason, realNow()));
  pass('advance completed');
}

async function statusAfterExpiry(sql: Pool, clockId: string, time: WorkflowTime): Promise<ClockSubjectStatus> {
  await expireTestClock(sql, clockId, { ...time, now: realNow() });
  const clock = await selectClockById(sql, clockId);
  return {
    id: clockId,
    billerId: clock?.biller_id ?? '',
    status: clock?.status ?? 'deleted',
    frozenTime: clock?.frozen_time.getTime() ?? 0,
    expiresAt: clock?.expires_at.getTime() ?? null,
    failureReason: clock?.failure_reason ?? null,
  };
}
