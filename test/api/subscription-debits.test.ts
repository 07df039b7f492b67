import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebtor } from '../support/debtor.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('a subscription that is paid by bank debits', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);
  const account = async () => {
    const id = await debtor.account(here.customer);
    await debtor.active({ payment_method_id: id });
    return id;
  };
  const terms = async (more: object = {}) => ({ payment_instrument_id: await account(), ...more });

  it('stays pending until the bank has collected its first period', async () => {
    const id = await subscriber.started(await terms());
    const waiting = await subscriber.get(id);
    assert.deepEqual(
      [waiting.state, waiting.in_effect, waiting.current_period.status],
      ['pending', false, 'processing'],
    );
    await here.advance('2027-01-20T00:00:00Z');
    const started = await subscriber.get(id);
    assert.deepEqual([started.state, started.in_effect, started.current_period.status], ['active', true, 'paid']);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('is active at once with effective_on submitted', async () => {
    const id = await subscriber.started(await terms({ effective_on: 'submitted' }));
    const started = await subscriber.get(id);
    assert.deepEqual([started.state, started.in_effect, started.in_effect_until], ['active', true, null]);
    await here.advance('2027-01-20T00:00:00Z');
    assert.equal((await subscriber.get(id)).in_effect_until, '2027-02-10T00:00:00.000Z');
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('stays pending without a debt if the bank refuses its first debit', async () => {
    const id = await subscriber.started(await terms({ metadata: { _sandbox_bank_outcome: 'dishonoured' } }));
    await here.advance('2027-01-20T00:00:00Z');
    const declined = await subscriber.get(id);
    assert.deepEqual([declined.state, declined.current_period], ['pending', null]);
    assert.equal(declined.last_payment_error.code, 'insufficient_funds');
  });

  it('begins later periods on their dates, and is past due if the bank refuses one', async () => {
    const id = await subscriber.started(await terms());
    await here.advance('2027-01-20T00:00:00Z');
    const metadata = { _sandbox_bank_outcome: 'dishonoured' };
    await stage.request('PUT', `/subscriptions/${id}`, { metadata });
    await here.advance('2027-02-11T00:00:00Z');
    const renewed = await subscriber.get(id);
    assert.deepEqual([renewed.state, renewed.current_period.status], ['active', 'processing']);
    await here.advance('2027-02-14T00:00:00Z');
    assert.deepEqual([(await subscriber.get(id)).state, (await subscriber.get(id)).in_effect], ['past_due', true]);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('owes a period again whose debit comes back', async () => {
    const id = await subscriber.started(await terms());
    await here.advance('2027-01-20T00:00:00Z');
    const { latest_payment_intent_id: intent } = await subscriber.get(id);
    const path = `/test_helpers/payment_intents/${intent}/bank_result`;
    const reply = await stage.request('POST', path, { result: 'returned' });
    assert.equal(reply.body.status, 'returned', reply.text);
    const back = await subscriber.get(id);
    assert.deepEqual([back.state, back.paid_periods, back.current_period.status], ['past_due', 0, 'retrying']);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('is not started by an account whose mandate does not allow the debit', async () => {
    const id = await debtor.account(here.customer);
    await debtor.pending({ payment_method_id: id });
    const { id: subscription } = await subscriber.create({ payment_instrument_id: id });
    refusal(await stage.request('POST', `/subscriptions/${subscription}/start`), 422, 'mandate_unavailable');
    assert.equal((await subscriber.get(subscription)).state, 'pending');
  });
});
