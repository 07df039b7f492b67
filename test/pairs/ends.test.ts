import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('the end of a subject and its payments', () => {
  const lived = useLives();

  lived('subscription + mandate: a cancel at once withdraws the debit of a retry', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer, effective_on: 'submitted' },
      metadata: { _sandbox_bank_outcome: 'dishonoured,settled' },
    });
    await life.to('2027-02-04T01:00:00Z');
    const [intent = ''] = await life.intentsOf(gym);
    assert.deepEqual(await life.shows('payment_intents', intent, 'status'), ['processing']);
    await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    await life.to('2027-03-15');
    assert.deepEqual(await life.story('2027-02-03'), [
      '2027-02-03 22:00 payment_intent.processing gym 3000',
      '2027-02-04 01:00 payment_intent.failed gym 3000 debit_withdrawn',
      '2027-02-04 01:00 payment_intent.canceled gym 3000',
      '2027-02-04 01:00 subscription.canceled gym canceled not in effect',
    ]);
    assert.deepEqual(await life.periods(gym), ['1 2027-02-01 2027-03-01 unpaid 3000']);
    assert.equal(await life.money(customer), 'charged 0 held 0');
  });

  lived('subscription + mandate: a cancel at once withdraws the first debit, from pending too', async (life) => {
    const { customer } = await life.debtor();
    const terms = { customer_id: customer };
    const gym = await life.started({ name: 'gym', ...terms });
    const pool = await life.started({ name: 'pool', ...terms, effective_on: 'submitted' });
    assert.deepEqual(await life.shows('subscriptions', gym, 'state'), ['pending']);
    await life.does('subscriptions', gym, 'cancel');
    await life.does('subscriptions', pool, 'cancel', { at: 'now' });
    await life.to('2027-03-15');
    assert.deepEqual((await life.story()).slice(2), [
      '2027-02-01 00:00 payment_intent.processing gym 3000',
      '2027-02-01 00:00 payment_intent.processing pool 3000',
      '2027-02-01 00:00 subscription.started pool active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed pool active in effect',
      '2027-02-01 00:00 payment_intent.failed gym 3000 debit_withdrawn',
      '2027-02-01 00:00 payment_intent.canceled gym 3000',
      '2027-02-01 00:00 subscription.canceled gym canceled not in effect',
      '2027-02-01 00:00 payment_intent.failed pool 3000 debit_withdrawn',
      '2027-02-01 00:00 payment_intent.canceled pool 3000',
      '2027-02-01 00:00 subscription.canceled pool canceled not in effect',
      '2027-02-01 00:00 subscription.in_effect_changed pool canceled not in effect',
    ]);
    assert.deepEqual(await life.periods(gym), ['1 2027-02-01 2027-03-01 void 3000']);
    assert.deepEqual(await life.periods(pool), ['1 2027-02-01 2027-03-01 unpaid 3000']);
    assert.equal(await life.money(customer), 'charged 0 held 0');
  });

  lived('subscription + mandate: what the bank has is collected after a cancel at once', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({ name: 'gym', customer_id: customer, effective_on: 'submitted' });
    await life.to('2027-02-01T06:00:00Z');
    await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    await life.to('2027-03-15');
    assert.deepEqual(
      (await life.story('2027-02-01 06')).map((line) => line.slice(11)),
      [
        '06:00 subscription.canceled gym canceled not in effect',
        '06:00 subscription.in_effect_changed gym canceled not in effect',
        '22:00 payment_intent.succeeded gym 3000',
      ],
    );
    assert.deepEqual(await life.periods(gym), ['1 2027-02-01 2027-03-01 paid 3000']);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
  });

  lived('subscription + deletion: the debit that the bank does not have is withdrawn', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({ name: 'gym', customer_id: customer, frequency_type: 'weekly' });
    await life.to('2027-02-08T03:00:00Z');
    await life.deletes(customer);
    await life.to('2027-03-15');
    assert.deepEqual(await life.story('2027-02-08'), [
      '2027-02-08 00:00 payment_intent.processing gym 3000',
      '2027-02-08 00:00 subscription.renewed gym active in effect',
      '2027-02-08 03:00 payment_intent.failed gym 3000 debit_withdrawn',
      '2027-02-08 03:00 payment_intent.canceled gym 3000',
      '2027-02-08 03:00 subscription.canceled gym canceled not in effect',
      '2027-02-08 03:00 subscription.in_effect_changed gym canceled not in effect',
      '2027-02-08 03:00 mandate.canceled mandate customer_deleted',
    ]);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-02-08 paid 3000',
      '2 2027-02-08 2027-02-15 unpaid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
  });
});
