import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { initialStatus, linkTo, type OperatorPage } from './page.ts';

type BatchProgress = Awaited<ReturnType<WebhookActivities['sendWebhookBatch']>>;

/** How many failures the page lists. */
const listed = 10;

/** Shows on its workflow's page what a batch has done: in the workflow task, and in the activity if there was one. */
export function showBatch(page: OperatorPage, parts: readonly BatchProgress[]): void {
  const sumOf = (name: 'delivered' | 'failed' | 'handedOver') => parts.reduce((sum, part) => sum + part[name], 0);
  const [delivered, failed, handedOver] = [sumOf('delivered'), sumOf('failed'), sumOf('handedOver')];
  const elsewhere = failed + handedOver;
  const failures = parts.flatMap((part) => part.failures);
  const endpoints = new Map(parts.flatMap((part) => part.endpoints.map(({ id, goesTo }) => [id, goesTo] as const)));
  const isOver = parts.at(-1)?.needsActivity === false;
  page.show({
    title: `Webhook batch: ${delivered} delivered`,
    status: {
      ...initialStatus,
      state: isOver ? 'done' : 'sending',
      waitsFor: isOver ? null : 'an activity, which sends what the workflow task could not',
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
      ...[...endpoints].map(([id, goesTo]) => ['Endpoint', `\`${id}\`, at \`${goesTo}\``] as const),
    ],
    remedies: [],
  });
}
