import type { WorkflowExecutionInfo } from '@temporalio/client';
import { namedId } from '../../domain/ids.ts';
import { attributes } from '../../messages/search-attributes.ts';
import { webhookTaskQueue } from '../../messages/task-queues.ts';
import type { WorkflowSide } from '../sides/workflow-sides.ts';
import { type Kind, type Stuck, stuckAs, type Words } from './reading/find-stuck.ts';

/** Returns the condition of a list of Temporal that selects the workflows of a side. */
export function onSide({ taskQueue }: WorkflowSide): string {
  return `TaskQueue in ('${taskQueue}', '${webhookTaskQueue(taskQueue)}')`;
}

/** Returns the id of the object whose workflow this is. */
export function subjectOf({ workflowId }: { workflowId: string }): string {
  return workflowId.slice(workflowId.indexOf('/') + 1);
}

/** Returns the object of a workflow as stuck in this way. */
export function workflowStuckAs(
  kind: Kind,
  { livemode }: WorkflowSide,
  workflow: Pick<WorkflowExecutionInfo, 'workflowId' | 'typedSearchAttributes'>,
  known: Words & Partial<Stuck>,
): Stuck {
  const { workflowId, typedSearchAttributes: shown } = workflow;
  return stuckAs(kind, {
    subject_id: subjectOf(workflow),
    workflow_id: workflowId,
    biller_id: namedId('biller', shown.get(attributes.billerId)) ?? null,
    livemode: shown.get(attributes.livemode) ?? livemode,
    ...known,
  });
}
