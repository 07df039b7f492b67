import { webhookActivities } from './activities.ts';
import { showBatch } from './operator-page/batch.ts';
import { openPage } from './operator-page/page.ts';

const options = {
  /** 20 seconds to send, 15 for the last receiver, the rest for the database. After that, the worker counts as dead. */
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: '8 seconds',
  summary: 'first attempts of what is due',
};

/**
 * The first attempts of a biller's events, in one mode, as long as something becomes due to endpoints that respond
 * promptly. What is not delivered gets a workflow of its own (`webhookDelivery`). The outbox has what is not recorded,
 * so a step that is repeated goes on with that, and what is due when the batch has ended starts the next one.
 */
export async function webhookBatch(): Promise<void> {
  const page = openPage('webhookBatch');
  showBatch(page, await webhookActivities(options).sendWebhookBatch());
}
