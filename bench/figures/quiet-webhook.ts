import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import type { Measurement } from '../bench.ts';
import { figure } from '../figure.ts';
import { startBenchReceiver } from '../receiver.ts';

/** Longer than anything that one event causes. */
const quietMs = 250;

/** One event while nothing else happens: how soon its receiver has it. */
export const quietWebhook: Measurement = {
  name: 'quiet-webhook',
  needs: 'copy',
  async measure({ client, sql, quick }) {
    const receiver = await startBenchReceiver();
    const endpoint = await client.webhookEndpoints.create({ url: `${receiver.url}/hooks` });
    const fromRequest: number[] = [];
    const fromResponse: number[] = [];
    const rounds = quick ? 10 : 100;
    try {
      for (let round = -5; round < rounds; round += 1) {
        const { id } = await client.paymentIntents.create({ amount: 2_000, currency: 'AUD' });
        await pause(quietMs);
        const sentAt = performance.now();
        await client.paymentIntents.cancel(id);
        const respondedAt = performance.now();
        const [event] = await sql<{ id: string }[]>`
          select id from events where subject_id = ${id} and event_type = 'payment_intent.canceled'`;
        const arrivedAt = await eventually('the event comes', () => receiver.arrivals.get(event?.id ?? ''), {
          everyMs: 5,
        });
        if (round < 0) continue; // the first ones meet cold code
        fromRequest.push(arrivedAt - sentAt);
        fromResponse.push(Math.max(0, arrivedAt - respondedAt));
      }
    } finally {
      await client.webhookEndpoints.delete(endpoint.id);
      await receiver.close();
    }
    return {
      name: 'quiet-webhook',
      title: 'One event at a quiet moment, to one endpoint whose receiver returns 200 at once',
      how: [
        `A payment is canceled, ${quietMs} ms after anything else. The commit lies between the request and its response, so the time from the commit to the arrival lies between the two figures.`,
      ],
      figures: [
        figure('quiet-webhook.from-request', 'from the request to the arrival', 'ms', fromRequest, {
          target: { atMost: 30 },
        }),
        figure('quiet-webhook.from-response', 'from its response to the arrival', 'ms', fromResponse),
      ],
    };
  },
};
