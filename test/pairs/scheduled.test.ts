import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a scheduled payment beside another capability', () => {
  const lived = useLives();

  lived('scheduled + scheduled: two debits of one day have each their own result', async (life) => {
    const { customer, account } = await life.debtor();
    const terms = { customer_id: customer, payment_method: account, scheduled_payment_date: '2027-02-05' };
    const first = await life.intent('first', { ...terms, amount: 1000 });
    const metadata = { _sandbox_bank_outcome: 'dishonoured' };
    const second = await life.intent('second', { ...terms, amount: 500, metadata });
    await life.to('2027-02-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-05 00:00 payment_intent.processing first 1000',
      '2027-02-05 00:00 payment_intent.processing second 500',
      '2027-02-08 22:00 payment_intent.succeeded first 1000',
      '2027-02-08 22:00 payment_intent.failed second 500 insufficient_funds',
    ]);
    assert.deepEqual(await life.shows('payment_intents', first, 'status', 'expected_result_date'), [
      'succeeded',
      '2027-02-09',
    ]);
    assert.deepEqual(await life.shows('payment_intents', second, 'status', 'expected_result_date'), [
      'failed',
      '2027-02-09',
    ]);
    assert.equal(await life.money(customer), 'charged 1000 held 1000');
  });

  lived(
    'scheduled + link: a link that expires at the instant of a payment takes nothing after it',
    async (life) => {
      const customer = await life.payer();
      const card = await life.card(customer);
      const terms = { customer_id: customer, payment_method: card, scheduled_payment_date: '2027-02-05' };
      const rent = await life.intent('rent', { ...terms, amount: 1000 });
      const early = await life.link({ name: 'early', customer_id: customer, expires_at: '2027-02-05T00:00:00Z' });
      const late = await life.link({ name: 'late', customer_id: customer, expires_at: '2027-02-05T00:00:00.001Z' });
      await life.to('2027-02-05');
      assert.equal(await life.opens(early), 'ended expired time');
      assert.equal(await life.opens(late), 'completed');
      await life.to('2027-02-10');
      assert.deepEqual(await life.story(), [
        '2027-02-01 00:00 payment_link.created early 0',
        '2027-02-01 00:00 payment_link.created late 0',
        '2027-02-05 00:00 payment_intent.succeeded rent 1000',
        '2027-02-05 00:00 payment_link.expired early time 0',
        '2027-02-05 00:00 payment_intent.succeeded late 2500',
        '2027-02-05 00:00 payment_link.paid late 2500',
        '2027-02-05 00:00 payment_link.completed late 2500',
        '2027-02-05 00:00 checkout_session.completed sitting',
      ]);
      assert.deepEqual(await life.shows('payment_intents', rent, 'status'), ['succeeded']);
      assert.equal(await life.money(customer), 'charged 3500 held 3500');
    },
    { isDaily: true },
  );

  lived('scheduled + session: a payment that was declined on its day is paid in a session', async (life) => {
    const customer = await life.payer('payer', 'tok_sandbox_visa_decline_insufficient_funds');
    const card = await life.card(customer, 'tok_sandbox_visa_decline_insufficient_funds');
    const terms = { customer_id: customer, payment_method: card, scheduled_payment_date: '2027-02-05' };
    const rent = await life.intent('rent', { ...terms, amount: 1000 });
    await life.to('2027-02-06');
    const session = await life.session({ name: 'session', payment_intent_id: rent });
    await life.to('2027-02-06T05:00:00Z');
    assert.equal(await life.visits(session), 'completed');
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-05 00:00 payment_intent.failed rent 1000 insufficient_funds',
      '2027-02-06 05:00 payment_intent.succeeded rent 1000',
      '2027-02-06 05:00 checkout_session.completed session',
    ]);
    assert.deepEqual(await life.shows('checkout_sessions', session, 'status', 'failed_attempts'), ['completed', 0]);
    assert.equal(await life.money(customer), 'charged 1000 held 1000');
  });

  lived('scheduled + mandate: only what the bank had before the end of the mandate is debited', async (life) => {
    const { customer, account, mandate } = await life.debtor();
    const terms = { customer_id: customer, payment_method: account, amount: 1000 };
    await life.intent('handed over', { ...terms, scheduled_payment_date: '2027-02-03' });
    await life.intent('waiting', { ...terms, scheduled_payment_date: '2027-02-04' });
    await life.intent('later', { ...terms, scheduled_payment_date: '2027-02-08' });
    await life.to('2027-02-04T04:00:00Z');
    await life.does('mandates', mandate, 'cancel');
    await life.to('2027-02-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-03 00:00 payment_intent.processing handed over 1000',
      '2027-02-04 00:00 payment_intent.processing waiting 1000',
      '2027-02-04 04:00 mandate.canceled mandate requested',
      '2027-02-04 04:00 payment_intent.failed waiting 1000 mandate_unavailable',
      '2027-02-04 22:00 payment_intent.succeeded handed over 1000',
      '2027-02-08 00:00 payment_intent.failed later 1000 mandate_unavailable',
    ]);
    assert.equal(await life.money(customer), 'charged 1000 held 1000');
  });

  lived('scheduled + refund: it is refunded once it was charged, and by no more than it took', async (life) => {
    const customer = await life.payer();
    const card = await life.card(customer);
    const terms = { customer_id: customer, payment_method: card, scheduled_payment_date: '2027-02-05' };
    const rent = await life.intent('rent', { ...terms, amount: 1000 });
    const early = await life.request('POST', `/payment_intents/${rent}/refunds`, { amount: 100 });
    assert.deepEqual([early.status, early.body.error.code], [422, 'invalid_state']);
    await life.to('2027-02-06');
    await life.refunds(rent, 400);
    const much = await life.request('POST', `/payment_intents/${rent}/refunds`, { amount: 601 });
    assert.deepEqual([much.status, much.body.error.code], [400, 'validation_failed']);
    await life.to('2027-02-20');
    assert.deepEqual(await life.story(), [
      '2027-02-05 00:00 payment_intent.succeeded rent 1000',
      '2027-02-06 00:00 refund.succeeded refund 400',
    ]);
    assert.equal(await life.money(customer), 'charged 1000 refunded 400 held 600');
  });

  lived('scheduled + return: what comes back is not tried again on its own', async (life) => {
    const { customer, account } = await life.debtor();
    const rent = await life.intent('rent', {
      ...{ customer_id: customer, payment_method: account, scheduled_payment_date: '2027-02-05', amount: 1000 },
      metadata: { _sandbox_bank_outcome: 'late_dishonour,settled' },
    });
    await life.to('2027-03-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-05 00:00 payment_intent.processing rent 1000',
      '2027-02-08 22:00 payment_intent.succeeded rent 1000',
      '2027-02-11 22:00 payment_intent.returned rent 1000 insufficient_funds',
    ]);
    assert.deepEqual(await life.shows('payment_intents', rent, 'status', 'total_returned_amount'), ['returned', 1000]);
    assert.equal(await life.money(customer), 'charged 1000 returned 1000 held 0');
  });

  lived('scheduled + deletion: the payments of a deleted customer are canceled, of another made', async (life) => {
    const leaver = await life.payer('leaver');
    const stayer = await life.payer('stayer');
    for (const customer_id of [leaver, stayer]) {
      const name = customer_id === leaver ? 'of the leaver' : 'of the stayer';
      const payment_method = await life.card(customer_id);
      const terms = { customer_id, payment_method, amount: 1000 };
      await life.intent(`${name}, early`, { ...terms, scheduled_payment_date: '2027-02-03' });
      await life.intent(`${name}, late`, { ...terms, scheduled_payment_date: '2027-02-05' });
    }
    await life.to('2027-02-04');
    await life.deletes(leaver);
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-03 00:00 payment_intent.succeeded of the leaver, early 1000',
      '2027-02-03 00:00 payment_intent.succeeded of the stayer, early 1000',
      '2027-02-04 00:00 payment_intent.canceled of the leaver, late 1000',
      '2027-02-05 00:00 payment_intent.succeeded of the stayer, late 1000',
    ]);
    assert.equal(await life.money(leaver), 'charged 1000 held 1000');
    assert.equal(await life.money(stayer), 'charged 2000 held 2000');
  });
});
