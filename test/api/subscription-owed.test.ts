import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useSubscriber } from '../support/subscriber.ts';

describe('what was served and not paid', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;

  /** Weekly, 10.00, from 10 January: the outcomes of its paid periods. */
  const weekly = (outcomes: string, terms = {}) =>
    subscriber.started({
      frequency_type: 'weekly',
      items: [{ name: 'Class', unit_amount_cents: 1000 }],
      metadata: { _sandbox_outcome_by_period: outcomes },
      ...terms,
    });
  const day = (n: number) => new Date(Date.UTC(2027, 0, 10 + n)).toISOString();
  const lines = async (id: string, number: number) => {
    const { body } = await stage.request('GET', `/subscriptions/${id}/periods`);
    const period = body.data.find((one: { number: number }) => one.number === number);
    return period.lines.map((line: { kind: string; amount_cents: number }) => [line.kind, line.amount_cents]);
  };
  const firstOf = async (id: string) => {
    const { body } = await stage.request('GET', `/subscriptions/${id}/schedule?count=2`);
    return body.data.map((row: { start: string; amount_cents: number }) => [row.start, row.amount_cents]);
  };

  it('is collected as the unpaid period itself while that runs, and the calendar stays', async () => {
    const id = await weekly('succeed;decline,decline,decline,decline,succeed;succeed');
    await here.advance(day(7));
    const late = await subscriber.get(id);
    assert.deepEqual([late.state, late.in_effect_until, late.owed_amount_cents], ['past_due', day(12), 1000]);
    await here.advance(day(13));
    const paused = await subscriber.get(id);
    assert.deepEqual([paused.state, paused.in_effect, paused.owed_amount_cents], ['paused', false, 1000]);
    assert.deepEqual(await firstOf(id), [
      ['2027-01-17', 1000],
      ['2027-01-24', 1000],
    ]);
    const resumed = await subscriber.ask(id, 'resume');
    assert.deepEqual([resumed.state, resumed.in_effect_until, resumed.owed_amount_cents], ['active', day(14), 0]);
    await here.advance(day(14));
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      '2 2027-01-17 2027-01-24 paid 1000',
      '3 2027-01-24 2027-01-31 paid 1000',
    ]);
  });

  it('is a line of the new period once the unpaid one is over, and its payment cannot be confirmed', async () => {
    const id = await weekly('succeed;decline;succeed');
    await here.advance(day(20));
    const paused = await subscriber.get(id);
    assert.deepEqual([paused.state, paused.owed_amount_cents], ['paused', 714]);
    assert.deepEqual(await firstOf(id), [
      ['2027-01-30', 1714],
      ['2027-02-06', 1000],
    ]);
    const unpaid = paused.latest_payment_intent_id;
    const intent = await stage.request('GET', `/payment_intents/${unpaid}`);
    assert.equal(intent.body.status, 'canceled');
    const resumed = await subscriber.ask(id, 'resume');
    assert.deepEqual([resumed.state, resumed.in_effect_until, resumed.owed_amount_cents], ['active', day(27), 0]);
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      '2 2027-01-17 2027-01-24 void 1000',
      '3 2027-01-30 2027-02-06 paid 1714',
    ]);
    assert.deepEqual(await lines(id, 3), [
      ['item', 1000],
      ['owed', 714],
    ]);
  });

  it('is let go by name, and the event says how much', async () => {
    const id = await weekly('succeed;decline;succeed');
    await here.advance(day(20));
    await subscriber.ask(id, 'resume', { unpaid: 'waive' });
    assert.equal((await subscriber.periods(id))[2], '3 2027-01-30 2027-02-06 paid 1000');
    const { body } = await stage.request('GET', '/events?event_type=subscription.resumed&limit=1');
    assert.equal(body.data[0].data.waived_amount_cents, 714);
  });

  it('is still served after a final decline, until its retries would have ended', async () => {
    const card = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_expired_card');
    const good = await stage.merchant.card(here.customer);
    const id = await weekly('', { metadata: {}, payment_instrument_id: good });
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: card });
    await here.advance(day(7));
    const late = await subscriber.get(id);
    assert.deepEqual([late.state, late.in_effect, late.next_attempt_at], ['past_due', true, null]);
    assert.equal(late.in_effect_until, day(12));
    await here.advance(day(12));
    const paused = await subscriber.get(id);
    assert.deepEqual([paused.state, paused.in_effect, paused.owed_amount_cents], ['paused', false, 1000]);
  });

  it('is charged to a new method at once after a final decline', async () => {
    const card = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_expired_card');
    const good = await stage.merchant.card(here.customer);
    const id = await weekly('', { metadata: {}, payment_instrument_id: good });
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: card });
    await here.advance(day(8));
    assert.equal((await subscriber.get(id)).state, 'past_due');
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: good });
    await stage.collectSubscriptionAll(id, day(8));
    assert.deepEqual(
      [(await subscriber.get(id)).state, (await subscriber.get(id)).in_effect_until],
      ['active', day(14)],
    );
  });

  it('is owed with its discount, whose month comes back', async () => {
    const id = await weekly('succeed;decline;succeed');
    await stage.request('PUT', `/subscriptions/${id}`, { discounts: [{ name: 'Half', percent_off: 50, periods: 1 }] });
    await here.advance(day(20));
    assert.equal((await subscriber.get(id)).owed_amount_cents, 357);
    await subscriber.ask(id, 'resume');
    assert.deepEqual(await lines(id, 3), [
      ['item', 1000],
      ['discount', -500],
      ['owed', 357],
    ]);
  });

  it('takes a corrected fee, and not the wrong one', async () => {
    const id = await weekly('succeed;decline,decline,decline,decline,succeed');
    await stage.request('PUT', `/subscriptions/${id}`, {
      one_off_items: [{ name: 'Fee', unit_amount_cents: 999_900 }],
    });
    await here.advance(day(13));
    assert.equal((await subscriber.get(id)).owed_amount_cents, 1_000_900);
    await stage.request('PUT', `/subscriptions/${id}`, { one_off_items: [{ name: 'Fee', unit_amount_cents: 9999 }] });
    assert.equal((await subscriber.get(id)).owed_amount_cents, 10_999);
    assert.deepEqual((await firstOf(id))[0], ['2027-01-17', 10_999]);
    const { latest_payment_intent_id: intentId } = await subscriber.ask(id, 'resume');
    const intent = await stage.request('GET', `/payment_intents/${intentId}`);
    assert.deepEqual([intent.body.status, intent.body.amount], ['succeeded', 10_999]);
  });

  const monthly = (outcomes: string, terms = {}) =>
    subscriber.started({
      items: [{ name: 'Membership', unit_amount_cents: 3000 }],
      metadata: { _sandbox_outcome_by_period: outcomes },
      ...terms,
    });
  const change = (id: string, cents: number, when: string) =>
    stage.request('POST', `/subscriptions/${id}/change`, {
      items: [{ name: 'Membership', unit_amount_cents: cents }],
      when,
    });

  it('gives back the credit that the period has used, at a cancellation too', async () => {
    const id = await monthly('succeed;decline');
    await here.advance('2027-01-20T00:00:00Z');
    await change(id, 1000, 'now');
    // 21 of 31 days: 2032 of 3000 come back, 677 of 1000 are used.
    assert.equal((await subscriber.get(id)).credit_balance_cents, 1355);
    await change(id, 3000, 'period_end');
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual((await subscriber.get(id)).credit_balance_cents, 0);
    const ended = await subscriber.ask(id, 'cancel', { at: 'now' });
    assert.deepEqual([ended.state, ended.credit_balance_cents], ['canceled', 1355]);
    const refund = await stage.request('POST', `/subscriptions/${id}/refund_credit`);
    assert.deepEqual([refund.status, refund.body.amount], [201, 1355]);
  });

  it('gives back the month of a discount that a first payment after a trial has taken', async () => {
    const lost = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_card_lost');
    const id = await subscriber.started({
      trial_days: 5,
      items: [{ name: 'Membership', unit_amount_cents: 3000 }],
      discounts: [{ name: 'Half', percent_off: 50, periods: 1 }],
      payment_instrument_id: lost,
    });
    await here.advance('2027-01-15T00:00:00Z');
    const late = await subscriber.get(id);
    assert.deepEqual([late.state, late.in_effect, late.owed_amount_cents], ['past_due', false, 1500]);
    await here.advance('2027-01-25T00:00:00Z');
    const paused = await subscriber.get(id);
    assert.deepEqual([paused.state, paused.owed_amount_cents], ['paused', 0]);
    const good = await stage.merchant.card(here.customer);
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: good });
    const resumed = await subscriber.ask(id, 'resume');
    assert.deepEqual([resumed.state, resumed.in_effect_until], ['active', '2027-02-25T00:00:00.000Z']);
    assert.equal((await subscriber.periods(id)).at(-1), '3 2027-01-25 2027-02-25 paid 1500');
  });

  it('keeps the end that was set, after which nothing comes: the last period is short', async () => {
    const id = await monthly('succeed', { ends_at: '2027-05-10' });
    await subscriber.ask(id, 'pause');
    await here.advance('2027-02-20T00:00:00Z');
    const resumed = await subscriber.ask(id, 'resume');
    assert.equal(resumed.ends_at, '2027-05-10');
    await here.advance('2027-04-01T00:00:00Z');
    await here.advance('2027-05-01T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      '2 2027-02-20 2027-03-20 paid 3000',
      '3 2027-03-20 2027-04-20 paid 3000',
      // 20 of 30 days.
      '4 2027-04-20 2027-05-10 paid 2000',
    ]);
    await subscriber.ask(id, 'uncancel');
    await here.advance('2027-05-25T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).slice(4), [
      '5 2027-05-10 2027-05-20 paid 1000',
      '6 2027-05-20 2027-06-20 paid 3000',
    ]);
  });
});
