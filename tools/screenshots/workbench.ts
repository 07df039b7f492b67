import type { PaymentsClient } from '@payments-service/client';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { makeActivePlan, makeDebtor, saveCard } from '../../lab/payer.ts';

/** What the pictures of the workbench show, by id. */
export interface WorkbenchStates {
  clock: string;
  endpoint: string;
  /** A payment that was collected, whose webhook was delivered at the second try. */
  event: string;
}

/** Puts a card's plan, a subscription, a link and a plan of bank debits on a clock, and moves it by three weeks. */
export async function makeWorkbench(api: PaymentsClient): Promise<WorkbenchStates> {
  const seen = new Set<string>();
  const receiver = await serveOnLoopback((request, response) => {
    const id = String(request.headers['webhook-id']);
    response.writeHead(seen.has(id) ? 204 : 503).end(seen.has(id) ? '' : 'down for a moment');
    seen.add(id);
  });
  try {
    const { id: endpoint } = await api.webhookEndpoints.create({
      url: `${receiver.url}/webhooks`,
      event_types: ['payment_intent.*', 'subscription.*'],
    });
    const { id: clock } = await api.testClocks.create({ frozen_time: '2028-01-31T00:00:00Z', name: 'Renewals' });
    const ada = await api.customers.create({ name: 'Ada Lovelace', test_clock: clock });
    await makeActivePlan(api, {
      customer_id: ada.id,
      name: 'Gym',
      recurring_amount_cents: 2500,
      start_date: '2028-02-02',
      payment_instrument_id: await saveCard(api, ada.id),
      metadata: { _sandbox_outcome: 'decline,succeed' },
    });
    const subscription = await api.subscriptions.create({
      customer_id: ada.id,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'weekly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    await api.subscriptions.start(subscription.id);
    const jo = await makeDebtor(api, { name: 'Jo Nguyen', test_clock: clock });
    await makeActivePlan(api, {
      customer_id: jo.customerId,
      name: 'Swimming',
      recurring_amount_cents: 1800,
      start_date: '2028-02-03',
      metadata: { _sandbox_bank_outcome: 'settled' },
    });
    await api.paymentLinks.create({
      name: 'Invoice 7',
      amount: 4200,
      currency: 'AUD',
      customer_id: jo.customerId,
      expires_at: '2028-02-25T00:00:00Z',
    });
    for (const time of ['2028-02-12T00:00:00Z', '2028-02-21T00:00:00Z']) {
      await api.testClocks.advanceAndWait(clock, { frozen_time: time });
    }
    const { data } = await api.events.list({ event_type: 'payment_intent.succeeded', test_clock: clock, limit: 1 });
    await delivered(api, clock);
    return { clock, endpoint, event: data[0]?.id ?? '' };
  } finally {
    await receiver.close();
  }
}

/** The second try of a webhook comes after some seconds. */
async function delivered(api: PaymentsClient, clock: string): Promise<void> {
  for (let times = 0; times < 120; times++) {
    const { pending } = (await api.testClocks.get(clock)).webhook_deliveries;
    if (pending === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('The webhooks of the workbench were not delivered within a minute.');
}

export async function removeWorkbench(api: PaymentsClient, { clock, endpoint }: WorkbenchStates): Promise<void> {
  await api.testClocks.delete(clock);
  await api.webhookEndpoints.delete(endpoint);
}
