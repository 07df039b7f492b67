import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

const halfPrice = [{ name: 'Membership', unit_amount_cents: 1500 }];

describe('an end or a pause of a subscription with a later period', () => {
  const lived = useLives();

  lived(
    'subscription + subscription: a pause to come lets a change be made before it, and ends on its day',
    async (life) => {
      const customer = await life.payer();
      const gym = await life.started({ name: 'gym', customer_id: customer });
      const pool = await life.started({ name: 'pool', customer_id: customer });
      await life.to('2027-02-10');
      await life.does('subscriptions', gym, 'pause', { from: '2027-04-01', resumes_at: '2027-04-20' });
      await life.does('subscriptions', gym, 'change', { items: halfPrice });
      await life.does('subscriptions', pool, 'cancel', { at: '2027-04-01' });
      await life.to('2027-05-25');
      assert.deepEqual(await life.story('2027-02-10'), [
        '2027-02-10 00:00 subscription.pause_scheduled gym active in effect',
        '2027-02-10 00:00 subscription.change_scheduled gym active in effect',
        '2027-02-10 00:00 subscription.cancel_scheduled pool active in effect',
        '2027-03-01 00:00 subscription.renewed gym active in effect',
        '2027-03-01 00:00 subscription.changed gym active in effect',
        '2027-03-01 00:00 payment_intent.succeeded gym 1500',
        '2027-03-01 00:00 subscription.renewed pool active in effect',
        '2027-03-01 00:00 payment_intent.succeeded pool 3000',
        '2027-04-01 00:00 subscription.paused gym paused not in effect',
        '2027-04-01 00:00 subscription.in_effect_changed gym paused not in effect',
        '2027-04-01 00:00 subscription.canceled pool canceled not in effect',
        '2027-04-01 00:00 subscription.in_effect_changed pool canceled not in effect',
        '2027-04-20 00:00 subscription.resumed gym active not in effect',
        '2027-04-20 00:00 subscription.renewed gym active not in effect',
        '2027-04-20 00:00 payment_intent.succeeded gym 1500',
        '2027-04-20 00:00 subscription.in_effect_changed gym active in effect',
        '2027-05-20 00:00 subscription.renewed gym active in effect',
        '2027-05-20 00:00 payment_intent.succeeded gym 1500',
      ]);
      assert.deepEqual(await life.periods(gym), [
        '1 2027-02-01 2027-03-01 paid 3000',
        '2 2027-03-01 2027-04-01 paid 1500',
        '3 2027-04-20 2027-05-20 paid 1500',
        '4 2027-05-20 2027-06-20 paid 1500',
      ]);
      assert.deepEqual(await life.periods(pool), [
        '1 2027-02-01 2027-03-01 paid 3000',
        '2 2027-03-01 2027-04-01 paid 3000',
      ]);
    },
  );

  lived(
    'subscription + mandate: the debits before a planned end are collected, and none is made at it',
    async (life) => {
      const { customer } = await life.debtor();
      const gym = await life.started({
        ...{ name: 'gym', customer_id: customer, effective_on: 'submitted', frequency_type: 'weekly' },
      });
      await life.to('2027-02-04');
      await life.does('subscriptions', gym, 'cancel', { at: '2027-02-15' });
      await life.to('2027-03-10');
      assert.deepEqual(await life.story('2027-02-04'), [
        '2027-02-04 00:00 subscription.cancel_scheduled gym active in effect',
        '2027-02-08 00:00 payment_intent.processing gym 3000',
        '2027-02-08 00:00 subscription.renewed gym active in effect',
        '2027-02-09 22:00 payment_intent.succeeded gym 3000',
        '2027-02-15 00:00 subscription.canceled gym canceled not in effect',
        '2027-02-15 00:00 subscription.in_effect_changed gym canceled not in effect',
      ]);
      assert.equal(await life.money(customer), 'charged 6000 held 6000');
    },
  );

  lived(
    'subscription + return: a debit that comes back before a pause to come is retried, and the pause stays',
    async (life) => {
      const { customer } = await life.debtor();
      const gym = await life.started({ name: 'gym', customer_id: customer, effective_on: 'submitted' });
      await life.to('2027-02-05');
      await life.does('subscriptions', gym, 'pause', { from: '2027-04-01', resumes_at: '2027-04-20' });
      const [first = ''] = await life.intentsOf(gym);
      await life.bank(first, 'returned');
      assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'pauses_at', 'resumes_at'), [
        'past_due',
        '2027-04-01',
        '2027-04-20',
      ]);
      await life.to('2027-03-15');
      assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'pauses_at', 'resumes_at'), [
        'active',
        '2027-04-01',
        '2027-04-20',
      ]);
      await life.to('2027-05-01');
      assert.deepEqual(await life.periods(gym), [
        '1 2027-02-01 2027-03-01 paid 3000',
        '2 2027-03-01 2027-04-01 paid 3000',
        '3 2027-04-20 2027-05-20 paid 3000',
      ]);
      assert.equal(await life.money(customer), 'charged 12000 returned 3000 held 9000');
    },
  );

  lived('subscription + link: the card of a link pays what is owed, and the planned end stays', async (life) => {
    const customer = await life.payer();
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,decline,succeed;succeed' },
    });
    await life.does('subscriptions', gym, 'cancel', { at: '2027-05-01' });
    await life.to('2027-03-03');
    const apply_to = { subscription_id: gym };
    const link = await life.link({ name: 'link', mode: 'setup', customer_id: customer, apply_to });
    await life.to('2027-03-03T09:00:00Z');
    assert.equal(await life.opens(link), 'completed');
    await life.to('2027-05-10');
    assert.deepEqual(await life.story('2027-03-03 09'), [
      '2027-03-03 09:00 payment_link.completed link 0',
      '2027-03-03 09:00 checkout_session.completed sitting',
      '2027-03-03 09:00 payment_intent.succeeded gym 3000',
      '2027-03-03 09:00 subscription.recovered gym active in effect',
      '2027-04-01 00:00 subscription.renewed gym active in effect',
      '2027-04-01 00:00 payment_intent.succeeded gym 3000',
      '2027-05-01 00:00 subscription.canceled gym canceled not in effect',
      '2027-05-01 00:00 subscription.in_effect_changed gym canceled not in effect',
    ]);
    assert.equal(await life.money(customer), 'charged 9000 held 9000');
  });

  lived('subscription + subscription: an end on the day on which a pause ends is the end', async (life) => {
    const customer = await life.payer();
    const gym = await life.started({ name: 'gym', customer_id: customer });
    await life.to('2027-02-10');
    await life.does('subscriptions', gym, 'pause', { from: '2027-03-01', resumes_at: '2027-04-01' });
    await life.does('subscriptions', gym, 'cancel', { at: '2027-04-01' });
    await life.to('2027-05-10');
    assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'state_reason', 'ends_at'), [
      'canceled',
      'ended',
      '2027-04-01',
    ]);
    assert.deepEqual(await life.periods(gym), ['1 2027-02-01 2027-03-01 paid 3000']);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
  });
});
