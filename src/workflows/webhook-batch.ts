import { orNeedsActivity, webhookActivities } from './activities.ts';
import { type BatchProgress, type BatchStatus, showBatch } from './operator-page/batch.ts';
import { openPage } from './operator-page/page.ts';

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
    const summary = `first attempts of ${left.length} deliveries`;
    const made: BatchProgress | 'needs an activity' = await webhookActivities(isInTask, {
      startToCloseTimeout: timeout,
      summary,
    })
      .sendWebhookBatch(left)
      .catch((error: unknown) => orNeedsActivity(isInTask, error));
    isInTask = made !== 'needs an activity' && made.needsActivity !== true;
    if (made === 'needs an activity') continue;
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
