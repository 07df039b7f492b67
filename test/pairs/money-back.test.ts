import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('money that goes back', () => {
  const lived = useLives();

  lived('refund + refund: parts are given back until nothing is left', async (life) => {
    const customer = await life.payer();
    const order = await life.intent('order', { customer_id: customer, amount: 2000 });
    await life.confirms(order, await life.card(customer));
    await life.refunds(order, 700);
    await life.to('2027-02-05');
    await life.refunds(order, 1300);
    await life.to('2027-02-10');
    const more = await life.request('POST', `/payment_intents/${order}/refunds`, {});
    assert.equal(`${more.status} ${more.body.error.code}`, '422 invalid_state');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded order 2000',
      '2027-02-01 00:00 refund.succeeded refund 700',
      '2027-02-05 00:00 refund.succeeded refund 1300',
    ]);
    assert.deepEqual(await life.shows('payment_intents', order, 'status', 'total_refunded_amount'), [
      'succeeded',
      2000,
    ]);
    assert.equal(await life.money(customer), 'charged 2000 refunded 2000 held 0');
  });

  lived('refund + return: a debit comes back whole, and the payer has what was refunded twice', async (life) => {
    const { customer, account } = await life.debtor();
    const metadata = { _sandbox_bank_outcome: 'late_dishonour' };
    const order = await life.intent('order', { customer_id: customer, amount: 2000, metadata });
    await life.confirms(order, account);
    await life.to('2027-02-05');
    await life.refunds(order, 600);
    await life.to('2027-02-20');
    const more = await life.request('POST', `/payment_intents/${order}/refunds`, {});
    assert.equal(`${more.status} ${more.body.error.code}`, '422 invalid_state');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing order 2000',
      '2027-02-02 22:00 payment_intent.succeeded order 2000',
      '2027-02-05 00:00 refund.succeeded refund 600',
      '2027-02-07 22:00 payment_intent.returned order 2000 insufficient_funds',
    ]);
    const fields = ['status', 'total_refunded_amount', 'total_returned_amount'];
    assert.deepEqual(await life.shows('payment_intents', order, ...fields), ['returned', 600, 2000]);
    assert.equal(await life.money(customer), 'charged 2000 returned 2000 refunded 600 held -600');
  });

  lived('subscription + refund: a refund uses the credit of its payment, the rest is paid by two', async (life) => {
    const customer = await life.payer();
    const gym = await life.started({ name: 'gym', customer_id: customer });
    const [first] = await life.shows('subscriptions', gym, 'latest_payment_intent_id');
    await life.to('2027-02-15');
    const change = (amount: number, more: object = {}) =>
      life.does('subscriptions', gym, 'change', {
        items: [{ name: 'Membership', unit_amount_cents: amount }],
        when: 'now',
        ...more,
      });
    await change(3200, { collect: 'now' });
    await change(200);
    const shown = () => life.shows('subscriptions', gym, 'credit_balance_cents', 'refundable_credit_cents');
    assert.deepEqual(await shown(), [1500, 1500]);
    await life.refunds(String(first), 400);
    assert.deepEqual(await shown(), [1100, 1100]);
    await life.to('2027-03-02');
    assert.deepEqual(await shown(), [900, 900]);
    await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    const { amount, refunds } = await life.does('subscriptions', gym, 'refund_credit');
    assert.deepEqual([amount, refunds.map((one: { amount: number }) => one.amount)], [100, [100, 800]]);
    await life.to('2027-04-02');
    assert.deepEqual(await shown(), [0, 0]);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-02-15 00:00 payment_intent.succeeded gym 100',
      '2027-02-15 00:00 subscription.changed gym active in effect',
      '2027-02-15 00:00 subscription.changed gym active in effect',
      '2027-02-15 00:00 refund.succeeded refund 400',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-02 00:00 subscription.canceled gym canceled not in effect',
      '2027-03-02 00:00 subscription.in_effect_changed gym canceled not in effect',
      '2027-03-02 00:00 refund.succeeded',
      '2027-03-02 00:00 refund.succeeded',
    ]);
    assert.equal(await life.money(customer), 'charged 3100 refunded 1300 held 1800');
  });

  lived('refund + deletion: a payment is given back after its customer was deleted', async (life) => {
    const customer = await life.payer();
    const order = await life.intent('order', { customer_id: customer, amount: 2000 });
    await life.confirms(order, await life.card(customer));
    await life.to('2027-02-05');
    await life.deletes(customer);
    await life.to('2027-02-06');
    await life.refunds(order, 2000);
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded order 2000',
      '2027-02-06 00:00 refund.succeeded refund 2000',
    ]);
    assert.equal(await life.money(customer), 'charged 2000 refunded 2000 held 0');
  });

  lived('return + return: each return begins the retries of a slot anew, until the bank keeps it', async (life) => {
    const { customer } = await life.debtor();
    const plan = await life.plan({
      ...{ name: 'plan', customer_id: customer, frequency_type: 'monthly' },
      metadata: { _sandbox_bank_outcome: 'dishonoured,late_dishonour,dishonoured,late_dishonour,settled' },
    });
    await life.to('2027-02-28T23:00:00Z');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-01 00:00 payment_intent.processing plan 1000',
      '2027-02-02 22:00 payment_intent.failed plan 1000 insufficient_funds again 2027-02-03 22:00',
      '2027-02-03 22:00 payment_intent.processing plan 1000',
      '2027-02-07 22:00 payment_intent.succeeded plan 1000',
      '2027-02-10 22:00 payment_intent.returned plan 1000 insufficient_funds again 2027-02-11 22:00',
      '2027-02-11 22:00 payment_intent.processing plan 1000',
      '2027-02-15 22:00 payment_intent.failed plan 1000 insufficient_funds again 2027-02-16 22:00',
      '2027-02-16 22:00 payment_intent.processing plan 1000',
      '2027-02-18 22:00 payment_intent.succeeded plan 1000',
      '2027-02-23 22:00 payment_intent.returned plan 1000 insufficient_funds again 2027-02-24 22:00',
      '2027-02-24 22:00 payment_intent.processing plan 1000',
      '2027-02-28 22:00 payment_intent.succeeded plan 1000',
    ]);
    assert.deepEqual(await life.slots(plan), ['0 2027-02-01 paid failed,returned,failed,returned,succeeded']);
    const fields = ['state', 'state_reason', 'collected_amount_cents', 'next_payment_date'];
    assert.deepEqual(await life.shows('payment_plans', plan, ...fields), ['active', null, 1000, '2027-03-01']);
    assert.equal(await life.money(customer), 'charged 3000 returned 2000 held 1000');
  });

  lived('return + deletion: a debit that comes back after the deletion is not tried again', async (life) => {
    const { customer } = await life.debtor();
    const plan = await life.plan({
      ...{ name: 'plan', customer_id: customer, frequency_type: 'monthly' },
      metadata: { _sandbox_bank_outcome: 'late_dishonour,settled' },
    });
    await life.to('2027-02-05');
    await life.deletes(customer);
    await life.to('2027-03-15');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-01 00:00 payment_intent.processing plan 1000',
      '2027-02-02 22:00 payment_intent.succeeded plan 1000',
      '2027-02-05 00:00 payment_plan.closed plan customer_deleted 1000',
      '2027-02-05 00:00 mandate.canceled mandate customer_deleted',
      '2027-02-07 22:00 payment_intent.returned plan 1000 insufficient_funds',
    ]);
    const fields = ['state', 'state_reason', 'collected_amount_cents'];
    assert.deepEqual(await life.shows('payment_plans', plan, ...fields), ['closed', 'customer_deleted', 0]);
    assert.equal(await life.money(customer), 'charged 1000 returned 1000 held 0');
  });

  lived('deletion + deletion: each customer takes its own along, a second deletion changes nothing', async (life) => {
    const [first, second, third] = [await life.payer('first'), await life.payer('second'), await life.payer('third')];
    for (const [name, customer_id] of Object.entries({ first, second, third })) {
      await life.plan({ name: `plan of the ${name}`, customer_id });
    }
    await life.to('2027-02-10');
    await life.deletes(first);
    await life.to('2027-02-12');
    await life.deletes(first);
    await life.deletes(second);
    await life.to('2027-02-24');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_plan.activated plan of the first 0',
      '2027-02-01 00:00 payment_intent.succeeded plan of the first 1000',
      '2027-02-01 00:00 payment_plan.activated plan of the second 0',
      '2027-02-01 00:00 payment_intent.succeeded plan of the second 1000',
      '2027-02-01 00:00 payment_plan.activated plan of the third 0',
      '2027-02-01 00:00 payment_intent.succeeded plan of the third 1000',
      '2027-02-08 00:00 payment_intent.succeeded plan of the first 1000',
      '2027-02-08 00:00 payment_intent.succeeded plan of the second 1000',
      '2027-02-08 00:00 payment_intent.succeeded plan of the third 1000',
      '2027-02-10 00:00 payment_plan.closed plan of the first customer_deleted 2000',
      '2027-02-12 00:00 payment_plan.closed plan of the second customer_deleted 2000',
      '2027-02-15 00:00 payment_intent.succeeded plan of the third 1000',
      '2027-02-22 00:00 payment_intent.succeeded plan of the third 1000',
    ]);
    assert.equal(await life.money(first), 'charged 2000 held 2000');
    assert.equal(await life.money(second), 'charged 2000 held 2000');
    assert.equal(await life.money(third), 'charged 4000 held 4000');
  });
});
