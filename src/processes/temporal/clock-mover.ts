import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { effectFailed } from '../../activities/failures.ts';
import { advanceTo } from '../../messages/updates.ts';
import { workflowIdOf } from '../../messages/workflow-types.ts';
import { nameOf, type WorkflowSide } from '../../operations/sides/workflow-sides.ts';
import { grpcStatusOf } from '../../platform/grpc-status.ts';
import { pass } from '../../services/crash-points.ts';
import { timeSkippingNeeded } from '../../services/errors.ts';
import type { AdvanceSteps } from '../../services/test-clocks/clock-advance.ts';
import { startOptionsOf } from './start-options.ts';
import { allowTimeSkipping, isSkippingRefused } from './time-skipping.ts';

/** How often skipping is allowed again during a move, in milliseconds. */
const allowAgainMs = 5_000;

/**
 * Advances subjects of a test clock with Temporal's time skipping. The server may skip the workflow's timers, and the
 * Update `advanceTo` sends the target. The Update returns when everything that is due by then is done. Its id is the
 * advance's and, before the target, the instant's; so a repetition waits for the same Update. Time is never skipped
 * where only live workflows run. Only tests set `maxSkips` (see `allowTimeSkipping`).
 */
export function createClockMover(side: WorkflowSide, maxSkips?: number): AdvanceSteps['moveSubject'] {
  const { temporal } = side;

  /**
   * Sends the Update while the server skips the workflow's timers. If it reaches the maximum of skips meanwhile, it
   * continues within five seconds. Afterwards skipping stays allowed: a workflow on a test clock holds a timer only
   * during an advance, so there is nothing to skip.
   */
  async function move(workflowId: string, updateId: string, args: AdvanceArgs, isAllowed: boolean): Promise<void> {
    const allow = () => allowTimeSkipping(temporal, workflowId, maxSkips);
    if (!isAllowed) await allow();
    const allowing = setInterval(() => allow().catch(() => {}), allowAgainMs); // the next time it may succeed
    try {
      pass('advance allowed to skip');
      await temporal.workflow.getHandle(workflowId).executeUpdate(advanceTo, { args, updateId });
      pass('advance moved a subject');
    } finally {
      clearInterval(allowing);
    }
  }

  return async (subject, advance, { from, to, again }) => {
    // The workflow of a clock is here only until the reconciler has moved it, after the sandbox got its own Temporal.
    if (side.livemode === true) throw new Error(`${nameOf(side)} moves no test clock.`);
    const workflowId = workflowIdOf(subject.kind, subject.id);
    // An advance that has moved the subject before has allowed it then.
    const isAllowed = from > advance.from_time;
    const id = to < advance.target_time ? `${advance.id}/${to.getTime()}` : advance.id;
    const args: AdvanceArgs = [to.getTime(), from.getTime(), again ? null : (subject.at?.getTime() ?? null)];
    // A step of an advance has an id of its own. After the database was restored, Temporal may still hold an Update
    // with this id and return without doing anything.
    const updateId = () => (again ? `${id}/${randomUUID()}` : id);
    try {
      await move(workflowId, updateId(), args, isAllowed).catch(async (error: unknown) => {
        if (grpcStatusOf(error) !== 'NOT_FOUND' && !(error instanceof WorkflowNotFoundError)) throw error;
        // The start has not been dispatched yet, or Temporal has lost the workflow. The database holds all that it
        // needs.
        await temporal.workflow.start(subject.kind, startOptionsOf(side, subject.kind, subject.id));
        await move(workflowId, updateId(), args, isAllowed);
      });
      return null;
    } catch (error) {
      if (isSkippingRefused(error)) return timeSkippingNeeded;
      const failure = effectFailure(error);
      // Anything else, such as a workflow that an operator ended meanwhile, is not a failure of the clock. The move is
      // retried.
      if (failure === null) throw error;
      return `${subject.id}: ${failure.message}`;
    }
  };
}

type AdvanceArgs = [target: number, from: number, dueAt: number | null];

/** The failed effect, if that is why the Update failed; otherwise null. */
function effectFailure(error: unknown): ApplicationFailure | null {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === effectFailed ? cause : null;
}
