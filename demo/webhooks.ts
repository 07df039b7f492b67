import { isDeepStrictEqual } from 'node:util';
import type { Event, PaymentsClient, WebhookDelivery, WebhookEvent } from '@payments-service/client';
import { becomesTrue } from '../lab/eventually.ts';
import { planOf } from './checks.ts';
import { arrivedEvents, type Scene } from './scene.ts';

const deliveredTimeoutMs = 10_000;
const pollMs = 50;

/** Compares the webhooks as a whole with the API's own list of events and deliveries. */
export async function checkWebhooks(scene: Scene): Promise<void> {
  const { payments, checks, receiver, clockId } = scene;
  checks.equal('webhooks with a wrong signature', receiver.refused, []);
  const arrived = arrivedEvents(scene);
  const listed = await eventsSince(payments, arrived[0]?.sequence ?? Number.POSITIVE_INFINITY);
  checkSequence(scene, listed);
  for (const event of listed.filter(({ test_clock: clock }) => clock === clockId)) {
    const copies = receiver.arrivals.filter(({ event: { id } }) => id === event.id);
    const what = `webhooks of ${event.event_type} ${event.id}`;
    checks.equal(what, copies.length, 1);
    checks.equal(`${what}, the body is the event`, isDeepStrictEqual(copies[0]?.event, event), true);
  }
  checkWindows(scene, arrived);
  await checkDeliveries(scene, arrived);
}

/** The events of every clock and none, with this sequence number and later ones: the newest come first. */
async function eventsSince(payments: PaymentsClient, sequence: number): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of payments.events.list({ limit: 100 })) {
    if (event.sequence < sequence) break;
    events.push(event);
  }
  return events;
}

/** Events of others may lie between those of the demo's clock; still no number is missing. */
function checkSequence({ checks }: Scene, listed: Event[]): void {
  const sequences = listed.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const first = sequences[0] ?? 0;
  const displaced = sequences.filter((sequence, index) => sequence !== first + index);
  checks.equal('sequence numbers of the biller’s events, after a gap or a repetition', displaced, []);
}

/**
 * What an advance did was recorded between its `advancing` and its `ready`, and happened after `from` and up to `to`.
 */
function checkWindows({ checks }: Scene, events: WebhookEvent[]): void {
  let [from, to] = ['', ''];
  for (const event of events) {
    const { event_type: type, created_at: at, sequence } = event;
    if (event.event_type === 'test_clock.advancing') [from, to] = [at, event.data.target_time];
    else if (type.startsWith('test_clock.')) [from, to] = ['', at];
    if (planOf(event) === null) continue;
    const isInside = from === '' ? at === to : at > from && at <= to;
    checks.equal(`${type} of ${at}, sequence ${sequence}, in its place between the clock's events`, isInside, true);
  }
}

/** The service may still be recording that the last ones were delivered. */
async function checkDeliveries({ payments, checks, endpointId }: Scene, events: WebhookEvent[]): Promise<void> {
  const ids = new Set(events.map(({ id }) => id));
  let deliveries: WebhookDelivery[] = [];
  const areRecorded = async () => {
    const all = await payments.webhookEndpoints.listDeliveries(endpointId ?? '', { limit: 100 }).toArray();
    deliveries = all.filter(({ event_id: id }) => ids.has(id));
    return deliveries.every(({ status }) => status !== 'pending');
  };
  await becomesTrue(areRecorded, { timeoutMs: deliveredTimeoutMs, everyMs: pollMs });
  checks.equal('deliveries', deliveries.length, events.length);
  for (const { event_type: type, id, status, attempts } of deliveries) {
    const tries = attempts.map(({ status_code }) => status_code);
    checks.members(`delivery ${id} of ${type}`, { status, tries }, { status: 'delivered', tries: [204] });
  }
}
