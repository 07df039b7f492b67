import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { initialStatus, linkTo, type OperatorPage } from './page.ts';

export type BatchProgress = Awaited<ReturnType<WebhookActivities['sendWebhookBatch']>>;

/** How many failures the page lists. */
const listed = 10;

/** Shows on its workflow's page what a batch has done. */
export function showBatch(page: OperatorPage, progress: BatchProgress): void {
  const { delivered, failed, handedOver, failures, endpoints, needsActivity } = progress;
  const elsewhere = failed + handedOver;
  page.show({
    title: `Webhook batch: ${delivered} delivered`,
    status: {
      ...initialStatus,
      state: needsActivity ? 'sending' : 'done',
      waitsFor: needsActivity ? 'an activity: the workflow task has no room for its requests' : null,
      since: Date.now(),
    },
    news: failures.slice(0, listed).map(({ id, error }) => [linkTo(`webhook-delivery/${id}`), error] as const),
    facts: [
      ['Failed at the first attempt', failed === 0 ? null : String(failed)],
      [
        'Not sent here',
        handedOver === 0 ? null : `${handedOver}: a receiver takes long or fails, or they are not due yet`,
      ],
      ['Continue separately', elsewhere === 0 ? null : 'each in a workflow of its own, `webhook-delivery/…`'],
      ...endpoints.map(({ id, goesTo }) => ['Endpoint', `\`${id}\`, at \`${goesTo}\``] as const),
    ],
    remedies: [],
  });
}
