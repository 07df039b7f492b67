import { defaultPayloadConverter } from '@temporalio/common';
import { webhookTaskQueue } from '../messages/task-queues.ts';
import { grpcStatusOf } from '../platform/grpc-status.ts';
import type { WorkflowSide } from './sides/workflow-sides.ts';

/** A run of a batch of webhook deliveries. */
interface BatchRun {
  workflowId: string;
  runId?: string;
}

/**
 * Returns the ids of the deliveries that running batches of a side carry, each with the workflow that carries it. A
 * batch that began a moment ago may be missing. With `endpointId`, only of that endpoint.
 * @throws when Temporal is not reachable.
 */
export async function listCarried(
  side: WorkflowSide,
  { endpointId }: { endpointId?: string } = {},
): Promise<Map<string, string>> {
  const query =
    `WorkflowType = 'webhookBatch' and ExecutionStatus = 'Running' and TaskQueue = '${webhookTaskQueue(side.taskQueue)}'` +
    (endpointId === undefined ? '' : ` and EndpointId = '${endpointId}'`);
  const carried = new Map<string, string>();
  for await (const { workflowId, runId } of side.temporal.workflow.list({ query })) {
    for (const id of await deliveriesOf(side, { workflowId, runId })) carried.set(id, workflowId);
  }
  return carried;
}

/** Returns the ids of the deliveries that a batch was started with. Empty if Temporal no longer has it. */
export async function deliveriesOf({ temporal }: WorkflowSide, { workflowId, runId }: BatchRun): Promise<string[]> {
  const { namespace } = temporal.options;
  const first = { namespace, execution: { workflowId, runId: runId ?? null }, maximumPageSize: 1 };
  try {
    const { history } = await temporal.workflowService.getWorkflowExecutionHistory(first);
    const [input] = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    return input ? defaultPayloadConverter.fromPayload<string[]>(input) : [];
  } catch (error) {
    if (grpcStatusOf(error) === 'NOT_FOUND') return [];
    throw error;
  }
}
