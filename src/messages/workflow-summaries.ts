/** What each workflow does, as the Web UI shows it to an operator who has never seen the code. */
const summaries = {
  paymentPlan: (id: string) => `Collects the payments of plan ${id} by its calendar, and retries what has failed`,
  scheduledPayment: (id: string) => `Makes payment ${id} on its date`,
  bankDebit: (id: string) => `Hands debit ${id} to the bank, and records what the bank reports`,
  paymentLink: (id: string) => `Lets payment link ${id} expire at its time`,
  checkoutSession: (id: string) => `Ends checkout session ${id} at its time, and a challenge that takes too long`,
  subscription: (id: string) => `Begins the periods of subscription ${id} by its calendar, and retries what has failed`,
  testClock: (id: string) => `Carries out the advances of test clock ${id}`,
  webhookBatch: (id: string) => `Delivers several events to one endpoint, the first is ${id}`,
  webhookDelivery: (id: string) => `Delivers one event to one endpoint: ${id}`,
};

/** Where the page is that a workflow writes about itself. `/ops/workflow` leads there. */
const whereToLook = 'What it waits for, and what you can do: Current Details, in the tab User Metadata';

export type SummarizedWorkflow = keyof typeof summaries;

/** Returns what a workflow does. */
export function summaryOf(workflowType: SummarizedWorkflow, subjectId: string): string {
  return summaries[workflowType](subjectId);
}

/**
 * Returns the summary that a workflow is started with. A fresh run does not have it: Temporal drops it at
 * continue-as-new. So the workflow's page repeats what it does.
 */
export function startSummaryOf(workflowType: SummarizedWorkflow, subjectId: string): string {
  return `${summaryOf(workflowType, subjectId)}. ${whereToLook}`;
}
