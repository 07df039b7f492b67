/** What each workflow does, as the Web UI shows it to an operator who has never seen the code. */
const summaries = {
  paymentPlan: (id: string) => `Collects the payments of plan ${id} by its calendar, and retries what has failed`,
  scheduledPayment: (id: string) => `Makes payment ${id} on its date`,
  testClock: (id: string) => `Carries out the advances of test clock ${id}`,
  webhookDelivery: (id: string) => `Delivers one event to one endpoint: ${id}`,
};

export type SummarizedWorkflow = keyof typeof summaries;

/**
 * Returns the summary that a workflow is started with. A fresh run does not have it: Temporal drops it at
 * continue-as-new. So the workflow's page repeats it.
 */
export function summaryOf(workflowType: SummarizedWorkflow, subjectId: string): string {
  return summaries[workflowType](subjectId);
}
