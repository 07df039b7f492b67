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
import type { MoveSubject } from '../../services/test-clocks/clock-advance.ts';
import { startOptionsOf } from './start-options.ts';
import { isSkippingRefused, whileTimeIsSkipped } from './time-skipping.ts';

/**
 * Advances subjects of a test clock with Temporal's time skipping. The server may skip the workflow's timers, and the
 * Update `advanceTo` sends the target. The Update returns when everything that is due by then is done. Its id is the
 * advance's and, before the target, the instant's; so a repetition waits for the same Update. Time is never skipped
 * where only live workflows run. Only tests set `maxSkips` (see `allowTimeSkipping`).
 */
export function createClockMover(side: WorkflowSide, maxSkips?: number): MoveSubject {
  const { temporal } = side;
  return async (subject, advance, { from, to, again }) => {
    // The workflow of a clock is here only until the reconciler has moved it, after the sandbox got its own Temporal.
    if (side.livemode === true) throw new Error(`${nameOf(side)} moves no test clock.`);
    const workflowId = workflowIdOf(subject.kind, subject.id);
    // An advance that has moved the subject before has allowed it then.
    const isAllowed = from > advance.from_time;
    const id = to < advance.target_time ? `${advance.id}/${to.getTime()}` : advance.id;
    const move = (): Promise<void> =>
      whileTimeIsSkipped({ temporal, workflowId, maxSkips, isAllowed }, async () => {
        pass('advance allowed to skip');
        await temporal.workflow.getHandle(workflowId).executeUpdate(advanceTo, {
          args: [to.getTime(), from.getTime(), again ? null : (subject.at?.getTime() ?? null)],
          // A step of an advance has an id of its own. After the database was restored, Temporal may still hold an
          // Update with this id and return without doing anything.
          updateId: again ? `${id}/${randomUUID()}` : id,
        });
        pass('advance moved a subject');
      });
    try {
      await move().catch(async (error: unknown) => {
        if (grpcStatusOf(error) !== 'NOT_FOUND' && !(error instanceof WorkflowNotFoundError)) throw error;
        // The start has not been dispatched yet, or Temporal has lost the workflow. The database holds all that it
        // needs.
        await temporal.workflow.start(subject.kind, startOptionsOf(side, subject.kind, subject.id));
        await move();
      });
      return { failure: null };
    } catch (error) {
      if (isSkippingRefused(error)) return { failure: timeSkippingNeeded };
      const failure = effectFailure(error);
      // Anything else, such as a workflow that an operator ended meanwhile, is not a failure of the clock. The move is
      // retried.
      if (failure === null) throw error;
      return { failure: `${subject.id}: ${failure.message}` };
    }
  };
}

/** The failed effect, if that is why the Update failed; otherwise null. */
function effectFailure(error: unknown): ApplicationFailure | null {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === effectFailed ? cause : null;
}
