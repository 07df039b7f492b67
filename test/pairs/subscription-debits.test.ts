import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a subscription and the ways of its money', () => {
  const lived = useLives();

  lived('subscription + mandate: a renewal without one fails, and a new account resumes it', async (life) => {
    const { customer, mandate } = await life.debtor();
    const gym = await life.started({ name: 'gym', customer_id: customer, effective_on: 'submitted' });
    await life.to('2027-02-20');
    await life.tells(`/test_helpers/mandates/${mandate}/payer_cancels`);
    await life.to('2027-03-10');
    const { account } = await life.account(customer, 'second');
    await life.ask('PUT', `/subscriptions/${gym}`, { payment_instrument_id: account });
    await life.does('subscriptions', gym, 'resume');
    await life.to('2027-05-01');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-02-02 22:00 payment_intent.succeeded gym 3000',
      '2027-02-20 00:00 mandate.canceled mandate payer_canceled',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.failed gym 3000 mandate_unavailable',
      '2027-03-01 00:00 subscription.past_due gym past_due in effect',
      '2027-03-06 00:00 subscription.paused gym paused not in effect',
      '2027-03-06 00:00 subscription.in_effect_changed gym paused not in effect',
      '2027-03-10 00:00 mandate.created second',
      '2027-03-10 00:00 mandate.activated second',
      '2027-03-10 00:00 payment_intent.processing gym 3000',
      '2027-03-11 22:00 payment_intent.succeeded gym 3000',
      '2027-03-11 22:00 subscription.recovered gym active in effect',
      '2027-03-11 22:00 subscription.in_effect_changed gym active in effect',
      '2027-04-01 00:00 payment_intent.processing gym 3000',
      '2027-04-01 00:00 subscription.renewed gym active in effect',
      '2027-04-04 23:00 payment_intent.succeeded gym 3000',
      '2027-05-01 00:00 payment_intent.processing gym 3000',
      '2027-05-01 00:00 subscription.renewed gym active in effect',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 3000',
      '3 2027-04-01 2027-05-01 paid 3000',
      '4 2027-05-01 2027-06-01 processing 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 9000 held 9000');
  });

  lived('subscription + refund: credit pays the next periods, and what is left of it is given back', async (life) => {
    const customer = await life.payer();
    const gym = await life.started({ name: 'gym', customer_id: customer });
    await life.to('2027-02-15');
    const items = [{ name: 'Membership', unit_amount_cents: 600 }];
    await life.does('subscriptions', gym, 'change', { items, when: 'now' });
    await life.to('2027-03-02');
    assert.deepEqual(await life.shows('subscriptions', gym, 'credit_balance_cents'), [600]);
    const refund = await life.does('subscriptions', gym, 'refund_credit', { amount_cents: 500 });
    assert.deepEqual([refund.status, refund.amount], ['succeeded', 500]);
    await life.to('2027-05-02');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-02-15 00:00 subscription.changed gym active in effect',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-02 00:00 refund.succeeded',
      '2027-04-01 00:00 subscription.renewed gym active in effect',
      '2027-04-01 00:00 payment_intent.succeeded gym 500',
      '2027-05-01 00:00 subscription.renewed gym active in effect',
      '2027-05-01 00:00 payment_intent.succeeded gym 600',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 0',
      '3 2027-04-01 2027-05-01 paid 500',
      '4 2027-05-01 2027-06-01 paid 600',
    ]);
    assert.equal(await life.money(customer), 'charged 4100 refunded 500 held 3600');
  });

  lived('subscription + return: a period that comes back is paid before the next begins', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer, frequency_type: 'weekly' },
      metadata: { _sandbox_bank_outcome: 'late_dishonour,settled' },
    });
    await life.to('2027-02-17T12:00:00Z');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing gym 3000',
      '2027-02-02 22:00 payment_intent.succeeded gym 3000',
      '2027-02-02 22:00 subscription.started gym active in effect',
      '2027-02-02 22:00 subscription.in_effect_changed gym active in effect',
      '2027-02-07 22:00 payment_intent.returned gym 3000 insufficient_funds again 2027-02-08 22:00',
      '2027-02-07 22:00 subscription.past_due gym past_due not in effect',
      '2027-02-07 22:00 subscription.in_effect_changed gym past_due not in effect',
      '2027-02-08 22:00 payment_intent.processing gym 3000',
      '2027-02-10 22:00 payment_intent.succeeded gym 3000',
      // One debt at most: the second period was to begin on 8 February. The first, which is paid now, is over.
      '2027-02-10 22:00 subscription.recovered gym active not in effect',
      '2027-02-10 22:00 payment_intent.processing gym 3000',
      '2027-02-10 22:00 subscription.renewed gym active not in effect',
      '2027-02-10 22:00 subscription.in_effect_changed gym active in effect',
      '2027-02-14 22:00 payment_intent.succeeded gym 3000',
      '2027-02-15 00:00 payment_intent.processing gym 3000',
      '2027-02-15 00:00 subscription.renewed gym active in effect',
      '2027-02-16 22:00 payment_intent.succeeded gym 3000',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-02-08 paid 3000',
      '2 2027-02-08 2027-02-15 paid 3000',
      '3 2027-02-15 2027-02-22 paid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 12000 returned 3000 held 9000');
  });

  lived('subscription + deletion: its retries end with its customer', async (life) => {
    const customer = await life.payer();
    await life.started({
      ...{ name: 'gym', customer_id: customer },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline' },
    });
    const debtor = await life.debtor();
    await life.started({
      ...{ name: 'pool', customer_id: debtor.customer, frequency_type: 'weekly' },
      metadata: { _sandbox_bank_outcome: 'settled' },
    });
    await life.to('2027-03-02T12:00:00Z');
    await life.deletes(customer);
    await life.deletes(debtor.customer);
    await life.to('2027-04-10');
    assert.deepEqual(await life.story('2027-02-20'), [
      '2027-02-22 00:00 payment_intent.processing pool 3000',
      '2027-02-22 00:00 subscription.renewed pool active in effect',
      '2027-02-23 22:00 payment_intent.succeeded pool 3000',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-02 00:00',
      '2027-03-01 00:00 subscription.past_due gym past_due in effect',
      '2027-03-01 00:00 payment_intent.processing pool 3000',
      '2027-03-01 00:00 subscription.renewed pool active in effect',
      '2027-03-02 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-04 00:00',
      '2027-03-02 12:00 payment_intent.canceled gym 3000',
      '2027-03-02 12:00 subscription.canceled gym canceled not in effect',
      '2027-03-02 12:00 subscription.in_effect_changed gym canceled not in effect',
      '2027-03-02 12:00 subscription.canceled pool canceled not in effect',
      '2027-03-02 12:00 subscription.in_effect_changed pool canceled not in effect',
      '2027-03-02 12:00 mandate.canceled mandate customer_deleted',
      '2027-03-02 22:00 payment_intent.succeeded pool 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
    assert.equal(await life.money(debtor.customer), 'charged 15000 held 15000');
  });
});
