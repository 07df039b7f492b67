import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { initialStatus, linkTo, type OperatorPage } from './page.ts';

type BatchProgress = Awaited<ReturnType<WebhookActivities['sendWebhookBatch']>>;

/** Shows on its workflow's page what a batch has done. */
export function showBatch(page: OperatorPage, batch: BatchProgress): void {
  const { delivered, failed, handedOver, failures, endpoints } = batch;
  const elsewhere = failed + handedOver;
  page.show({
    title: `Webhook batch: ${delivered} delivered`,
    status: { ...initialStatus, state: 'done', waitsFor: null, since: Date.now() },
    news: failures.map(({ id, error }) => [linkTo(`webhook-delivery/${id}`), error] as const),
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
