import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { attributes } from '../../messages/search-attributes.ts';
import { instant, linkTo, showDetails } from './markdown.ts';
import { keepsStalledSearchable } from './stalled.ts';

type Progress = NonNullable<Awaited<ReturnType<WebhookActivities['attemptWebhookDelivery']>>>;

/** Shows a delivery's status, in the search attributes and on the workflow's page. */
export function showDelivery(deliveryId: string, progress: Progress, pressed: string | null): void {
  showPage(deliveryId, progress, pressed);
  upsertChanged(progress);
}

function showPage(
  deliveryId: string,
  { status, attempts, lastAnswer, nextAttemptAt, about }: Progress,
  pressed: string | null,
): void {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const isPending = status === 'pending';
  const next =
    nextAttemptAt === null ? 'its next attempt' : `attempt ${attempts + 1}, at ${instant(Date.parse(nextAttemptAt))}`;
  showDetails({
    title: `Webhook delivery: ${status} after ${count}`,
    waits: isPending
      ? `Waits for **${next}**, since ${instant(Date.now())}.`
      : 'It has ended: no attempt follows by itself.',
    news: [
      [status === 'failed' ? 'Why it has ended' : 'Last answer', status === 'delivered' ? null : lastAnswer],
      ['Last pressed', pressed],
    ],
    facts: [
      ['Event', `\`${about.eventType}\``],
      ['Endpoint', `\`${about.endpointId}\`; its other deliveries: search for \`EndpointId="${about.endpointId}"\``],
      ['Test clock', about.testClockId === null ? null : linkTo(`test-clock/${about.testClockId}`)],
      ['Biller', `\`${about.billerId}\`, ${about.livemode ? 'live' : 'sandbox'}`],
      ['In the API', `\`GET /api/v1/webhook_deliveries/${deliveryId}\``],
    ],
    remedies: isPending
      ? [
          { button: 'retryNow', does: 'make the next attempt at once.' },
          { button: 'giveUp', does: 'end the delivery as failed; it can be retried later, by the API.' },
        ]
      : [],
  });
}

/** Upserts the constant attributes once, and the count of failed attempts after each failure. */
function upsertChanged({ status, attempts, about }: Progress): void {
  const known = workflowInfo().typedSearchAttributes;
  const failed = status === 'delivered' ? attempts - 1 : attempts;
  const changed: SearchAttributeUpdatePair[] = [];
  if (known.get(attributes.deliveryState) !== status) changed.push({ key: attributes.deliveryState, value: status });
  if ((known.get(attributes.failedAttempts) ?? 0) !== failed)
    changed.push({ key: attributes.failedAttempts, value: failed });
  if (known.get(attributes.billerId) === undefined) {
    changed.push(
      { key: attributes.billerId, value: about.billerId },
      { key: attributes.livemode, value: about.livemode },
      { key: attributes.eventType, value: about.eventType },
      { key: attributes.endpointId, value: about.endpointId },
    );
    if (about.testClockId !== null) changed.push({ key: attributes.testClockId, value: about.testClockId });
    upsertSearchAttributes(changed);
  } else if (changed.length > 0 && keepsStalledSearchable()) {
    upsertSearchAttributes(changed);
  }
}
