import { isCancellation, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import { webhookTaskQueue } from '../messages/task-queues.ts';
import { type BatchStatus, showBatch } from './operator-page/batch.ts';
import { openPage } from './operator-page/page.ts';

type BatchProgress = Awaited<ReturnType<WebhookActivities['sendWebhookBatch']>>;

/** Five seconds to send, 15 for the last receiver, the rest for the database. After that, the worker counts as dead. */
const timeout = '35 seconds';

/**
 * Several events on their way to endpoints of one biller: the first attempt of each. Those that are not delivered get
 * workflows of their own (`webhookDelivery`), and the batch ends. The database knows which of them were attempted, so a
 * step that is repeated leaves those alone.
 */
export async function webhookBatch(deliveryIds: string[]): Promise<void> {
  const page = openPage('webhookBatch');
  let shown: BatchStatus = { all: deliveryIds.length, taken: 0, delivered: 0, failed: 0, handedOver: 0, failures: [] };
  let left = deliveryIds;
  for (let isInTask = true; left.length > 0; ) {
    const made = await sendSome(left, isInTask);
    isInTask = made !== null && made.needsActivity !== true;
    if (made === null) continue;
    left = made.left ?? left.slice(made.taken);
    shown = {
      ...shown,
      ...made,
      taken: shown.taken + made.taken,
      delivered: shown.delivered + made.delivered,
      failed: shown.failed + made.failed,
      handedOver: shown.handedOver + made.handedOver,
      failures: [...shown.failures, ...made.failures],
    };
    showBatch(page, shown);
  }
}

/**
 * Sends some of the deliveries: in the workflow task, or in an activity if there is no room in the task. A failure in
 * the task is not retried there, and the result is null: the activity is retried, for as long as it takes.
 */
async function sendSome(ids: string[], isInTask: boolean): Promise<BatchProgress | null> {
  const summary = `first attempts of ${ids.length} deliveries`;
  if (isInTask) {
    const once = { startToCloseTimeout: timeout, retry: { maximumAttempts: 1 }, summary };
    return proxyLocalActivities<WebhookActivities>(once)
      .sendWebhookBatchInTask(ids)
      .catch((error: unknown) => {
        if (isCancellation(error)) throw error;
        return null;
      });
  }
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: timeout,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
    summary,
  }).sendWebhookBatch(ids);
}
