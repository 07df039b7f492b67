import { eventually } from '../../lab/eventually.ts';
import { makeActivePlan, makePayer, makePlan } from '../../lab/payer.ts';
import type { World } from './world.ts';

/**
 * Gives the live mode of a busy biller, which the load does not touch afterwards, what is possible without a processor:
 * customers with methods, payments that are not confirmed, a plan that is not activated.
 */
export async function furnishLiveMode(world: World): Promise<void> {
  const { client } = world.accounts.live;
  const { id: customer_id } = await client.customers.create({ name: 'Liv Emode' });
  await client.paymentMethods.create({
    type: 'au_becs_debit',
    customer_reference: customer_id,
    payment_method_data: { bsb_number: '062-000', account_name: 'Liv Emode', account_number: '12345678' },
  });
  const amount = world.nextAmount('payment');
  await client.paymentIntents.create({ amount, currency: 'AUD', customer_id });
  const recurring = world.nextAmount('plan');
  await makePlan(client, { customer_id, recurring_amount_cents: recurring, start_date: '2090-01-01' });
  for (const untouched of [amount, recurring]) {
    world.claims.push(() => [
      { amount: untouched, what: 'something in live mode', succeeded: [0, 0], attempts: [0, 0] },
    ]);
  }
}

/**
 * Gives the account that the load does not touch something of everything: on a clock and in real time, paid and
 * planned.
 */
export async function furnishBystander(world: World): Promise<void> {
  const { client } = world.accounts.bystander;
  const clock = await client.testClocks.create({ frozen_time: '2027-01-31T09:00:00Z' });
  for (const test_clock of [clock.id, null]) {
    const { customerId, methodId } = await makePayer(client, test_clock === null ? {} : { test_clock });
    const amount = world.nextAmount('plan');
    const id = await makeActivePlan(client, {
      customer_id: customerId,
      frequency_type: 'monthly',
      recurring_amount_cents: amount,
      start_date: test_clock === null ? '2090-01-01' : '2027-01-31',
    });
    const due = test_clock === null ? 0 : 1;
    const isCollected = async () => (await client.paymentPlans.get(id)).collected_amount_cents === due * amount;
    await eventually(`plan ${id} is collected`, isCollected, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 50 });
    world.claims.push(() => [
      { amount, what: `plan ${id} of the bystander`, succeeded: [due, due], attempts: [due, due] },
    ]);
    const single = world.nextAmount('payment');
    const intent = await client.paymentIntents.create({
      ...{ amount: single, currency: 'AUD', customer_id: customerId },
      metadata: { _sandbox_outcome: 'succeed' },
    });
    await client.paymentIntents.confirm(intent.id, { payment_method: methodId });
    world.claims.push(() => [
      { amount: single, what: 'a payment of the bystander', succeeded: [1, 1], attempts: [1, 1] },
    ]);
  }
}
