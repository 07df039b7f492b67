import { sleep } from '@temporalio/workflow';

/** Has the name of a workflow of the service and does something else. */
export async function paymentPlan(): Promise<void> {
  await sleep(1);
  await sleep(1);
}
