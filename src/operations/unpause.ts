import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowIdOf } from '../messages/workflow-types.ts';
import { atomically } from '../platform/postgres/transaction.ts';
import { realNow } from '../platform/real-time.ts';
import { recordAudit } from '../services/accounts/audit.ts';
import { CommandRefused } from '../services/command-refused.ts';
import { explain } from './command-failure.ts';
import { type Operations, sidesOf, workflowTypeOfId } from './operator-commands.ts';
import type { WorkflowSide } from './sides/workflow-sides.ts';
import { describePaused, type PausedStep, pausedSteps } from './stuck/paused.ts';

/**
 * Continues the steps of an object’s workflow that were paused in Temporal. Needs no worker. Returns a sentence about
 * the result.
 * @throws CommandRefused when no step is paused; an Error that says what to do when Temporal does not respond.
 */
export async function unpause(operations: Operations, id: string): Promise<string> {
  const { sql, by } = operations;
  const workflowType = workflowTypeOfId(id);
  const workflowId = workflowIdOf(workflowType, id);
  const continued: PausedStep[] = [];
  for (const side of await sidesOf(operations, workflowType, id)) {
    try {
      continued.push(...(await continueSteps(side, workflowId)));
    } catch (error) {
      throw new Error(explain(error), { cause: error });
    }
  }
  if (continued.length === 0) throw new CommandRefused(`Nothing to continue: no step of ${workflowId} is paused.`);
  const from = describePaused(continued);
  await atomically(sql, (tx) =>
    recordAudit(tx, {
      action: 'workflow.unpaused',
      by,
      at: realNow(),
      tenant: null,
      subjectId: id,
      changes: { steps: { from, to: 'continued' } },
    }),
  );
  return `${workflowId} continues: ${from}.`;
}

async function continueSteps({ temporal }: WorkflowSide, workflowId: string): Promise<PausedStep[]> {
  const description = await temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    });
  if (description === null || description.status.name !== 'RUNNING') return [];
  const steps = pausedSteps(description);
  const { namespace, identity } = temporal.options;
  const execution = { workflowId, runId: description.runId };
  for (const { activityId } of steps) {
    await temporal.workflowService.unpauseActivity({ namespace, execution, identity, id: activityId });
  }
  return steps;
}
