import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { type Fact, initialStatus, linkTo, type OperatorPage } from './page.ts';

export type BatchProgress = Awaited<ReturnType<WebhookActivities['sendWebhookBatch']>>;

/** The status of a batch: how many deliveries it carries, and what has become of them. */
export type BatchStatus = { all: number } & Pick<BatchProgress, 'taken' | 'delivered' | 'failed' | 'handedOver'> &
  Pick<BatchProgress, 'failures'> &
  Partial<Pick<BatchProgress, 'goesTo' | 'about' | 'endpoints'>>;

/** How many failures the page lists. */
const listed = 10;

/** Shows a batch on its workflow's page. */
export function showBatch(page: OperatorPage, status: BatchStatus): void {
  const { all, taken, delivered, failed, handedOver, failures, goesTo, about, endpoints } = status;
  const isOver = taken >= all;
  const elsewhere = failed + handedOver;
  page.show({
    title: `Webhook batch: ${delivered} of ${all} delivered${isOver ? '' : `, ${all - taken} to go`}`,
    status: {
      ...initialStatus,
      state: isOver ? 'done' : 'sending',
      waitsFor: isOver ? null : `the first attempts of ${all - taken} deliveries`,
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
      ...(endpoints?.map(({ id, goesTo: origin }): Fact => ['Endpoint', `\`${id}\`, at \`${origin}\``]) ?? [
        [
          'Endpoint',
          about ? `\`${about.endpointId}\`; its deliveries: search for \`EndpointId="${about.endpointId}"\`` : null,
        ] as const,
        ['Goes to', goesTo ? `\`${goesTo}\` (the API shows the whole URL)` : null] as const,
      ]),
      ['Biller', about ? `\`${about.billerId}\`, ${about.livemode ? 'live' : 'sandbox'}` : null],
    ],
    remedies: [],
  });
}
