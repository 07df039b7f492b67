import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { MoveSubject } from '../activities/clock-activities.ts';
import { effectFailed } from '../activities/failures.ts';
import { summaryOf } from '../messages/workflow-summaries.ts';
import { pass } from '../platform/crash-points.ts';
import { workflowIdOf } from '../platform/postgres/outbox.ts';
import { timeSkippingNeeded } from '../services/errors.ts';
import { allowTimeSkipping, isNotFound, isSkippingRefused } from './time-skipping.ts';

/**
 * Moves subjects of a clock by Temporal's own time skipping: the workflow may skip its timers, and an Update tells it how
 * far. The Update answers when all that is due by then is done; its id is the advance's, so a repetition waits for the same.
 */
export function createClockMover(temporal: Client, taskQueue: string): MoveSubject {
  return async (subject, advance, again) => {
    const workflowId = workflowIdOf(subject.workflowType, subject.id);
    const move = async (): Promise<void> => {
      await allowTimeSkipping(temporal, workflowId);
      pass('advance allowed to skip');
      await temporal.workflow.getHandle(workflowId).executeUpdate('advanceTo', {
        args: [advance.target_time.getTime(), advance.from_time.getTime()],
        // Temporal may know the advance from before the database was restored, and answer without doing anything.
        updateId: again ? `${advance.id}/${randomUUID()}` : advance.id,
      });
      pass('advance moved a subject');
    };
    try {
      await move().catch(async (error: unknown) => {
        if (!isNotFound(error) && !(error instanceof WorkflowNotFoundError)) throw error;
        // Its start has not been carried out yet, or Temporal has lost it: the database knows what it needs.
        await temporal.workflow.start(subject.workflowType, {
          taskQueue,
          workflowId,
          args: [subject.id],
          staticSummary: summaryOf(subject.workflowType, subject.id),
          workflowIdConflictPolicy: 'USE_EXISTING',
        });
        await move();
      });
      return { failure: null };
    } catch (error) {
      if (isSkippingRefused(error)) return { failure: timeSkippingNeeded };
      const failure = effectFailure(error);
      // Anything else, such as a workflow that an operator ended under way, is no failure of the clock: it is tried again.
      if (failure === null) throw error;
      return { failure: `${subject.id}: ${failure.message}` };
    }
  };
}

/** The effect that could not be carried out, if that is what the Update failed of. */
function effectFailure(error: unknown): ApplicationFailure | null {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === effectFailed ? cause : null;
}
