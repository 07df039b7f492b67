import { setTimeout as pause } from 'node:timers/promises';
import { textIn } from './client.ts';
import { saveCard, type World } from './world.ts';

/**
 * Gives the live mode of a busy biller, which nobody touches afterwards, what can be had without a processor: customers with
 * methods, payments that nobody confirms, a plan that nobody activates.
 */
export async function furnishLiveMode(world: World): Promise<void> {
  const { client } = world.accounts.live;
  const customerId = textIn(await client.post('/customers', { body: { name: 'Liv Emode' } }), 'id');
  const data = { bsb_number: '062-000', account_name: 'Liv Emode', account_number: '12345678' };
  await client.post('/payment_methods', {
    body: { type: 'au_becs_debit', customer_reference: customerId, payment_method_data: data },
  });
  const amount = world.nextAmount('payment');
  await client.post('/payment_intents', { body: { amount, currency: 'AUD', customer_id: customerId } });
  const recurring = world.nextAmount('plan');
  await client.post('/payment_plans', {
    body: {
      customer_id: customerId,
      name: 'pending, in live mode',
      frequency_type: 'weekly',
      recurring_amount_cents: recurring,
      until_further_notice: true,
      currency: 'AUD',
      start_date: '2090-01-01',
    },
  });
  for (const untouched of [amount, recurring]) {
    world.claims.push(() => [
      { amount: untouched, what: 'something in live mode', succeeded: [0, 0], attempts: [0, 0] },
    ]);
  }
}

/** Gives the account that nobody touches afterwards something of everything: on a clock, beside it, paid and planned. */
export async function furnishBystander(world: World): Promise<void> {
  const { client } = world.accounts.bystander;
  const clock = await client.post('/test_helpers/test_clocks', { body: { frozen_time: '2027-01-31T09:00:00Z' } });
  const clockId = textIn(clock, 'id');
  for (const placed of [{ test_clock: clockId }, {}]) {
    const customerId = textIn(await client.post('/customers', { body: { name: 'Bea Stander', ...placed } }), 'id');
    const methodId = await saveCard(client, customerId);
    const amount = world.nextAmount('plan');
    const isOnClock = 'test_clock' in placed;
    const plan = await client.post('/payment_plans', {
      body: {
        customer_id: customerId,
        name: 'of a bystander',
        frequency_type: 'monthly',
        recurring_amount_cents: amount,
        until_further_notice: true,
        currency: 'AUD',
        start_date: isOnClock ? '2027-01-31' : '2090-01-01',
      },
    });
    const id = textIn(plan, 'id');
    await client.post(`/payment_plans/${id}/activate`);
    const due = isOnClock ? 1 : 0;
    while (isOnClock && (await client.get(`/payment_plans/${id}`)).collected_amount_cents !== amount) await pause(50);
    world.claims.push(() => [
      { amount, what: `plan ${id} of the bystander`, succeeded: [due, due], attempts: [due, due] },
    ]);
    const single = world.nextAmount('payment');
    const intent = await client.post('/payment_intents', {
      body: { amount: single, currency: 'AUD', customer_id: customerId, metadata: { _sandbox_outcome: 'succeed' } },
    });
    await client.post(`/payment_intents/${textIn(intent, 'id')}/confirm`, { body: { payment_method: methodId } });
    world.claims.push(() => [
      { amount: single, what: 'a payment of the bystander', succeeded: [1, 1], attempts: [1, 1] },
    ]);
  }
}
