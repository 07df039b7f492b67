import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a plan beside another capability', () => {
  const lived = useLives();

  lived('plan + plan: two plans of one account are debited apart, each by its own calendar', async (life) => {
    const { customer } = await life.debtor();
    const weekly = await life.plan({ name: 'weekly', customer_id: customer, total_amount_cents: 3000 });
    const monthly = await life.plan({
      name: 'monthly',
      customer_id: customer,
      frequency_type: 'monthly',
      recurring_amount_cents: 5000,
      metadata: { _sandbox_bank_outcome: 'dishonoured,settled' },
    });
    await life.to('2027-03-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated weekly 0',
      '2027-02-01 00:00 payment_intent.processing weekly 1000',
      '2027-02-01 00:00 payment_plan.activated monthly 0',
      '2027-02-01 00:00 payment_intent.processing monthly 5000',
      '2027-02-02 22:00 payment_intent.succeeded weekly 1000',
      '2027-02-02 22:00 payment_intent.failed monthly 5000 insufficient_funds again 2027-02-03 22:00',
      '2027-02-03 22:00 payment_intent.processing monthly 5000',
      '2027-02-07 22:00 payment_intent.succeeded monthly 5000',
      '2027-02-08 00:00 payment_intent.processing weekly 1000',
      '2027-02-09 22:00 payment_intent.succeeded weekly 1000',
      '2027-02-15 00:00 payment_intent.processing weekly 1000',
      '2027-02-16 22:00 payment_intent.succeeded weekly 1000',
      '2027-02-16 22:00 payment_plan.closed weekly total_collected 3000',
      '2027-03-01 00:00 payment_intent.processing monthly 5000',
      '2027-03-02 22:00 payment_intent.failed monthly 5000 insufficient_funds again 2027-03-03 22:00',
      '2027-03-03 22:00 payment_intent.processing monthly 5000',
      '2027-03-07 22:00 payment_intent.succeeded monthly 5000',
    ]);
    assert.deepEqual(await life.slots(weekly), [
      '0 2027-02-01 paid succeeded',
      '1 2027-02-08 paid succeeded',
      '2 2027-02-15 paid succeeded',
    ]);
    assert.deepEqual(await life.slots(monthly), [
      '0 2027-02-01 paid failed,succeeded',
      '1 2027-03-01 paid failed,succeeded',
    ]);
    assert.equal(await life.money(customer), 'charged 13000 held 13000');
  });

  lived(
    'plan + subscription: a result that ends their mandate stops the other one’s debit, and it halts',
    async (life) => {
      const dishonoured = { _sandbox_bank_outcome: 'dishonoured,settled' };
      const stopped = { _sandbox_bank_outcome: 'payment_stopped' };
      const weekly = { frequency_type: 'weekly', effective_on: 'submitted' } as const;
      const one = await life.debtor('one');
      const gym = await life.started({ name: 'gym', customer_id: one.customer, ...weekly, metadata: dishonoured });
      await life.plan({ name: 'plan', customer_id: one.customer, start_date: '2027-02-02', metadata: stopped });
      const other = await life.debtor('other');
      const late = await life.plan({ name: 'late', customer_id: other.customer, metadata: dishonoured });
      await life.to('2027-02-02');
      await life.started({ name: 'pool', customer_id: other.customer, ...weekly, metadata: stopped });
      await life.to('2027-03-05');
      assert.deepEqual(
        (await life.story()).filter((line) => /^2027-02-03 .* (gym|late) /.test(line)),
        [
          '2027-02-03 22:00 payment_intent.processing gym 3000',
          '2027-02-03 22:00 payment_intent.failed gym 3000 mandate_unavailable',
          '2027-02-03 22:00 payment_intent.processing late 1000',
          '2027-02-03 22:00 payment_intent.failed late 1000 mandate_unavailable',
          '2027-02-03 22:00 payment_plan.suspended late payment_failed 0',
        ],
      );
      assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'state_reason'), ['paused', 'payment_failed']);
      assert.deepEqual(await life.shows('payment_plans', late, 'state', 'state_reason'), [
        'suspended',
        'payment_failed',
      ]);
      assert.deepEqual(await life.slots(late), ['0 2027-02-01 failed failed,failed']);
    },
  );

  lived('plan + subscription: a debit that the payer stops ends both, and nothing is taken after it', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({ name: 'gym', customer_id: customer, frequency_type: 'weekly' });
    const plan = await life.plan({
      name: 'plan',
      customer_id: customer,
      start_date: '2027-02-12',
      metadata: { _sandbox_bank_outcome: 'payment_stopped' },
    });
    await life.to('2027-03-05');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing gym 3000',
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-02 22:00 payment_intent.succeeded gym 3000',
      '2027-02-02 22:00 subscription.started gym active in effect',
      '2027-02-02 22:00 subscription.in_effect_changed gym active in effect',
      '2027-02-08 00:00 payment_intent.processing gym 3000',
      '2027-02-08 00:00 subscription.renewed gym active in effect',
      '2027-02-09 22:00 payment_intent.succeeded gym 3000',
      '2027-02-12 00:00 payment_intent.processing plan 1000',
      '2027-02-15 00:00 payment_intent.processing gym 3000',
      '2027-02-15 00:00 subscription.renewed gym active in effect',
      '2027-02-15 22:00 payment_intent.failed plan 1000 payment_stopped',
      '2027-02-15 22:00 payment_plan.suspended plan payment_failed 0',
      '2027-02-15 22:00 mandate.canceled mandate payment_stopped',
      '2027-02-16 22:00 payment_intent.succeeded gym 3000',
      '2027-02-22 00:00 subscription.renewed gym active in effect',
      '2027-02-22 00:00 payment_intent.failed gym 3000 mandate_unavailable',
      '2027-02-22 00:00 subscription.past_due gym past_due in effect',
      '2027-02-27 00:00 subscription.paused gym paused not in effect',
      '2027-02-27 00:00 subscription.in_effect_changed gym paused not in effect',
      '2027-03-01 00:00 payment_intent.canceled gym 3000',
    ]);
    assert.deepEqual(await life.shows('payment_plans', plan, 'state', 'state_reason'), ['suspended', 'payment_failed']);
    assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'state_reason', 'in_effect'), [
      'paused',
      'payment_failed',
      false,
    ]);
    assert.deepEqual(await life.slots(plan), ['0 2027-02-12 failed failed']);
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-02-08 paid 3000',
      '2 2027-02-08 2027-02-15 paid 3000',
      '3 2027-02-15 2027-02-22 paid 3000',
      '4 2027-02-22 2027-03-01 unpaid 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 9000 held 9000');
  });

  lived('plan + scheduled: a retry and a payment for the same day are each charged once', async (life) => {
    const customer = await life.payer();
    const plan = await life.plan({
      name: 'plan',
      customer_id: customer,
      start_date: '2027-02-03',
      frequency_type: 'monthly',
      metadata: { _sandbox_outcome: 'decline,decline,succeed' },
    });
    const card = await life.card(customer);
    const terms = { customer_id: customer, payment_method: card, currency: 'AUD' as const };
    await life.intent('deposit', { ...terms, amount: 700, scheduled_payment_date: '2027-02-04' });
    await life.intent('rest', {
      ...{ ...terms, amount: 900, scheduled_payment_date: '2027-02-06' },
      metadata: { _sandbox_outcome: 'decline' },
    });
    await life.to('2027-02-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-03 00:00 payment_intent.failed plan 1000 insufficient_funds again 2027-02-04 00:00',
      '2027-02-04 00:00 payment_intent.failed plan 1000 insufficient_funds again 2027-02-06 00:00',
      '2027-02-04 00:00 payment_intent.succeeded deposit 700',
      '2027-02-06 00:00 payment_intent.succeeded plan 1000',
      '2027-02-06 00:00 payment_intent.failed rest 900 insufficient_funds',
    ]);
    assert.deepEqual(await life.slots(plan), ['0 2027-02-03 paid failed,failed,succeeded']);
    assert.equal(await life.money(customer), 'charged 1700 held 1700');
  });

  lived('plan + link: a card that is saved behind a link pays what is owed, and the dates go on', async (life) => {
    const customer = await life.payer('payer', 'tok_sandbox_visa_decline_insufficient_funds');
    const plan = await life.plan({ name: 'plan', customer_id: customer, total_amount_cents: 4000 });
    await life.to('2027-02-10');
    assert.deepEqual(await life.shows('payment_plans', plan, 'state', 'state_reason'), ['suspended', 'payment_failed']);
    const link = await life.link({
      ...{ name: 'link', mode: 'setup', customer_id: customer, apply_to: { payment_plan_id: plan } },
      expires_at: '2027-02-12T00:00:00Z',
    });
    await life.to('2027-02-11');
    assert.equal(await life.opens(link), 'completed');
    await life.to('2027-03-20');
    assert.deepEqual(await life.story('2027-02-06'), [
      '2027-02-06 00:00 payment_intent.failed plan 1000 insufficient_funds',
      '2027-02-06 00:00 payment_plan.suspended plan payment_failed 0',
      '2027-02-10 00:00 payment_link.created link 0',
      '2027-02-11 00:00 payment_link.completed link 0',
      '2027-02-11 00:00 checkout_session.completed sitting',
      '2027-02-11 00:00 payment_intent.succeeded plan 1000',
      '2027-02-15 00:00 payment_intent.succeeded plan 1000',
      '2027-02-22 00:00 payment_intent.succeeded plan 1000',
      '2027-03-01 00:00 payment_intent.succeeded plan 1000',
      '2027-03-01 00:00 payment_plan.closed plan total_collected 4000',
    ]);
    assert.deepEqual(await life.slots(plan), [
      '0 2027-02-01 paid failed,failed,failed,failed,succeeded',
      '1 2027-02-08 skipped',
      '2 2027-02-15 paid succeeded',
      '3 2027-02-22 paid succeeded',
      '4 2027-03-01 paid succeeded',
    ]);
    assert.deepEqual(await life.shows('payment_links', link, 'status', 'payments_count', 'collected_amount'), [
      'completed',
      1,
      0,
    ]);
    assert.equal(await life.money(customer), 'charged 4000 held 4000');
  });

  lived('plan + session: one that is not used in time changes nothing, the next one resumes the plan', async (life) => {
    const customer = await life.payer('payer', 'tok_sandbox_visa_decline_card_lost');
    const plan = await life.plan({ name: 'plan', customer_id: customer, start_date: '2027-02-02' });
    await life.to('2027-02-03');
    const setup = { mode: 'setup', customer_id: customer, apply_to: { payment_plan_id: plan } } as const;
    const late = await life.session({ ...setup, name: 'late' });
    await life.to('2027-02-12');
    assert.match(await life.visits(late), /^ended expired/);
    const next = await life.session({ ...setup, name: 'next' });
    assert.equal(await life.visits(next), 'completed');
    await life.to('2027-03-01');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_plan.activated plan 0',
      '2027-02-02 00:00 payment_intent.failed plan 1000 card_declined',
      '2027-02-02 00:00 payment_plan.suspended plan payment_failed 0',
      '2027-02-04 00:00 checkout_session.expired late time',
      '2027-02-12 00:00 checkout_session.completed next',
      '2027-02-12 00:00 payment_intent.succeeded plan 1000',
      '2027-02-16 00:00 payment_intent.succeeded plan 1000',
      '2027-02-23 00:00 payment_intent.succeeded plan 1000',
    ]);
    assert.deepEqual(await life.slots(plan), [
      '0 2027-02-02 paid failed,succeeded',
      '1 2027-02-09 skipped',
      '2 2027-02-16 paid succeeded',
      '3 2027-02-23 paid succeeded',
    ]);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
  });
});
