import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type PaymentsClient, TestClockError } from '@payments-service/client';

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

const lookAgainMs = 200;
const patienceMs = 60_000;

/** Makes what the pictures show, by the API alone, as a biller of the sandbox would. */
export async function makeStates(api: PaymentsClient): Promise<States> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = receiver.address() as AddressInfo;
    const endpoint = await api.webhookEndpoints.create({
      url: `http://127.0.0.1:${port}/`,
      event_types: ['payment_plan.*', 'webhook_endpoint.ping'],
    });
    const clock = await api.testClocks.create({ frozen_time: '2027-01-04T09:00:00Z', name: 'Screenshots' });
    const customer = await api.customers.create({ name: 'Ada Lovelace', test_clock: clock.id });
    const retryingPlan = await activePlan(api, customer.id, 'decline');
    const suspendedPlan = await activePlan(api, customer.id, 'requires_action');
    const { id: delivery } = await api.webhookEndpoints.ping(endpoint.id);
    await api.testClocks.advanceAndWait(clock.id, { frozen_time: '2027-01-06T12:00:00Z' });
    await until('the delivery has failed', async () => (await api.webhookDeliveries.get(delivery)).attempts.length > 1);
    return { retryingPlan, suspendedPlan, clock: clock.id, endpoint: endpoint.id, delivery };
  } catch (error) {
    if (error instanceof TestClockError)
      throw new Error('the clock has failed: see its failure_reason', { cause: error });
    throw error;
  } finally {
    receiver.close();
  }
}

/** Takes away what `makeStates` has made: an account has three clocks. */
export async function removeStates(api: PaymentsClient, { clock, endpoint }: States): Promise<void> {
  await api.testClocks.delete(clock);
  await api.webhookEndpoints.delete(endpoint);
}

async function activePlan(api: PaymentsClient, customerId: string, outcome: string): Promise<string> {
  const card = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
  const { payment_method: method } = await api.paymentMethods.create({
    type: 'card',
    customer_reference: customerId,
    payment_method_data: { expiry_month: 12, expiry_year: 2035, token_metadata: card },
  });
  const { id } = await api.paymentPlans.create({
    customer_id: customerId,
    name: 'Membership',
    frequency_type: 'weekly',
    recurring_amount_cents: 2500,
    until_further_notice: true,
    currency: 'AUD',
    start_date: '2027-01-05',
    payment_instrument_id: method.id,
    metadata: { _sandbox_outcome: outcome },
  });
  await api.paymentPlans.activate(id);
  return id;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${patienceMs / 1000} s: ${what}`);
    await pause(lookAgainMs);
  }
}
