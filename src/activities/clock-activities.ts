import { selectOpenAdvance } from '../db/test-clocks.ts';
import type { OperatorCommand } from '../messages/operator-command.ts';
import type { ClockSubjectStatus } from '../messages/subject-status.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { realNow } from '../platform/real-time.ts';
import { workflowTime } from '../services/customer-time.ts';
import { executeClockCommand } from '../services/subjects/operator-commands.ts';
import { type AdvanceSteps, clockStatus, executeAdvance } from '../services/test-clocks/clock-advance.ts';
import { expireTestClock } from '../services/test-clocks/test-clocks.ts';
import { carryOut, withHeartbeat } from './failures.ts';

export interface ClockDeps {
  sql: Pool;
  moveSubject: AdvanceSteps['moveSubject'];
  /** See `WorkflowTime`. */
  maxAheadMs?: number | undefined;
}

export type ClockActivities = ReturnType<typeof createClockActivities>;

/** The activities of a test clock's workflow. Their names are in histories. */
export function createClockActivities({ sql, moveSubject, maxAheadMs }: ClockDeps) {
  return {
    /**
     * Does what the database requires of a clock: carries out the accepted advance, if any, and deletes the clock once
     * it has expired. `now` is the workflow's time in epoch ms. It can be repeated at any time: completed work is not
     * done again.
     */
    async advanceOrExpire(clockId: string, now: number): Promise<ClockSubjectStatus> {
      // A worker that shuts down leaves a long advance to another worker at once.
      return withHeartbeat(async () => {
        const advance = await carryOut(sql, () => selectOpenAdvance(sql, clockId));
        if (advance !== null) await executeAdvance(sql, advance, { moveSubject, step: (work) => carryOut(sql, work) });
        return carryOut(sql, async () => {
          await expireTestClock(sql, clockId, { ...workflowTime(now, maxAheadMs), now: realNow() });
          return clockStatus(sql, clockId);
        });
      });
    },

    /** Executes an operator command. Returns a sentence about the result, or fails as `CommandRefused`. */
    pressClock: (clockId: string, command: OperatorCommand) =>
      carryOut(sql, () => executeClockCommand(sql, clockId, command, realNow())),
  };
}
