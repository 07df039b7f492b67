import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a mandate beside another capability', () => {
  const lived = useLives();

  lived('mandate + mandate: a plan goes on under that of its new account, the old one ends alone', async (life) => {
    const { customer, account, mandate } = await life.debtor();
    const plan = await life.plan({ name: 'plan', customer_id: customer, payment_instrument_id: account });
    await life.to('2027-02-08T12:00:00Z');
    const next = await life.account(customer, 'second');
    await life.ask('PUT', `/payment_plans/${plan}`, { payment_instrument_id: next.account });
    await life.detaches(account);
    await life.to('2027-02-25');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-01 00:00 payment_intent.processing plan 1000',
      '2027-02-02 22:00 payment_intent.succeeded plan 1000',
      '2027-02-08 00:00 payment_intent.processing plan 1000',
      '2027-02-08 12:00 mandate.created second',
      '2027-02-08 12:00 mandate.activated second',
      '2027-02-08 12:00 mandate.canceled mandate payment_method_detached',
      '2027-02-09 22:00 payment_intent.succeeded plan 1000',
      '2027-02-15 00:00 payment_intent.processing plan 1000',
      '2027-02-16 22:00 payment_intent.succeeded plan 1000',
      '2027-02-22 00:00 payment_intent.processing plan 1000',
      '2027-02-23 22:00 payment_intent.succeeded plan 1000',
    ]);
    assert.deepEqual(await life.shows('mandates', mandate, 'status', 'status_reason', 'last_debited_at'), [
      'canceled',
      'payment_method_detached',
      '2027-02-08T05:00:00.000Z',
    ]);
    assert.deepEqual(await life.shows('mandates', next.mandate, 'status', 'last_debited_at'), [
      'active',
      '2027-02-22T05:00:00.000Z',
    ]);
    assert.deepEqual(await life.slots(plan), [
      '0 2027-02-01 paid succeeded',
      '1 2027-02-08 paid succeeded',
      '2 2027-02-15 paid succeeded',
      '3 2027-02-22 paid succeeded',
    ]);
    assert.equal(await life.money(customer), 'charged 4000 held 4000');
  });

  lived('mandate + refund: a debit is given back after its mandate has ended', async (life) => {
    const { customer, account, mandate } = await life.debtor();
    const order = await life.intent('order', { customer_id: customer, amount: 2000 });
    await life.confirms(order, account);
    await life.to('2027-02-05');
    await life.does('mandates', mandate, 'cancel');
    await life.to('2027-02-10');
    const refund = await life.refunds(order, 1500);
    assert.equal(refund.refund_at_risk, true);
    await life.to('2027-03-20');
    const late = await life.refunds(order, 500);
    assert.equal(late.refund_at_risk, undefined);
    await life.to('2027-03-25');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing order 2000',
      '2027-02-02 22:00 payment_intent.succeeded order 2000',
      '2027-02-05 00:00 mandate.canceled mandate requested',
      '2027-02-10 00:00 refund.succeeded refund 1500',
      '2027-03-20 00:00 refund.succeeded refund 500',
    ]);
    assert.equal(await life.money(customer), 'charged 2000 refunded 2000 held 0');
  });

  lived('mandate + return: a dispute ends the mandate, a late dishonour does not', async (life) => {
    const { customer, account, mandate } = await life.debtor();
    const order = { customer_id: customer, amount: 2000 };
    const late = await life.intent('late', { ...order, metadata: { _sandbox_bank_outcome: 'late_dishonour' } });
    await life.confirms(late, account);
    await life.to('2027-02-09');
    assert.deepEqual(await life.shows('mandates', mandate, 'status'), ['active']);
    const disputed = await life.intent('disputed', { ...order, metadata: { _sandbox_bank_outcome: 'disputed' } });
    await life.confirms(disputed, account);
    await life.to('2027-03-09');
    const other = await life.intent('other', order);
    await life.confirms(other, account);
    await life.to('2027-03-20');
    const refused = await life.intent('refused', order);
    const path = `/payment_intents/${refused}/confirm`;
    assert.equal(
      (await life.request('POST', path, { payment_method: account })).body.error.code,
      'mandate_unavailable',
    );
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing late 2000',
      '2027-02-02 22:00 payment_intent.succeeded late 2000',
      '2027-02-07 22:00 payment_intent.returned late 2000 insufficient_funds',
      '2027-02-09 00:00 payment_intent.processing disputed 2000',
      '2027-02-10 22:00 payment_intent.succeeded disputed 2000',
      '2027-03-09 00:00 payment_intent.processing other 2000',
      '2027-03-10 22:00 payment_intent.returned disputed 2000 debit_disputed',
      '2027-03-10 22:00 mandate.canceled mandate debit_disputed',
      '2027-03-10 22:00 payment_intent.succeeded other 2000',
    ]);
    assert.deepEqual(await life.shows('mandates', mandate, 'status', 'status_reason'), ['canceled', 'debit_disputed']);
    assert.equal(await life.money(customer), 'charged 6000 returned 4000 held 2000');
  });

  lived('mandate + deletion: it ends with its customer, that of another customer stays', async (life) => {
    const leaver = await life.debtor('leaver');
    const stayer = await life.debtor('stayer');
    const orders: string[] = [];
    for (const [name, { customer: customer_id, account }] of Object.entries({ left: leaver, stayed: stayer })) {
      const order = await life.intent(name, { customer_id, amount: 2000 });
      await life.confirms(order, account);
      orders.push(order);
    }
    await life.to('2027-02-01T04:00:00Z');
    await life.deletes(leaver.customer);
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing left 2000',
      '2027-02-01 00:00 payment_intent.processing stayed 2000',
      '2027-02-01 04:00 mandate.canceled mandate customer_deleted',
      '2027-02-01 04:00 payment_intent.failed left 2000 mandate_unavailable',
      '2027-02-02 22:00 payment_intent.succeeded stayed 2000',
    ]);
    assert.deepEqual(await life.shows('mandates', leaver.mandate, 'status', 'status_reason'), [
      'canceled',
      'customer_deleted',
    ]);
    assert.deepEqual(await life.shows('mandates', stayer.mandate, 'status', 'status_reason'), ['active', null]);
    assert.equal(await life.money(leaver.customer), 'charged 0 held 0');
    assert.equal(await life.money(stayer.customer), 'charged 2000 held 2000');
  });
});
