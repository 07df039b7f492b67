import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a checkout session beside another capability', () => {
  const lived = useLives();

  lived('session + session: a payment has one session at a time, and is taken once', async (life) => {
    const customer_id = await life.payer();
    const order = await life.intent('order', { customer_id, amount: 1500 });
    const first = await life.session({ name: 'first', payment_intent_id: order });
    const body = { payment_intent_id: order };
    const refused = await life.request('POST', '/checkout_sessions', body);
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    await life.to('2027-02-01T10:00:00Z');
    assert.equal(await life.visits(first, life.byCard('tok_sandbox_visa_decline_insufficient_funds')), 'open');
    await life.to('2027-02-03');
    const second = await life.session({ name: 'second', payment_intent_id: order });
    assert.equal(await life.visits(first), 'ended expired time');
    assert.equal(await life.visits(second), 'completed');
    assert.equal(await life.visits(second), 'ended completed ');
    await life.to('2027-02-05');
    const again = await life.request('POST', '/checkout_sessions', body);
    assert.deepEqual([again.status, again.body.error.code], [422, 'invalid_state']);
    assert.deepEqual(await life.story(), [
      '2027-02-01 10:00 payment_intent.failed order 1500 insufficient_funds',
      '2027-02-02 00:00 checkout_session.expired first time',
      '2027-02-03 00:00 payment_intent.succeeded order 1500',
      '2027-02-03 00:00 checkout_session.completed second',
    ]);
    const fields = ['status', 'status_reason', 'failed_attempts'];
    assert.deepEqual(await life.shows('checkout_sessions', first, ...fields), ['expired', 'time', 1]);
    assert.deepEqual(await life.shows('checkout_sessions', second, ...fields), ['completed', null, 0]);
    assert.equal(await life.money(customer_id), 'charged 1500 held 1500');
  });

  lived('session + mandate: what a payer agrees to in one session allows the debit of the next', async (life) => {
    const customer_id = await life.customer();
    const offer = { customer_id, amount: 1500, payment_method_types: ['au_becs_debit' as const] };
    const first = await life.session({ ...offer, name: 'first', save_payment_method: 'always' });
    assert.equal(await life.visits(first, await life.byNewAccount()), 'processing');
    await life.to('2027-02-05');
    const [mandate] = await life.mandatesOf(customer_id);
    assert.equal(mandate.status, 'active');
    const second = await life.session({ ...offer, name: 'second' });
    await life.to('2027-02-05T04:00:00Z');
    assert.equal(await life.visits(second, life.byAccount(mandate.payment_method_id)), 'processing');
    await life.to('2027-02-09');
    const third = await life.session({ ...offer, name: 'third' });
    assert.equal(await life.visits(third, life.byAccount(mandate.payment_method_id)), 'processing');
    await life.does('mandates', mandate.id, 'cancel');
    await life.to('2027-02-16');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created',
      '2027-02-01 00:00 mandate.activated',
      '2027-02-01 00:00 payment_intent.processing first 1500',
      '2027-02-02 22:00 payment_intent.succeeded first 1500',
      '2027-02-02 22:00 checkout_session.completed first',
      '2027-02-05 04:00 payment_intent.processing second 1500',
      '2027-02-08 22:00 payment_intent.succeeded second 1500',
      '2027-02-08 22:00 checkout_session.completed second',
      '2027-02-09 00:00 payment_intent.processing third 1500',
      '2027-02-09 00:00 mandate.canceled requested',
      '2027-02-09 00:00 payment_intent.failed third 1500 mandate_unavailable',
      '2027-02-10 00:00 checkout_session.expired third time',
    ]);
    for (const session of [first, second]) {
      assert.deepEqual(await life.shows('checkout_sessions', session, 'status', 'status_reason'), ['completed', null]);
    }
    assert.deepEqual(await life.shows('checkout_sessions', third, 'status', 'status_reason'), ['expired', 'time']);
    assert.equal(await life.money(customer_id), 'charged 3000 held 3000');
  });

  lived('session + refund: a session stays completed when its payment is given back', async (life) => {
    const customer_id = await life.payer();
    const session = await life.session({ name: 'session', customer_id, amount: 1500 });
    await life.to('2027-02-01T10:00:00Z');
    assert.equal(await life.visits(session), 'completed');
    await life.to('2027-02-04');
    const { payment_intent_id: intent } = await life.get('checkout_sessions', session);
    await life.refunds(intent, 1000);
    await life.refunds(intent, 500);
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 10:00 payment_intent.succeeded session 1500',
      '2027-02-01 10:00 checkout_session.completed session',
      '2027-02-04 00:00 refund.succeeded refund 1000',
      '2027-02-04 00:00 refund.succeeded refund 500',
    ]);
    assert.deepEqual(await life.shows('checkout_sessions', session, 'status'), ['completed']);
    assert.equal(await life.money(customer_id), 'charged 1500 refunded 1500 held 0');
  });

  lived('session + return: a dishonour opens the session again, a return after its end does not', async (life) => {
    const { customer: customer_id, account } = await life.debtor();
    const session = await life.session({
      ...{ name: 'session', customer_id, amount: 1500, expires_at: '2027-02-20T00:00:00Z' },
      payment_method_types: ['au_becs_debit'],
      metadata: { _sandbox_bank_outcome: 'dishonoured,late_dishonour' },
    });
    assert.equal(await life.visits(session, life.byAccount(account)), 'processing');
    await life.to('2027-02-04');
    assert.equal(await life.visits(session, life.byAccount(account)), 'processing');
    await life.to('2027-03-05');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_intent.processing session 1500',
      '2027-02-02 22:00 payment_intent.failed session 1500 insufficient_funds',
      '2027-02-04 00:00 payment_intent.processing session 1500',
      '2027-02-07 22:00 payment_intent.succeeded session 1500',
      '2027-02-07 22:00 checkout_session.completed session',
      '2027-02-10 22:00 payment_intent.returned session 1500 insufficient_funds',
    ]);
    assert.deepEqual(await life.shows('checkout_sessions', session, 'status', 'failed_attempts'), ['completed', 1]);
    assert.equal(await life.money(customer_id), 'charged 1500 returned 1500 held 0');
  });

  lived('session + deletion: an open session ends with its customer and takes nothing', async (life) => {
    const customer_id = await life.payer();
    const offer = { customer_id, amount: 1500, expires_at: '2027-02-20T00:00:00Z' };
    const paid = await life.session({ ...offer, name: 'paid' });
    const open = await life.session({ ...offer, name: 'open' });
    const challenged = await life.session({ ...offer, name: 'challenged' });
    await life.to('2027-02-02');
    assert.equal(await life.visits(paid), 'completed');
    assert.equal(await life.visits(challenged, life.byCard('tok_sandbox_visa_3ds_required')), 'challenge');
    await life.deletes(customer_id);
    assert.equal(await life.visits(open), 'ended expired customer_deleted');
    await life.to('2027-02-25');
    assert.deepEqual(await life.story(), [
      '2027-02-02 00:00 payment_intent.succeeded paid 1500',
      '2027-02-02 00:00 checkout_session.completed paid',
      '2027-02-02 00:00 payment_intent.requires_action challenged 1500',
      '2027-02-02 00:00 checkout_session.expired open customer_deleted',
      '2027-02-02 00:15 payment_intent.failed challenged 1500 authentication_required',
      '2027-02-02 00:15 checkout_session.expired challenged customer_deleted',
    ]);
    assert.deepEqual(await life.shows('checkout_sessions', open, 'status', 'status_reason'), [
      'expired',
      'customer_deleted',
    ]);
    assert.deepEqual(await life.shows('checkout_sessions', challenged, 'status', 'status_reason'), [
      'expired',
      'customer_deleted',
    ]);
    assert.equal(await life.money(customer_id), 'charged 1500 held 1500');
  });
});
