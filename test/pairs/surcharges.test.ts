import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { type Life, useLives } from './lives.ts';

/** A Monday. From 1 October 2026 on, cards of Visa carry no surcharge in Australia. */
const from = '2026-09-14T00:00:00.000Z';
const lastEvening = '2026-09-30T20:00:00Z';
const visa = 'tok_sandbox_visa_succeed';
const declined = 'tok_sandbox_visa_decline_insufficient_funds';
const amex = 'tok_sandbox_amex_succeed';

describe('a surcharge and another capability', () => {
  // The fee is 1.75 % and 30 cents; the stated costs are 1.9 % for American Express and 0.5 % for bank debits.
  const lived = useLives({ from, account: { country: 'AU', costs: { amex: 190, au_becs_debit: 50 } } });
  const customerWho = (life: Life) =>
    life.customer('payer', { fee_preferences: { customer_pays_transaction_fees: true } });
  async function payerWith(life: Life, token: string) {
    const customer_id = await customerWho(life);
    return { customer_id, payment_method: await life.card(customer_id, token), amount: 10_000 };
  }
  const outcomes = async (life: Life) =>
    (await life.story()).filter((line) => / payment_intent\.(succeeded|failed|returned) /.test(line));
  const surchargeOf = (life: Life, intent: string) =>
    life.shows('payment_intents', intent, 'surcharge_amount', 'surcharge_reason', 'total_amount');
  const ofSeptember = [205, null, 10_205];
  const ofOctober = [0, 'not_allowed', 10_000];

  lived('plan + surcharge: payments of September carry it; those of October and retries then do not', async (life) => {
    const { customer_id } = await payerWith(life, visa);
    const metadata = { _sandbox_outcome: 'decline,decline,succeed' };
    await life.plan({ name: 'pool', customer_id, start_date: '2026-09-29', metadata });
    await life.plan({ name: 'lessons', customer_id });
    await life.to('2026-10-06');
    assert.deepEqual(await outcomes(life), [
      '2026-09-14 00:00 payment_intent.succeeded lessons 1048',
      '2026-09-21 00:00 payment_intent.succeeded lessons 1048',
      '2026-09-28 00:00 payment_intent.succeeded lessons 1048',
      '2026-09-29 00:00 payment_intent.failed pool 1048 insufficient_funds again 2026-09-30 00:00',
      '2026-09-30 00:00 payment_intent.failed pool 1048 insufficient_funds again 2026-10-02 00:00',
      '2026-10-02 00:00 payment_intent.succeeded pool 1000',
      '2026-10-05 00:00 payment_intent.succeeded lessons 1000',
      '2026-10-06 00:00 payment_intent.failed pool 1000 insufficient_funds again 2026-10-07 00:00',
    ]);
  });

  lived('subscription + surcharge: the period of September carries it, that of October does not', async (life) => {
    const { customer_id } = await payerWith(life, visa);
    await life.started({ name: 'gym', customer_id });
    await life.to('2026-10-15');
    assert.deepEqual(await outcomes(life), [
      '2026-09-14 00:00 payment_intent.succeeded gym 3083',
      '2026-10-14 00:00 payment_intent.succeeded gym 3000',
    ]);
  });

  lived('scheduled + surcharge: a payment that was scheduled in September for October carries none', async (life) => {
    const payment = await payerWith(life, visa);
    const early = await life.intent('early', { ...payment, scheduled_payment_date: '2026-09-28' });
    const late = await life.intent('late', { ...payment, scheduled_payment_date: '2026-10-05' });
    await life.to('2026-10-06');
    assert.deepEqual([await surchargeOf(life, early), await surchargeOf(life, late)], [ofSeptember, ofOctober]);
    assert.equal(await life.money(payment.customer_id), 'charged 20205 held 20205');
  });

  lived('link + surcharge: links that were made in September take none in October', async (life) => {
    const { customer_id } = await payerWith(life, visa);
    const [early = '', late = ''] = [
      await life.link({ name: 'early', customer_id }),
      await life.link({ name: 'late', customer_id }),
    ];
    assert.equal(await life.opens(early, life.byCard(visa), ''), 'completed');
    await life.to('2026-10-05');
    assert.equal(await life.opens(late, life.byCard(visa), ''), 'completed');
    assert.equal(await life.money(customer_id), 'charged 5074 held 5074');
  });

  lived('session + surcharge: a page that was opened in September takes none in October', async (life) => {
    const payment = await payerWith(life, visa);
    const intent = await life.intent('invoice', payment);
    await life.to(lastEvening);
    const session = await life.session({ name: 'sitting', payment_intent_id: intent });
    assert.equal(await life.visits(session, life.byCard(declined)), 'open');
    assert.deepEqual(await surchargeOf(life, intent), ofSeptember);
    await life.to('2026-10-01T06:00:00Z');
    assert.equal(await life.visits(session, life.byCard(visa)), 'completed');
    assert.deepEqual(await surchargeOf(life, intent), ofOctober);
  });

  lived('mandate + surcharge: a debit carries at most the stated cost, in October too', async (life) => {
    const customer_id = await customerWho(life);
    await life.account(customer_id);
    await life.plan({ name: 'lessons', customer_id, recurring_amount_cents: 10_000 });
    await life.to('2026-10-13');
    assert.deepEqual(await outcomes(life), [
      '2026-09-15 23:00 payment_intent.succeeded lessons 10050',
      '2026-09-22 23:00 payment_intent.succeeded lessons 10050',
      '2026-09-29 23:00 payment_intent.succeeded lessons 10050',
      '2026-10-06 22:00 payment_intent.succeeded lessons 10050',
    ]);
  });

  lived('refund + surcharge: refunds of October give the surcharge of September back', async (life) => {
    const payment = await payerWith(life, visa);
    const intent = await life.intent('invoice', { ...payment, confirm: true });
    await life.to('2026-10-05');
    const refunds = [await life.refunds(intent, 5_000), await life.refunds(intent, 5_205)];
    assert.deepEqual(
      refunds.map((refund) => refund.surcharge_amount),
      [100, 105],
    );
    assert.equal(await life.money(payment.customer_id), 'charged 10205 refunded 10205 held 0');
  });

  lived('subscription + surcharge: a refund uses credit by its amount without surcharge', async (life) => {
    const { customer_id } = await payerWith(life, visa);
    const gym = await life.started({ name: 'gym', customer_id });
    const [paid] = await life.shows('subscriptions', gym, 'latest_payment_intent_id');
    await life.to('2026-09-24');
    const items = [{ name: 'Membership', unit_amount_cents: 300 }];
    await life.does('subscriptions', gym, 'change', { items, when: 'now' });
    const credit = async () => (await life.shows('subscriptions', gym, 'credit_balance_cents'))[0];
    assert.equal(await credit(), 1800);
    const { surcharge_amount: surcharge } = await life.refunds(String(paid), 1028);
    assert.deepEqual([surcharge, await credit()], [27, 1800 - 1001]);
    await life.refunds(String(paid), 3083 - 1028);
    assert.equal(await credit(), 0);
    await life.to('2026-10-15');
    assert.deepEqual(await outcomes(life), [
      '2026-09-14 00:00 payment_intent.succeeded gym 3083',
      '2026-10-14 00:00 payment_intent.succeeded gym 300',
    ]);
    assert.equal(await life.money(customer_id), 'charged 3383 refunded 3083 held 300');
  });

  lived('return + surcharge: a debit that comes back takes its surcharge with it', async (life) => {
    const customer_id = await customerWho(life);
    const { account: payment_method } = await life.account(customer_id);
    const intent = await life.intent('invoice', { customer_id, payment_method, amount: 10_000, confirm: true });
    await life.to('2026-09-30');
    await life.bank(intent, 'disputed');
    assert.deepEqual(await surchargeOf(life, intent), [50, 'capped', 10_050]);
    assert.equal(await life.money(customer_id), 'charged 10050 returned 10050 held 0');
  });

  lived('deletion + surcharge: a payment that was declined with it is not tried again', async (life) => {
    const { customer_id } = await payerWith(life, visa);
    const plan = await life.plan({ name: 'pool', customer_id, metadata: { _sandbox_outcome: 'decline' } });
    const [intent = ''] = await life.intentsOf(plan);
    await life.deletes(customer_id);
    await life.to('2026-10-13');
    assert.equal((await outcomes(life)).length, 1);
    assert.deepEqual(await life.shows('payment_intents', intent, 'status', 'total_amount'), ['canceled', 1048]);
  });

  lived(
    'dispute + surcharge: a payment is collected again without it, also if more was refunded before',
    async (life) => {
      const { customer_id } = await payerWith(life, visa);
      const plan = await life.plan({ name: 'pool', customer_id });
      const [first = ''] = await life.intentsOf(plan);
      await life.to('2026-09-22');
      await life.refunds(first, 1_040);
      await life.disputes('claim', first, 'lost');
      await life.to('2026-10-03');
      await life.does('payment_plans', plan, 'resume');
      await life.to('2026-10-04');
      assert.deepEqual(await life.shows('payment_intents', first, 'status', 'total_amount', 'net_collected_amount'), [
        ...['succeeded', 1_000, 1_000],
      ]);
    },
  );

  lived('surcharge + surcharge: each attempt is decided by its own card and date', async (life) => {
    const payment = await payerWith(life, declined);
    const intent = await life.intent('invoice', { ...payment, confirm: true });
    assert.deepEqual(await surchargeOf(life, intent), ofSeptember);
    await life.to('2026-10-05');
    await life.confirms(intent, payment.payment_method);
    assert.deepEqual(await surchargeOf(life, intent), ofOctober);
    await life.confirms(intent, await life.card(payment.customer_id, amex));
    assert.deepEqual(await surchargeOf(life, intent), [190, 'capped', 10_190]);
    assert.equal(await life.money(payment.customer_id), 'charged 10190 held 10190');
  });
});
