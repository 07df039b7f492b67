import type { WorkflowStartOptions } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { WaitingBatch } from '../../db/webhook-batches.ts';
import { batchAttributes } from '../../messages/search-attributes.ts';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import { startSummaryOf } from '../../messages/workflow-summaries.ts';
import { billerOfBatch, type WorkflowType, workflowIdOf } from '../../messages/workflow-types.ts';
import type { WorkflowSide } from '../../operations/sides/workflow-sides.ts';

/** How long Temporal waits for a worker that died with a workflow task. A live worker asks for more time on its own. */
const workflowTaskTimeout = '5 seconds';

/**
 * Returns the options of every start of a workflow. If the workflow of the subject runs, a start changes nothing. One
 * that has ended may be needed again: its object was reopened, or restored from a back-up. A workflow without work
 * finds that in the database, and ends. `typedSearchAttributes` are those that are known before the workflow runs.
 */
export function startOptionsOf(
  { taskQueue }: WorkflowSide,
  workflowType: WorkflowType,
  subjectId: string,
  typedSearchAttributes: SearchAttributePair[] = [],
) {
  return {
    taskQueue: workflowType === 'webhookDelivery' ? webhookTaskQueue(taskQueue) : taskQueue,
    workflowId: workflowIdOf(workflowType, subjectId),
    args: [subjectId],
    staticSummary: startSummaryOf(workflowType, subjectId),
    typedSearchAttributes,
    workflowTaskTimeout,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
  } satisfies WorkflowStartOptions;
}

/** Returns the options of the start of a batch. While one of the biller and mode runs, the start is refused. */
export function batchOptionsOf({ taskQueue }: WorkflowSide, { workflow_id: workflowId, livemode }: WaitingBatch) {
  const billerId = billerOfBatch(workflowId);
  return {
    taskQueue: webhookTaskQueue(taskQueue),
    workflowId,
    args: [] as [],
    staticSummary: startSummaryOf('webhookBatch', billerId),
    typedSearchAttributes: batchAttributes({ billerId, livemode }),
    workflowTaskTimeout,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    // Each has many deliveries, so its tasks come before those of single ones: these may be of receivers that hang.
    priority: { priorityKey: 1 },
  } satisfies WorkflowStartOptions;
}
