import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** A Temporal, and the workflows that run there. */
export interface WorkflowSide {
  temporal: Client;
  taskQueue: string;
  /** The mode of these workflows: live (true) or sandbox (false). Null if one Temporal runs both. */
  livemode: boolean | null;
  /**
   * How long this Temporal lets a worker's poll wait, in seconds, before the worker polls again. The default is a
   * minute, as the server's.
   */
  longestPollSeconds?: number;
}

/** One Temporal for both modes, or that of live mode and then the sandbox's own. */
export type WorkflowSides<S extends WorkflowSide = WorkflowSide> = readonly [S, ...S[]];

/** The side whose Temporal runs the workflows of this mode. */
export function sideOf<S extends WorkflowSide>(sides: WorkflowSides<S>, livemode: boolean | null): S {
  return sides.find((side) => side.livemode === livemode) ?? sides[0];
}

/** The name of the side's Temporal, to begin or to continue a sentence with. */
export function nameOf({ livemode }: Pick<WorkflowSide, 'livemode'>): string {
  if (livemode === null) return 'Temporal';
  return livemode ? 'Temporal of live mode' : 'Temporal of the sandbox';
}

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
