import { type PaymentsClient, TestClockError } from '@payments-service/client';
import { eventually } from '../../lab/eventually.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { makeActivePlan, saveCard } from '../../lab/payer.ts';

/** What the pictures show, by id. */
export interface States {
  /** On a clock: its first payment has failed, and waits for its second retry. */
  retryingPlan: string;
  /** On the same clock: the card was declined for good. */
  suspendedPlan: string;
  clock: string;
  /** Of an endpoint that answers 500 to all it is sent. */
  endpoint: string;
  delivery: string;
}

/** Makes what the pictures show, by the API alone, as a biller of the sandbox would. */
export async function makeStates(api: PaymentsClient): Promise<States> {
  const receiver = await serveOnLoopback((_, response) => response.writeHead(500).end());
  try {
    const endpoint = await api.webhookEndpoints.create({
      url: `${receiver.url}/`,
      event_types: ['payment_plan.*', 'webhook_endpoint.ping'],
    });
    const clock = await api.testClocks.create({ frozen_time: '2027-01-04T09:00:00Z', name: 'Screenshots' });
    const customer = await api.customers.create({ name: 'Ada Lovelace', test_clock: clock.id });
    const retryingPlan = await activePlan(api, customer.id, 'decline');
    const suspendedPlan = await activePlan(api, customer.id, 'requires_action');
    const { id: delivery } = await api.webhookEndpoints.ping(endpoint.id);
    await api.testClocks.advanceAndWait(clock.id, { frozen_time: '2027-01-06T12:00:00Z' });
    const hasFailed = async () => (await api.webhookDeliveries.get(delivery)).attempts.length > 1;
    await eventually('the delivery has failed', hasFailed, { timeoutMs: 60_000 });
    return { retryingPlan, suspendedPlan, clock: clock.id, endpoint: endpoint.id, delivery };
  } catch (error) {
    if (error instanceof TestClockError)
      throw new Error('the clock has failed: see its failure_reason', { cause: error });
    throw error;
  } finally {
    await receiver.close();
  }
}

/** Takes away what `makeStates` has made: an account has three clocks. */
export async function removeStates(api: PaymentsClient, { clock, endpoint }: States): Promise<void> {
  await api.testClocks.delete(clock);
  await api.webhookEndpoints.delete(endpoint);
}

async function activePlan(api: PaymentsClient, customerId: string, outcome: string): Promise<string> {
  return makeActivePlan(api, {
    customer_id: customerId,
    recurring_amount_cents: 2500,
    start_date: '2027-01-05',
    payment_instrument_id: await saveCard(api, customerId),
    metadata: { _sandbox_outcome: outcome },
  });
}
