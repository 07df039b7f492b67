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

  it('owes a period again if its debit comes back', async () => {
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

  it('is past due until both are paid, if a debit comes back while that of the next period is under way', async () => {
    const id = await twoOwed('settled');
    await here.advance('2027-02-14T00:00:00Z');
    assert.deepEqual([(await subscriber.get(id)).state, (await subscriber.get(id)).paid_periods], ['past_due', 1]);
    assert.deepEqual(await findViolations(stage.db.sql), []);
    await here.advance('2027-02-28T00:00:00Z');
    const both = ['1 2027-01-10 2027-02-10 paid 4900', '2 2027-02-10 2027-03-10 paid 4900'];
    assert.deepEqual(await subscriber.periods(id), both);
    assert.deepEqual((await subscriber.events(id)).slice(3), [
      '2027-02-10 past_due',
      '2027-02-10 in_effect_changed false',
      // One period is paid, so the days of grace count.
      '2027-02-11 in_effect_changed true',
      '2027-02-14 recovered',
    ]);
  });

  it('retries two periods, each on its own day, if the bank refuses the second after the first came back', async () => {
    const id = await twoOwed('dishonoured,settled');
    await here.advance('2027-02-14T00:00:00Z');
    assert.deepEqual(
      (await subscriber.periods(id)).map((line) => line.split(' ')[3]),
      ['processing', 'retrying'],
    );
    assert.deepEqual(await findViolations(stage.db.sql), []);
    await here.advance('2027-03-09T00:00:00Z');
    const both = ['1 2027-01-10 2027-02-10 paid 4900', '2 2027-02-10 2027-03-10 paid 4900'];
    assert.deepEqual(await subscriber.periods(id), both);
    const recovered = (await subscriber.events(id)).filter((line) => line.endsWith('recovered'));
    assert.equal(recovered.length, 1);
    assert.equal((await subscriber.get(id)).state, 'active');
    await here.advance('2027-03-11T00:00:00Z');
    assert.equal((await subscriber.get(id)).current_period.number, 3);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('that owes two periods charges neither after a cancellation at once', async () => {
    const canceled = await twoOwed('dishonoured');
    await here.advance('2027-02-14T00:00:00Z');
    await subscriber.ask(canceled, 'cancel', { at: 'now' });
    const attempts = async (id: string) =>
      (
        await stage.db.sql`
        select from payment_attempts where payment_intent_id in (select id from payment_intents where subscription_id = ${id})`
      ).length;
    const before = await attempts(canceled);
    await here.advance('2027-03-14T00:00:00Z');
    assert.equal(await attempts(canceled), before);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('that owes two periods and is paused charges both when it is resumed, while one of them runs', async () => {
    const id = await twoOwed('settled', { failure_behaviour: 'stop' });
    await here.advance('2027-02-14T00:00:00Z');
    const { state, state_reason: reason } = await subscriber.get(id);
    assert.deepEqual([state, reason], ['paused', 'payment_failed']);
    await subscriber.ask(id, 'resume');
    assert.deepEqual(
      (await subscriber.periods(id)).map((line) => line.split(' ')[3]),
      ['processing', 'processing'],
    );
    assert.equal((await subscriber.get(id)).state, 'paused');
    await here.advance('2027-02-20T00:00:00Z');
    assert.deepEqual(
      (await subscriber.periods(id)).map((line) => line.split(' ')[3]),
      ['paid', 'paid'],
    );
    assert.equal((await subscriber.get(id)).state, 'active');
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('that owes two periods for fees alone is paid by withdrawing them', async () => {
    const fee = { one_off_items: [{ name: 'Fee', unit_amount_cents: 2500 }] };
    const discounts = { discounts: [{ name: 'Free', percent_off: 100 }] };
    const id = await twoOwed('settled', { failure_behaviour: 'stop', ...discounts, ...fee }, fee);
    const withFees = ['1 2027-01-10 2027-02-10 unpaid 2500', '2 2027-02-10 2027-03-10 unpaid 2500'];
    assert.deepEqual(await subscriber.periods(id), withFees);
    await stage.request('PUT', `/subscriptions/${id}`, { one_off_items: [] });
    const free = ['1 2027-01-10 2027-02-10 paid 0', '2 2027-02-10 2027-03-10 paid 0'];
    assert.deepEqual(await subscriber.periods(id), free);
    const { state, owed_amount_cents: owed, paid_periods: paid } = await subscriber.get(id);
    assert.deepEqual([state, owed, paid], ['active', 0, 2]);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('that is paused within a period that is paid collects the unpaid one once it is resumed, and goes on', async () => {
    const id = await subscriber.started(await terms({ frequency_type: 'weekly', failure_behaviour: 'stop' }));
    await here.advance('2027-01-15T00:00:00Z');
    const { latest_payment_intent_id: first } = await subscriber.get(id);
    await here.advance('2027-01-21T00:00:00Z');
    assert.equal((await subscriber.get(id)).current_period.status, 'paid');
    await stage.request('POST', `/test_helpers/payment_intents/${first}/bank_result`, { result: 'returned' });
    assert.equal((await subscriber.get(id)).state, 'paused');
    const { body: schedule } = await stage.request('GET', `/subscriptions/${id}/schedule?count=1`);
    assert.deepEqual([schedule.data[0].start, schedule.data[0].amount_cents], ['2027-01-10', 4900]);
    const card = await stage.merchant.card(here.customer);
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: card });
    const resumed = await subscriber.ask(id, 'resume');
    assert.deepEqual(
      [resumed.state, resumed.in_effect, resumed.in_effect_until, resumed.next_period_start],
      ['active', true, '2027-01-24T00:00:00.000Z', '2027-01-24'],
    );
    await here.advance('2027-01-25T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-01-17 paid 4900',
      '2 2027-01-17 2027-01-24 paid 4900',
      '3 2027-01-24 2027-01-31 paid 4900',
    ]);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('that is resumed within a period that is paid still ends with it, as was asked for', async () => {
    const id = await subscriber.started(await terms({ frequency_type: 'weekly', failure_behaviour: 'stop' }));
    await here.advance('2027-01-15T00:00:00Z');
    const { latest_payment_intent_id: first } = await subscriber.get(id);
    await subscriber.ask(id, 'cancel', { at: '2027-01-24' });
    await here.advance('2027-01-21T00:00:00Z');
    await stage.request('POST', `/test_helpers/payment_intents/${first}/bank_result`, { result: 'returned' });
    assert.equal((await subscriber.get(id)).state, 'paused');
    const resumed = await subscriber.ask(id, 'resume', { unpaid: 'waive' });
    assert.deepEqual([resumed.state, resumed.in_effect, resumed.ends_at], ['active', true, '2027-01-24']);
    await here.advance('2027-01-26T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-01-17 void 4900',
      '2 2027-01-17 2027-01-24 paid 4900',
    ]);
    const { state, state_reason: reason } = await subscriber.get(id);
    assert.deepEqual([state, reason], ['canceled', 'ended']);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  /** The debit of its first period has come back while that of the second is under way. */
  async function twoOwed(outcome: string, more: object = {}, renewal: object = {}): Promise<string> {
    const id = await subscriber.started(await terms(more));
    await here.advance('2027-01-20T00:00:00Z');
    const { latest_payment_intent_id: first } = await subscriber.get(id);
    const metadata = { _sandbox_bank_outcome: outcome };
    await stage.request('PUT', `/subscriptions/${id}`, { metadata, ...renewal });
    await here.advance('2027-02-10T01:00:00Z');
    const path = `/test_helpers/payment_intents/${first}/bank_result`;
    assert.equal((await stage.request('POST', path, { result: 'returned' })).body.status, 'returned');
    // What pauses it withdraws the debit that waits for the cut-off.
    const { state, current_period: current } = await subscriber.get(id);
    assert.equal(current.status, state === 'paused' ? 'unpaid' : 'processing');
    return id;
  }

  it('is not started by an account whose mandate does not allow the debit', async () => {
    const id = await debtor.account(here.customer);
    await debtor.pending({ payment_method_id: id });
    const { id: subscription } = await subscriber.create({ payment_instrument_id: id });
    refusal(await stage.request('POST', `/subscriptions/${subscription}/start`), 422, 'mandate_unavailable');
    assert.equal((await subscriber.get(subscription)).state, 'pending');
  });
});
