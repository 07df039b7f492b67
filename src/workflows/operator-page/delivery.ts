import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { attributes, deliveryAttributes } from '../../messages/search-attributes.ts';
import { initialStatus, linkTo, type OperatorPage } from './page.ts';

export type Progress = Extract<Awaited<ReturnType<WebhookActivities['attemptWebhookDelivery']>>, object>;

/** Shows a delivery's status, in the search attributes and on the workflow's page. */
export function showDelivery(
  page: OperatorPage,
  deliveryId: string,
  progress: Progress,
  lastCommand: string | null,
): void {
  const { status: state, attempts, lastAnswer, nextAttemptAt, goesTo, about } = progress;
  const isPending = state === 'pending';
  page.show({
    title: `Webhook delivery: ${state} after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`,
    status: {
      ...initialStatus,
      state,
      waitsFor: isPending ? `attempt ${attempts + 1}` : null,
      since: Date.now(),
      nextAt: nextAttemptAt === null ? null : Date.parse(nextAttemptAt),
      lastCommand,
    },
    news: [[nameOfAnswer(progress), state === 'delivered' ? null : lastAnswer]],
    facts: [
      ['Event', `\`${about.eventType}\``],
      ['Endpoint', `\`${about.endpointId}\`; its other deliveries: search for \`EndpointId="${about.endpointId}"\``],
      ['Goes to', `\`${goesTo}\` (the API shows the whole URL)`],
      ['Test clock', about.testClockId === null ? null : linkTo(`test-clock/${about.testClockId}`)],
      ['Biller', `\`${about.billerId}\`, ${about.livemode ? 'live' : 'sandbox'}`],
      ['In the API', `\`GET /api/v1/webhook_deliveries/${deliveryId}\``],
    ],
    remedies: isPending
      ? [
          { command: 'retryNow', does: 'make the next attempt at once.' },
          { command: 'giveUp', does: 'end the delivery as failed; it can be retried later, by the API.' },
        ]
      : [],
  });
  upsertChanged(progress);
}

function nameOfAnswer({ status, isTurnedAway }: Progress): string {
  if (isTurnedAway) return 'Why it waits';
  return status === 'failed' ? 'Why it has ended' : 'Last response';
}

/**
 * Upserts what has changed since the start: nothing if the first attempt succeeded. A run that was started without
 * attributes gets them now.
 */
function upsertChanged({ status, attempts, about }: Progress): void {
  const known = workflowInfo().typedSearchAttributes;
  const failed = status === 'delivered' ? attempts - 1 : attempts;
  const shown = known.get(attributes.deliveryState) ?? 'delivered';
  const changed: SearchAttributeUpdatePair[] = [];
  if (shown !== status) changed.push({ key: attributes.deliveryState, value: status });
  if ((known.get(attributes.failedAttempts) ?? 0) !== failed)
    changed.push({ key: attributes.failedAttempts, value: failed });
  if (known.get(attributes.billerId) === undefined) {
    upsertSearchAttributes([...changed, ...deliveryAttributes(about)]);
  } else if (changed.length > 0) {
    upsertSearchAttributes(changed);
  }
}
