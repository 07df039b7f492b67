import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a subscription beside another capability', () => {
  const lived = useLives();

  lived('subscription + subscription: one is declined and ends, the other one goes on', async (life) => {
    const customer = await life.payer();
    const pool = await life.started({
      ...{ name: 'pool', customer_id: customer, frequency_type: 'weekly', unpaid_behaviour: 'cancel' },
      items: [{ name: 'Pool', unit_amount_cents: 500 }],
      metadata: { _sandbox_outcome_by_period: 'succeed;succeed;decline' },
    });
    const gym = await life.started({ name: 'gym', customer_id: customer });
    await life.to('2027-02-16');
    await life.does('subscriptions', gym, 'cancel');
    await life.to('2027-02-26');
    await life.does('subscriptions', gym, 'uncancel');
    await life.to('2027-04-02');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded pool 500',
      '2027-02-01 00:00 subscription.started pool active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed pool active in effect',
      '2027-02-01 00:00 payment_intent.succeeded gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-02-08 00:00 subscription.renewed pool active in effect',
      '2027-02-08 00:00 payment_intent.succeeded pool 500',
      '2027-02-15 00:00 subscription.renewed pool active in effect',
      '2027-02-15 00:00 payment_intent.failed pool 500 insufficient_funds again 2027-02-16 00:00',
      '2027-02-15 00:00 subscription.past_due pool past_due in effect',
      '2027-02-16 00:00 payment_intent.failed pool 500 insufficient_funds again 2027-02-18 00:00',
      '2027-02-16 00:00 subscription.cancel_scheduled gym active in effect',
      '2027-02-18 00:00 payment_intent.failed pool 500 insufficient_funds again 2027-02-20 00:00',
      '2027-02-20 00:00 payment_intent.failed pool 500 insufficient_funds',
      '2027-02-20 00:00 payment_intent.canceled pool 500',
      '2027-02-20 00:00 subscription.canceled pool canceled not in effect',
      '2027-02-20 00:00 subscription.in_effect_changed pool canceled not in effect',
      '2027-02-26 00:00 subscription.cancel_removed gym active in effect',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.succeeded gym 3000',
      '2027-04-01 00:00 subscription.renewed gym active in effect',
      '2027-04-01 00:00 payment_intent.succeeded gym 3000',
    ]);
    assert.deepEqual(await life.periods(pool), [
      '1 2027-02-01 2027-02-08 paid 500',
      '2 2027-02-08 2027-02-15 paid 500',
      '3 2027-02-15 2027-02-22 unpaid 500',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 3000',
      '3 2027-04-01 2027-05-01 paid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 10000 held 10000');
  });

  lived('subscription + scheduled: a renewal and a payment for its day are each charged once', async (life) => {
    const customer = await life.payer();
    const card = await life.card(customer);
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed' },
    });
    const terms = { customer_id: customer, payment_method: card, currency: 'AUD' as const };
    await life.intent('locker', { ...terms, amount: 700, scheduled_payment_date: '2027-03-01' });
    await life.intent('towel', { ...terms, amount: 300, scheduled_payment_date: '2027-03-02' });
    await life.to('2027-03-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-02 00:00',
      '2027-03-01 00:00 subscription.past_due gym past_due in effect',
      '2027-03-01 00:00 payment_intent.succeeded locker 700',
      '2027-03-02 00:00 payment_intent.succeeded gym 3000',
      '2027-03-02 00:00 subscription.recovered gym active in effect',
      '2027-03-02 00:00 payment_intent.succeeded towel 300',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 7000 held 7000');
  });

  lived('subscription + link: the card of a link pays an unpaid period, and the dates stay', async (life) => {
    const customer = await life.payer();
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer, grace_days: 2 },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,decline,decline,succeed;succeed' },
    });
    await life.to('2027-03-05');
    const apply_to = { subscription_id: gym };
    const link = await life.link({ name: 'link', mode: 'setup', customer_id: customer, apply_to });
    await life.to('2027-03-05T09:00:00Z');
    assert.equal(await life.opens(link), 'completed');
    await life.to('2027-04-05');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-02 00:00',
      '2027-03-01 00:00 subscription.past_due gym past_due in effect',
      '2027-03-02 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-04 00:00',
      '2027-03-03 00:00 subscription.in_effect_changed gym past_due not in effect',
      '2027-03-04 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-06 00:00',
      '2027-03-05 00:00 payment_link.created link 0',
      '2027-03-05 09:00 payment_link.completed link 0',
      '2027-03-05 09:00 checkout_session.completed sitting',
      '2027-03-05 09:00 payment_intent.succeeded gym 3000',
      '2027-03-05 09:00 subscription.recovered gym active in effect',
      '2027-03-05 09:00 subscription.in_effect_changed gym active in effect',
      '2027-04-01 00:00 subscription.renewed gym active in effect',
      '2027-04-01 00:00 payment_intent.succeeded gym 3000',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 3000',
      '3 2027-04-01 2027-05-01 paid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 9000 held 9000');
  });

  lived('subscription + session: a session starts it, and one of a later day resumes it', async (life) => {
    const customer = await life.payer();
    const gym = await life.subscription({
      ...{ name: 'gym', customer_id: customer, failure_behaviour: 'stop' },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline;succeed' },
    });
    const setup = {
      mode: 'setup',
      customer_id: customer,
      apply_to: { subscription_id: gym },
    } as const;
    const first = await life.session({ ...setup, name: 'first' });
    await life.to('2027-02-01T12:00:00Z');
    assert.equal(await life.visits(first), 'completed');
    await life.to('2027-03-10');
    const second = await life.session({ ...setup, name: 'second' });
    await life.to('2027-03-10T12:00:00Z');
    assert.equal(await life.visits(second), 'completed');
    await life.to('2027-04-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 12:00 checkout_session.completed first',
      '2027-02-01 12:00 payment_intent.succeeded gym 3000',
      '2027-02-01 12:00 subscription.started gym active in effect',
      '2027-02-01 12:00 subscription.in_effect_changed gym active in effect',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.failed gym 3000 insufficient_funds',
      '2027-03-01 00:00 subscription.paused gym paused not in effect',
      '2027-03-01 00:00 subscription.in_effect_changed gym paused not in effect',
      '2027-03-10 12:00 checkout_session.completed second',
      '2027-03-10 12:00 payment_intent.canceled gym 3000',
      '2027-03-10 12:00 subscription.resumed gym active not in effect',
      '2027-03-10 12:00 subscription.renewed gym active not in effect',
      '2027-03-10 12:00 payment_intent.succeeded gym 3000',
      '2027-03-10 12:00 subscription.in_effect_changed gym active in effect',
      '2027-04-10 00:00 subscription.renewed gym active in effect',
      '2027-04-10 00:00 payment_intent.succeeded gym 3000',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 void 3000',
      '3 2027-03-10 2027-04-10 paid 3000',
      '4 2027-04-10 2027-05-10 paid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 9000 held 9000');
  });
});
