import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import { webhookTaskQueue } from '../domain/task-queues.ts';
import { attributes } from './search-attributes.ts';

/** Makes the next attempt now instead of at its time. Safe to send twice. */
export const retryNow = defineSignal('retryNow');
/** Ends the delivery as failed; it can be retried later. Safe to send twice. */
export const giveUp = defineSignal('giveUp');

type Progress = NonNullable<Awaited<ReturnType<WebhookActivities['attemptWebhookDelivery']>>>;

/**
 * One event on its way to one endpoint: attempt, wait, attempt again, until it is delivered or given up. Each attempt
 * is recorded in the database under its number, with the instant of the next one.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  const operator = { retryNow: false, giveUp: false };
  setHandler(
    retryNow,
    () => {
      operator.retryNow = true;
    },
    { description: 'Makes the next attempt now instead of at its time. Safe to send twice.' },
  );
  setHandler(
    giveUp,
    () => {
      operator.giveUp = true;
    },
    { description: 'Ends the delivery as failed; it can be retried later. Safe to send twice.' },
  );

  let known: number | null = null;
  for (;;) {
    operator.retryNow = false;
    const progress = await attempt(deliveryId, known, () => operator.giveUp);
    if (progress === 'given up' || progress === null) return;
    show(progress);
    known = progress.status === 'pending' ? progress.attempts : null;
    if (known !== null) {
      const summary = `attempt ${progress.attempts + 1} to ${progress.about.endpointId}, after: ${progress.lastAnswer}`;
      await condition(() => operator.retryNow || operator.giveUp, progress.waitMs, { summary });
    } else if (!operator.retryNow) {
      return;
    } // a retry that came while the last attempt was under way: the database says whether there is more to do
  }
}

/** Makes one attempt; gives up at once when told to, also while the attempt itself cannot be made. */
async function attempt(
  deliveryId: string,
  known: number | null,
  toldToGiveUp: () => boolean,
): Promise<Progress | 'given up' | null> {
  const { attemptWebhookDelivery, giveUpWebhookDelivery } = activitiesFor(known);
  const scope = new CancellationScope();
  const made = scope.run(() => attemptWebhookDelivery(deliveryId, known));
  made.catch(() => {}); // looked at below, unless it is given up
  await Promise.race([made, condition(toldToGiveUp)]);
  if (!toldToGiveUp()) return made;
  scope.cancel();
  await made.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  await giveUpWebhookDelivery(deliveryId);
  return 'given up';
}

/** On the webhooks' own task queue. What fails here is never the receiver but the way to it: that is waited out. */
function activitiesFor(known: number | null): WebhookActivitiesProxy {
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '25 seconds', // the receiver's 15, and the database before and after; how long a dead worker is waited for
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
    summary: known === null ? 'first attempt' : `attempt ${known + 1}`,
  });
}
type WebhookActivitiesProxy = ReturnType<typeof proxyActivities<WebhookActivities>>;

/** Shows where the delivery stands: once in the attributes that operators search by, and on the workflow's own page. */
function show({ status, attempts, lastAnswer, nextAttemptAt, about }: Progress): void {
  const rows = [
    `**${status}** after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}; the last: ${lastAnswer}`,
    `Event: ${about.eventType}, endpoint: \`${about.endpointId}\`, biller: \`${about.billerId}\`, ${about.livemode ? 'live' : 'sandbox'}`,
  ];
  if (status === 'pending') {
    rows.push(
      `Waits for its next attempt at ${nextAttemptAt}.`,
      'What can be done: send the signal `retryNow` to try at once, or `giveUp` to end it as failed. Each may be sent twice.',
    );
  }
  setCurrentDetails(rows.map((row) => `- ${row}`).join('\n'));

  if (workflowInfo().typedSearchAttributes.get(attributes.billerId) !== undefined) return;
  const updates: SearchAttributeUpdatePair[] = [
    { key: attributes.billerId, value: about.billerId },
    { key: attributes.livemode, value: about.livemode },
    { key: attributes.eventType, value: about.eventType },
    { key: attributes.endpointId, value: about.endpointId },
  ];
  if (about.testClockId !== null) updates.push({ key: attributes.testClockId, value: about.testClockId });
  upsertSearchAttributes(updates);
}
