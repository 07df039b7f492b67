import { isSubjectKind, subjectKinds } from './subject-kinds.ts';
import type { WorkflowType } from './workflow-types.ts';

/** What the workflows do that are for no subject, as the Web UI shows it. `subjectKinds` has the others. */
const summaries = {
  testClock: (id: string) => `Carries out the advances of test clock ${id}`,
  webhookBatch: (id: string) => `Delivers the webhooks of ${id} that are due`,
  webhookDelivery: (id: string) => `Delivers one event to one endpoint: ${id}`,
};

/** The workflows: those of an object, and the batches of a biller's deliveries. */
export type SummarizedWorkflow = WorkflowType | 'webhookBatch';

/** Where the page is that a workflow writes about itself. `/ops/workflow` leads there. */
const whereToLook = 'What it waits for, and what you can do: Current Details, in the tab User Metadata';

/** Returns what a workflow does. */
export function summaryOf(workflowType: SummarizedWorkflow, subjectId: string): string {
  return isSubjectKind(workflowType)
    ? subjectKinds[workflowType].summary(subjectId)
    : summaries[workflowType](subjectId);
}

/**
 * Returns the summary that a workflow is started with. A fresh run does not have it: Temporal drops it at
 * continue-as-new. So the workflow's page repeats what it does.
 */
export function startSummaryOf(workflowType: SummarizedWorkflow, subjectId: string): string {
  return `${summaryOf(workflowType, subjectId)}. ${whereToLook}`;
}
