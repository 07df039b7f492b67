import { WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowSide } from './workflow-sides.ts';

/**
 * The id of a workflow's latest run. Null if there is no such workflow.
 * @throws when Temporal is not reachable.
 */
export async function findLatestRun({ temporal }: WorkflowSide, workflowId: string): Promise<string | null> {
  try {
    return (await temporal.workflow.getHandle(workflowId).describe()).runId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
