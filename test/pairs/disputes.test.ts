import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { type Life, useLives } from './lives.ts';

describe('disputes beside the other capabilities', () => {
  const lived = useLives();

  const refused = async (life: Life, path: string, body: object = {}) => {
    const { status, body: answer } = await life.request('POST', path, body);
    assert.equal(`${status} ${answer.error?.code}`, '422 invalid_state');
  };
  const newest = async (life: Life, id: string) => (await life.intentsOf(id)).at(-1) ?? '';

  lived('plan + dispute: a lost one suspends the plan, and a resume collects its slot again', async (life) => {
    const customer = await life.payer();
    const gym = await life.plan({
      name: 'gym',
      customer_id: customer,
      total_amount_cents: 3000,
      until_further_notice: false,
    });
    const [first = ''] = await life.intentsOf(gym);
    await life.disputes('claim', first, 'lost');
    await life.to('2027-02-14');
    assert.deepEqual(await life.slots(gym), ['0 2027-02-01 returned returned', '1 2027-02-08 paid succeeded']);
    await life.does('payment_plans', gym, 'resume');
    await life.to('2027-03-10');
    assert.deepEqual(await life.slots(gym), [
      '0 2027-02-01 paid returned,succeeded',
      '1 2027-02-08 paid succeeded',
      '2 2027-02-15 paid succeeded',
    ]);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_plan.activated gym 0',
      '2027-02-01 00:00 payment_intent.succeeded gym 1000',
      '2027-02-01 00:00 dispute.opened claim 1000',
      '2027-02-08 00:00 payment_intent.succeeded gym 1000',
      '2027-02-11 00:00 dispute.lost claim 1000',
      '2027-02-11 00:00 payment_intent.returned gym 1000 payment_disputed',
      '2027-02-11 00:00 payment_plan.suspended gym payment_returned 1000',
      '2027-02-14 00:00 payment_intent.succeeded gym 1000',
      '2027-02-15 00:00 payment_intent.succeeded gym 1000',
      '2027-02-15 00:00 payment_plan.closed gym total_collected 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 4000 returned 1000 held 3000');
  });

  lived('subscription + dispute: a lost one leaves the period unpaid until there is another card', async (life) => {
    const customer = await life.payer();
    const gym = await life.started({ name: 'gym', customer_id: customer });
    await life.disputes('claim', await newest(life, gym), 'lost');
    await life.to('2027-02-12');
    await life.puts('subscriptions', gym, { payment_instrument_id: await life.card(customer) });
    await life.to('2027-03-02');
    assert.deepEqual(await life.periods(gym), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 3000',
    ]);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded gym 3000',
      '2027-02-01 00:00 subscription.started gym active in effect',
      '2027-02-01 00:00 subscription.in_effect_changed gym active in effect',
      '2027-02-01 00:00 dispute.opened claim 3000',
      '2027-02-11 00:00 dispute.lost claim 3000',
      '2027-02-11 00:00 payment_intent.returned gym 3000 payment_disputed',
      '2027-02-11 00:00 subscription.past_due gym past_due not in effect',
      '2027-02-11 00:00 subscription.in_effect_changed gym past_due not in effect',
      '2027-02-12 00:00 payment_intent.succeeded gym 3000',
      '2027-02-12 00:00 subscription.recovered gym active in effect',
      '2027-02-12 00:00 subscription.in_effect_changed gym active in effect',
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.succeeded gym 3000',
    ]);
    assert.equal(await life.money(customer), 'charged 9000 returned 3000 held 6000');
  });

  lived('subscription + dispute: one that was canceled or is to pause takes nothing after a lost one', async (life) => {
    const customer = await life.payer();
    const ended = await life.started({ name: 'ended', customer_id: customer });
    const resting = await life.started({ name: 'resting', customer_id: customer });
    for (const id of [ended, resting]) await life.disputes(`claim of ${id}`, await newest(life, id), 'lost');
    await life.to('2027-02-03');
    await life.does('subscriptions', ended, 'cancel', { at: 'now' });
    await life.does('subscriptions', resting, 'pause');
    await life.to('2027-03-12');
    assert.deepEqual(await life.shows('subscriptions', ended, 'state', 'credit_balance_cents'), ['canceled', 0]);
    // Ten of 28 days were in effect.
    assert.deepEqual(await life.shows('subscriptions', resting, 'state', 'owed_amount_cents'), ['paused', 1071]);
    await refused(life, `/subscriptions/${ended}/refund_credit`);
    assert.equal(await life.money(customer), 'charged 6000 returned 6000 held 0');
  });

  lived('scheduled + dispute: what was lost is not tried again on its own', async (life) => {
    const customer = await life.payer();
    const terms = { customer_id: customer, payment_method: await life.card(customer), amount: 1000 };
    const rent = await life.intent('rent', { ...terms, scheduled_payment_date: '2027-02-05' });
    await refused(life, `/test_helpers/payment_intents/${rent}/dispute`);
    await life.to('2027-02-06');
    await life.disputes('claim', rent, 'lost');
    await life.to('2027-03-01');
    assert.deepEqual(await life.story(), [
      '2027-02-05 00:00 payment_intent.succeeded rent 1000',
      '2027-02-06 00:00 dispute.opened claim 1000',
      '2027-02-16 00:00 dispute.lost claim 1000',
      '2027-02-16 00:00 payment_intent.returned rent 1000 payment_disputed',
    ]);
    assert.equal(await life.money(customer), 'charged 1000 returned 1000 held 0');
  });

  lived('link + dispute: a link that was completed is open again after a lost one', async (life) => {
    const customer = await life.customer();
    const invoice = await life.link({ name: 'invoice', customer_id: customer });
    assert.equal(await life.opens(invoice), 'completed');
    const [paid] = (await life.ask('GET', `/payment_intents?payment_link_id=${invoice}`)).data;
    await life.disputes('claim', paid.id, 'lost');
    await life.to('2027-02-12');
    assert.deepEqual(await life.shows('payment_links', invoice, 'status', 'collected_amount'), ['open', 0]);
    assert.equal(await life.opens(invoice, {}, 'second sitting'), 'completed');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_link.created invoice 0',
      '2027-02-01 00:00 payment_intent.succeeded invoice 2500',
      '2027-02-01 00:00 payment_link.paid invoice 2500',
      '2027-02-01 00:00 payment_link.completed invoice 2500',
      '2027-02-01 00:00 checkout_session.completed sitting',
      '2027-02-01 00:00 dispute.opened claim 2500',
      '2027-02-11 00:00 dispute.lost claim 2500',
      '2027-02-11 00:00 payment_intent.returned invoice 2500 payment_disputed',
      '2027-02-11 00:00 payment_link.reopened invoice 0',
      '2027-02-12 00:00 payment_intent.succeeded invoice 2500',
      '2027-02-12 00:00 payment_link.paid invoice 2500',
      '2027-02-12 00:00 payment_link.completed invoice 2500',
      '2027-02-12 00:00 checkout_session.completed second sitting',
    ]);
    assert.equal(await life.money(customer), 'charged 5000 returned 2500 held 2500');
  });

  lived('session + dispute: a session that was completed stays so, and its payment is returned', async (life) => {
    const customer = await life.customer();
    const order = await life.session({ name: 'order', amount: 2500, customer_id: customer });
    assert.equal(await life.visits(order), 'completed');
    const [paid] = await life.shows('checkout_sessions', order, 'payment_intent_id');
    await life.disputes('claim', String(paid), 'lost');
    await life.to('2027-02-12');
    assert.deepEqual(await life.shows('checkout_sessions', order, 'status'), ['completed']);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded order 2500',
      '2027-02-01 00:00 checkout_session.completed order',
      '2027-02-01 00:00 dispute.opened claim 2500',
      '2027-02-11 00:00 dispute.lost claim 2500',
      '2027-02-11 00:00 payment_intent.returned order 2500 payment_disputed',
    ]);
    assert.equal(await life.money(customer), 'charged 2500 returned 2500 held 0');
  });

  lived(
    'mandate + dispute: a debit is not disputed like a card, and what a card paid before ends no mandate',
    async (life) => {
      const { customer, account, mandate } = await life.debtor();
      const order = await life.intent('order', { customer_id: customer, amount: 2000 });
      await life.confirms(order, await life.card(customer));
      const rent = await life.intent('rent', { customer_id: customer, amount: 1000 });
      await life.confirms(rent, account);
      await refused(life, `/test_helpers/payment_intents/${rent}/dispute`);
      await life.disputes('claim', order, 'lost');
      await life.to('2027-02-05');
      await refused(life, `/test_helpers/payment_intents/${rent}/dispute`, { result: 'lost' });
      await life.to('2027-02-12');
      assert.deepEqual(await life.shows('mandates', mandate, 'status'), ['active']);
      assert.deepEqual(await life.story(), [
        '2027-02-01 00:00 mandate.created mandate',
        '2027-02-01 00:00 mandate.activated mandate',
        '2027-02-01 00:00 payment_intent.succeeded order 2000',
        '2027-02-01 00:00 payment_intent.processing rent 1000',
        '2027-02-01 00:00 dispute.opened claim 2000',
        '2027-02-02 22:00 payment_intent.succeeded rent 1000',
        '2027-02-11 00:00 dispute.lost claim 2000',
        '2027-02-11 00:00 payment_intent.returned order 2000 payment_disputed',
      ]);
      assert.equal(await life.money(customer), 'charged 3000 returned 2000 held 1000');
    },
  );

  lived('refund + dispute: what was refunded is not lost again, and what is disputed is not refunded', async (life) => {
    const customer = await life.payer();
    const order = await life.intent('order', { customer_id: customer, amount: 2000 });
    await life.confirms(order, await life.card(customer));
    await life.refunds(order, 700);
    await life.to('2027-02-02');
    await life.disputes('claim', order);
    await refused(life, `/payment_intents/${order}/refunds`, { amount: 1 });
    await life.to('2027-02-04');
    await life.disputes('claim', order, 'lost');
    await life.to('2027-02-20');
    await refused(life, `/payment_intents/${order}/refunds`);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded order 2000',
      '2027-02-01 00:00 refund.succeeded refund 700',
      '2027-02-02 00:00 dispute.opened claim 1300',
      '2027-02-14 00:00 dispute.lost claim 1300',
      '2027-02-14 00:00 payment_intent.returned order 2000 payment_disputed',
    ]);
    const fields = ['status', 'total_refunded_amount', 'total_returned_amount', 'net_collected_amount'];
    assert.deepEqual(await life.shows('payment_intents', order, ...fields), ['returned', 700, 1300, 0]);
    assert.equal(await life.money(customer), 'charged 2000 returned 1300 refunded 700 held 0');
  });

  lived('refund + dispute: what was collected again can be refunded in full, and no more than that', async (life) => {
    const customer = await life.payer();
    const gym = await life.plan({ name: 'gym', customer_id: customer });
    const [first = ''] = await life.intentsOf(gym);
    await life.refunds(first, 700);
    await life.disputes('claim', first, 'lost');
    await life.to('2027-02-12');
    await life.does('payment_plans', gym, 'resume');
    await life.to('2027-02-13');
    const { status, body } = await life.request('POST', `/payment_intents/${first}/refunds`, { amount: 1_001 });
    assert.equal(`${status} ${body.error.code}`, '400 validation_failed');
    await life.refunds(first, 400);
    await life.refunds(first, 600);
    await refused(life, `/payment_intents/${first}/refunds`);
    await refused(life, `/test_helpers/payment_intents/${first}/dispute`);
    const fields = ['status', 'total_refunded_amount', 'total_returned_amount', 'net_collected_amount'];
    assert.deepEqual(await life.shows('payment_intents', first, ...fields), ['succeeded', 1_700, 300, 0]);
    assert.equal(await life.money(customer), 'charged 3000 returned 300 refunded 1700 held 1000');
  });

  lived('return + dispute: a debit that came back and was paid by card is disputed as any other', async (life) => {
    const { customer, account } = await life.debtor();
    const gym = await life.plan({
      ...{ name: 'gym', customer_id: customer, payment_instrument_id: account, failure_behaviour: 'stop' },
      metadata: { _sandbox_bank_outcome: 'late_dishonour' },
    });
    await life.to('2027-02-09');
    await life.puts('payment_plans', gym, { payment_instrument_id: await life.card(customer) });
    await life.does('payment_plans', gym, 'resume');
    await life.to('2027-02-10');
    const [first = ''] = await life.intentsOf(gym);
    await life.disputes('claim', first, 'lost');
    await life.to('2027-02-22');
    const fields = ['status', 'total_returned_amount', 'net_collected_amount'];
    assert.deepEqual(await life.shows('payment_intents', first, ...fields), ['returned', 2000, 0]);
    assert.deepEqual(await life.slots(gym), [
      '0 2027-02-01 returned returned,returned',
      '1 2027-02-08 skipped',
      '2 2027-02-15 paid succeeded',
    ]);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_plan.activated gym 0',
      '2027-02-01 00:00 payment_intent.processing gym 1000',
      '2027-02-02 22:00 payment_intent.succeeded gym 1000',
      '2027-02-07 22:00 payment_intent.returned gym 1000 insufficient_funds',
      '2027-02-07 22:00 payment_plan.suspended gym payment_returned 0',
      '2027-02-09 00:00 payment_intent.succeeded gym 1000',
      '2027-02-10 00:00 dispute.opened claim 1000',
      '2027-02-15 00:00 payment_intent.succeeded gym 1000',
      '2027-02-20 00:00 dispute.lost claim 1000',
      '2027-02-20 00:00 payment_intent.returned gym 1000 payment_disputed',
      '2027-02-20 00:00 payment_plan.suspended gym payment_returned 1000',
    ]);
    assert.equal(await life.money(customer), 'charged 3000 returned 2000 held 1000');
  });

  lived(
    'dispute + dispute: one is won and one is lost at the same instant, in the order of their opening',
    async (life) => {
      const customer = await life.payer();
      const card = await life.card(customer);
      const [one, other] = [
        await life.intent('one', { customer_id: customer, amount: 1000 }),
        await life.intent('other', { customer_id: customer, amount: 2000 }),
      ];
      for (const intent of [one, other]) await life.confirms(intent, card);
      await life.disputes('claim of one', one, 'won');
      await life.disputes('claim of other', other, 'lost');
      await refused(life, `/test_helpers/payment_intents/${one}/dispute`, { result: 'lost' });
      await life.to('2027-02-12');
      await refused(life, `/test_helpers/payment_intents/${one}/dispute`);
      await refused(life, `/test_helpers/payment_intents/${other}/dispute`);
      assert.deepEqual(await life.story(), [
        '2027-02-01 00:00 payment_intent.succeeded one 1000',
        '2027-02-01 00:00 payment_intent.succeeded other 2000',
        '2027-02-01 00:00 dispute.opened claim of one 1000',
        '2027-02-01 00:00 dispute.opened claim of other 2000',
        '2027-02-11 00:00 dispute.won claim of one 1000',
        '2027-02-11 00:00 dispute.lost claim of other 2000',
        '2027-02-11 00:00 payment_intent.returned other 2000 payment_disputed',
      ]);
      assert.equal(await life.money(customer), 'charged 3000 returned 2000 held 1000');
    },
  );

  lived('dispute + deletion: it ends as it was to end after its customer was deleted', async (life) => {
    const customer = await life.payer();
    const gym = await life.plan({ name: 'gym', customer_id: customer });
    await life.disputes('claim', await newest(life, gym), 'lost');
    await life.to('2027-02-03');
    await life.deletes(customer);
    await life.to('2027-02-20');
    assert.deepEqual(await life.slots(gym), ['0 2027-02-01 returned returned']);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_plan.activated gym 0',
      '2027-02-01 00:00 payment_intent.succeeded gym 1000',
      '2027-02-01 00:00 dispute.opened claim 1000',
      '2027-02-03 00:00 payment_plan.closed gym customer_deleted 1000',
      '2027-02-11 00:00 dispute.lost claim 1000',
      '2027-02-11 00:00 payment_intent.returned gym 1000 payment_disputed',
    ]);
    assert.equal(await life.money(customer), 'charged 1000 returned 1000 held 0');
  });

  lived('dispute + surcharge: the surcharge is disputed with the payment', async (life) => {
    const customer = await life.payer('payer');
    const order = await life.intent('order', { customer_id: customer, amount: 2000, surcharge_applied: true });
    const { total_amount: total } = await life.confirms(order, await life.card(customer));
    assert.ok(total > 2000, 'it has a surcharge');
    assert.equal((await life.disputes('claim', order, 'lost')).amount, total);
    await life.to('2027-02-12');
    assert.deepEqual(await life.shows('payment_intents', order, 'total_returned_amount', 'net_collected_amount'), [
      total,
      0,
    ]);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.succeeded order 2065',
      '2027-02-01 00:00 dispute.opened claim 2065',
      '2027-02-11 00:00 dispute.lost claim 2065',
      '2027-02-11 00:00 payment_intent.returned order 2065 payment_disputed',
    ]);
    assert.equal(await life.money(customer), `charged ${total} returned ${total} held 0`);
  });
});
