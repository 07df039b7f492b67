import { allSubjectKinds, type SubjectKind } from './subject-kinds.ts';

/** The types of workflows, by the names that histories have: those of the subjects, and two that collect nothing. */
export type WorkflowType = SubjectKind | 'testClock' | 'webhookDelivery';

export const workflowTypes: readonly WorkflowType[] = [...allSubjectKinds, 'testClock', 'webhookDelivery'];

/** The types that entries of the outbox are for. */
export const entryTypes: readonly string[] = [...workflowTypes, 'webhookBatch'];

/** Returns the workflow id for a resource, such as `payment-plan/pp_…`. No other code builds this id. */
export function workflowIdOf(workflowType: WorkflowType, subjectId: string): string {
  return `${inWords(workflowType, '-')}/${subjectId}`;
}

/** Returns the id of the workflow of the batches of a biller and mode. There is one at a time. */
export function batchIdOf({ billerId, livemode }: { billerId: string; livemode: boolean }): string {
  return `webhook-batch/${billerId}/${livemode ? 'live' : 'sandbox'}`;
}

/** Returns whose batch it is: the biller in an id that `batchIdOf` has made. */
export function billerOfBatch(batchId: string): string {
  return batchId.split('/')[1] ?? '';
}

/** Returns what a workflow is for, as a title: `Payment plan`. */
export function titleOf(workflowType: WorkflowType): string {
  return workflowType.slice(0, 1).toUpperCase() + inWords(workflowType, ' ').slice(1);
}

function inWords(workflowType: WorkflowType, separator: string): string {
  return workflowType.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
}

/** Returns the id of the workflow of the plan or subscription that a payment belongs to. Null if it is of neither. */
export function workflowIdOfOwner(payment: {
  payment_plan_id: string | null;
  subscription_id: string | null;
}): string | null {
  if (payment.payment_plan_id !== null) return workflowIdOf('paymentPlan', payment.payment_plan_id);
  return payment.subscription_id === null ? null : workflowIdOf('subscription', payment.subscription_id);
}
