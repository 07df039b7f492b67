import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import { grpcStatusOf } from '../../platform/grpc-status.ts';
import type { WorkflowSide } from './workflow-sides.ts';

/** A run of a batch of webhook deliveries. */
interface BatchRun {
  workflowId: string;
  runId: string;
}

/**
 * Returns the ids of the deliveries that running batches carry, each with the workflow that carries it. A batch that
 * began a moment ago may be missing. `condition` selects the batches by their search attributes.
 * @throws when Temporal is not reachable.
 */
async function listCarriedBy(temporal: Client, condition: string): Promise<Map<string, string>> {
  const query = `WorkflowType = 'webhookBatch' and ExecutionStatus = 'Running' and ${condition}`;
  const carried = new Map<string, string>();
  for await (const { workflowId, runId } of temporal.workflow.list({ query })) {
    for (const id of await deliveriesOf(temporal, { workflowId, runId })) carried.set(id, workflowId);
  }
  return carried;
}

/** Returns what the running batches of a side carry. See `listCarriedBy`. */
export function listCarried({ temporal, taskQueue }: WorkflowSide): Promise<Map<string, string>> {
  return listCarriedBy(temporal, `TaskQueue = '${webhookTaskQueue(taskQueue)}'`);
}

/** Returns what the running batches to an endpoint carry. See `listCarriedBy`. */
export function listCarriedTo(temporal: Client, endpointId: string): Promise<Map<string, string>> {
  // A batch to several endpoints has no such attribute.
  return listCarriedBy(temporal, `(EndpointId = '${endpointId}' or EndpointId is null)`);
}

/** Returns the ids of the deliveries that a batch was started with. Empty if Temporal no longer has it. */
export async function deliveriesOf(temporal: Client, { workflowId, runId }: BatchRun): Promise<string[]> {
  const { namespace } = temporal.options;
  const first = { namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
  try {
    const { history } = await temporal.workflowService.getWorkflowExecutionHistory(first);
    const [input] = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    return input ? defaultPayloadConverter.fromPayload<string[]>(input) : [];
  } catch (error) {
    if (grpcStatusOf(error) === 'NOT_FOUND') return [];
    throw error;
  }
}
