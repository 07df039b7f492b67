import { createServer } from 'node:http';
import type { Event } from '../generated/models.ts';
import type { Made } from './made.ts';

/** Causes an event. Returns the id of the object in its data. */
export type Recipe = (made: Made) => Promise<string>;

/** Longer than the 15 months after which a mandate without a debit ends. */
const unusedDays = 480;

const paid: Recipe = async (made) => (await made.payment('succeed')).id;

async function refund(made: Made, outcome: string): Promise<string> {
  const id = await paid(made);
  return (await made.payments.refunds.create(id, { metadata: { _sandbox_refund_outcome: outcome } })).id;
}

async function activePlan(made: Made): Promise<string> {
  const { id } = await made.plan();
  await made.payments.paymentPlans.activate(id);
  return id;
}

async function newLink({ payments }: Made): Promise<string> {
  return (await payments.paymentLinks.create({ name: 'Trigger', amount: 2500, currency: 'AUD' })).id;
}

/** The events that can be triggered, by type. */
export const recipes: Readonly<Partial<Record<Event['event_type'], Recipe>>> = {
  'payment_intent.succeeded': paid,
  'payment_intent.failed': async (made) => (await made.payment('decline')).id,
  'payment_intent.canceled': async ({ payments }) => {
    const { id } = await payments.paymentIntents.create({ amount: 2500, currency: 'AUD' });
    return (await payments.paymentIntents.cancel(id)).id;
  },
  'payment_intent.requires_action': async (made) => (await made.payment('requires_action')).id,
  'payment_intent.processing': async (made) => (await made.debit()).id,
  'payment_intent.returned': async (made) => {
    const { id } = await made.debit();
    await made.payments.paymentIntents.reportBankResult(id, { result: 'settled' });
    return (await made.payments.paymentIntents.reportBankResult(id, { result: 'returned' })).id;
  },
  'mandate.created': async (made) => (await made.mandate(false)).id,
  'mandate.activated': async (made) => (await made.mandate(true)).id,
  'mandate.canceled': async (made) => (await made.payments.mandates.cancel((await made.mandate(true)).id)).id,
  'mandate.failed': async (made) => {
    const { id, mandate_id } = await made.debit();
    await made.payments.paymentIntents.reportBankResult(id, { result: 'dishonoured', bank_code: '1' });
    return mandate_id ?? '';
  },
  'mandate.expired': async (made) => {
    let clock = await made.clock();
    const { id } = await made.mandate(true, clock);
    const end = Date.parse(clock.frozen_time) + unusedDays * 86_400_000;
    while (clock.max_frozen_time !== null && Date.parse(clock.frozen_time) < end) {
      clock = await made.payments.testClocks.advanceAndWait(clock.id, { frozen_time: clock.max_frozen_time });
    }
    return id;
  },
  'payment_plan.activated': activePlan,
  'payment_plan.suspended': async (made) => (await made.payments.paymentPlans.suspend(await activePlan(made))).id,
  'payment_plan.deactivated': async (made) => (await made.payments.paymentPlans.deactivate(await activePlan(made))).id,
  'payment_plan.closed': async (made) => (await made.payments.paymentPlans.close(await activePlan(made))).id,
  'payment_link.created': newLink,
  'payment_link.deactivated': async (made) => (await made.payments.paymentLinks.deactivate(await newLink(made))).id,
  'refund.succeeded': (made) => refund(made, 'succeed'),
  'refund.failed': (made) => refund(made, 'fail'),
  'test_clock.created': async (made) => (await made.clock()).id,
  'test_clock.advancing': advancedClock,
  'test_clock.ready': advancedClock,
  'test_clock.deleted': async (made) => (await made.payments.testClocks.delete((await made.clock()).id)).id,
  'webhook_endpoint.ping': (made) => pingedEndpoint(made, 204),
  'webhook_endpoint.disabled': (made) => pingedEndpoint(made, 410),
};

async function advancedClock(made: Made): Promise<string> {
  const { id, frozen_time } = await made.clock();
  const hourLater = new Date(Date.parse(frozen_time) + 3_600_000).toISOString();
  return (await made.payments.testClocks.advanceAndWait(id, { frozen_time: hourLater })).id;
}

/**
 * Pings an endpoint on this machine that returns this status, and waits until it has. The service must reach this
 * machine, and 410 disables the endpoint.
 */
async function pingedEndpoint(made: Made, status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    const port = typeof address === 'object' ? address?.port : 0;
    const { id } = await made.endpoint(`http://127.0.0.1:${port}/`);
    const { id: delivery } = await made.payments.webhookEndpoints.ping(id);
    for (let waits = 0; waits < 100; waits += 1) {
      if ((await made.payments.webhookDeliveries.get(delivery)).attempts.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return id;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
