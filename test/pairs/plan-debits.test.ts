import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a plan and the ways of its money', () => {
  const lived = useLives();

  lived('plan + mandate: an accepted debit falls with its mandate, and is made under the next one', async (life) => {
    const { customer, account, mandate } = await life.debtor();
    const plan = await life.plan({ name: 'plan', customer_id: customer, total_amount_cents: 3000 });
    await life.to('2027-02-08T02:00:00Z');
    await life.does('mandates', mandate, 'cancel');
    await life.to('2027-02-17');
    await life.mandate('second', account);
    await life.does('payment_plans', plan, 'resume');
    await life.to('2027-03-05');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-01 00:00 payment_intent.processing plan 1000',
      '2027-02-02 22:00 payment_intent.succeeded plan 1000',
      '2027-02-08 00:00 payment_intent.processing plan 1000',
      '2027-02-08 02:00 mandate.canceled mandate requested',
      '2027-02-08 02:00 payment_intent.failed plan 1000 mandate_unavailable',
      '2027-02-08 02:00 payment_plan.suspended plan payment_failed 1000',
      '2027-02-17 00:00 mandate.created second',
      '2027-02-17 00:00 mandate.activated second',
      '2027-02-17 00:00 payment_intent.processing plan 1000',
      '2027-02-18 22:00 payment_intent.succeeded plan 1000',
      '2027-02-22 00:00 payment_intent.processing plan 1000',
      '2027-02-23 22:00 payment_intent.succeeded plan 1000',
      '2027-02-23 22:00 payment_plan.closed plan total_collected 3000',
    ]);
    assert.deepEqual(await life.slots(plan), [
      '0 2027-02-01 paid succeeded',
      '1 2027-02-08 paid failed,succeeded',
      '2 2027-02-15 skipped',
      '3 2027-02-22 paid succeeded',
    ]);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
  });

  lived('plan + refund: what is given back is not collected a second time', async (life) => {
    const customer = await life.payer();
    const plan = await life.plan({ name: 'plan', customer_id: customer, total_amount_cents: 3000 });
    await life.to('2027-02-09');
    const [first = '', second = ''] = await life.intentsOf(plan);
    await life.refunds(first, 1000);
    await life.refunds(second, 300);
    await life.to('2027-03-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-01 00:00 payment_intent.succeeded plan 1000',
      '2027-02-08 00:00 payment_intent.succeeded plan 1000',
      '2027-02-09 00:00 refund.succeeded refund 1000',
      '2027-02-09 00:00 refund.succeeded refund 300',
      '2027-02-15 00:00 payment_intent.succeeded plan 1000',
      '2027-02-15 00:00 payment_plan.closed plan total_collected 3000',
    ]);
    const fields = ['state', 'state_reason', 'collected_amount_cents'];
    assert.deepEqual(await life.shows('payment_plans', plan, ...fields), ['closed', 'total_collected', 3000]);
    assert.equal(await life.money(customer), 'charged 3000 refunded 1300 held 1700');
  });

  lived('plan + return: what comes back is debited again, but not once the plan is closed', async (life) => {
    const { customer } = await life.debtor();
    const plan = await life.plan({
      ...{ name: 'plan', customer_id: customer, total_amount_cents: 2000 },
      metadata: { _sandbox_bank_outcome: 'late_dishonour,settled' },
    });
    await life.to('2027-03-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-01 00:00 payment_intent.processing plan 1000',
      '2027-02-02 22:00 payment_intent.succeeded plan 1000',
      '2027-02-07 22:00 payment_intent.returned plan 1000 insufficient_funds again 2027-02-08 22:00',
      '2027-02-08 00:00 payment_intent.processing plan 1000',
      '2027-02-08 22:00 payment_intent.processing plan 1000',
      '2027-02-09 22:00 payment_intent.succeeded plan 1000',
      '2027-02-10 22:00 payment_intent.succeeded plan 1000',
      '2027-02-10 22:00 payment_plan.closed plan total_collected 2000',
      '2027-02-14 22:00 payment_intent.returned plan 1000 insufficient_funds',
    ]);
    const fields = ['state', 'state_reason', 'collected_amount_cents', 'shortfall_amount_cents'];
    assert.deepEqual(await life.shows('payment_plans', plan, ...fields), ['closed', 'payment_returned', 1000, 1000]);
    assert.deepEqual(await life.slots(plan), [
      '0 2027-02-01 paid returned,succeeded',
      '1 2027-02-08 returned returned',
    ]);
    assert.equal(await life.money(customer), 'charged 3000 returned 2000 held 1000');
  });

  lived('plan + deletion: what the bank has is taken, what waits for the cut-off is not', async (life) => {
    const { customer } = await life.debtor();
    const terms = { customer_id: customer, frequency_type: 'monthly' as const };
    const handed = await life.plan({ name: 'handed over', ...terms });
    await life.to('2027-02-02T03:00:00Z');
    const waiting = await life.plan({ name: 'waiting', ...terms, start_date: '2027-02-02' });
    await life.deletes(customer);
    await life.to('2027-03-15');
    assert.deepEqual(await life.story('2027-02-02'), [
      '2027-02-02 03:00 payment_plan.activated waiting 0',
      '2027-02-02 03:00 payment_intent.processing waiting 1000',
      '2027-02-02 03:00 payment_plan.closed handed over customer_deleted 0',
      '2027-02-02 03:00 payment_intent.failed waiting 1000 debit_withdrawn',
      '2027-02-02 03:00 payment_intent.canceled waiting 1000',
      '2027-02-02 03:00 payment_plan.closed waiting customer_deleted 0',
      '2027-02-02 03:00 mandate.canceled mandate customer_deleted',
      '2027-02-02 22:00 payment_intent.succeeded handed over 1000',
    ]);
    const fields = ['state', 'state_reason', 'collected_amount_cents'];
    assert.deepEqual(await life.shows('payment_plans', handed, ...fields), ['closed', 'customer_deleted', 1000]);
    assert.deepEqual(await life.shows('payment_plans', waiting, ...fields), ['closed', 'customer_deleted', 0]);
    assert.equal(await life.money(customer), 'charged 1000 held 1000');
  });
});
