import assert from 'node:assert/strict';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('a subscription', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;

  it('owes nothing before it is started', async () => {
    const made = await subscriber.create();
    assert.equal(made.state, 'pending');
    assert.deepEqual([made.in_effect, made.in_effect_until, made.current_period], [false, null, null]);
    await here.advance('2027-03-01T00:00:00Z');
    assert.deepEqual(await subscriber.periods(made.id), []);
  });

  it('charges its first period when it is started, and is in effect until that ends', async () => {
    const { id } = await subscriber.create();
    const { body } = await stage.request('POST', `/subscriptions/${id}/start`);
    assert.equal(body.state, 'active');
    assert.deepEqual(body.current_period, { number: 1, start: '2027-01-10', end: '2027-02-10', status: 'paid' });
    assert.deepEqual([body.in_effect, body.in_effect_until], [true, '2027-02-10T00:00:00.000Z']);
    assert.equal(body.next_period_start, '2027-02-10');
    assert.deepEqual([...stage.ledger.taken.values()], [4900]);
    assert.deepEqual(await subscriber.events(id), ['2027-01-10 started', '2027-01-10 in_effect_changed true']);
  });

  it('rolls over in an advance: each period begins where the last ended, and is charged once', async () => {
    const id = await subscriber.started();
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 paid 4900',
      '3 2027-03-10 2027-04-10 paid 4900',
    ]);
    const clock = await stage.merchant.getClock(here.clock);
    assert.deepEqual(clock.last_advance?.effects_manifest, {
      payment_intents_enqueued: 2,
      links_expired: 0,
      subscriptions_rolled: 1,
      plans_recalculated: 0,
    });
    assert.deepEqual((await subscriber.events(id)).slice(2), ['2027-02-10 renewed', '2027-03-10 renewed']);
    assert.equal(stage.ledger.taken.size, 3);
    const paid = await stage.merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.deepEqual(
      paid.map(({ data }) => [data.subscription_id, data.subscription_period]),
      [1, 2, 3].map((period) => [id, period]),
    );
  });

  it('stays pending without a debt if the first payment is declined, and can be started again', async () => {
    const { id } = await subscriber.create({ metadata: { _sandbox_outcome: 'decline' } });
    const declined = await subscriber.ask(id, 'start');
    assert.deepEqual([declined.state, declined.current_period, declined.in_effect], ['pending', null, false]);
    assert.equal(declined.last_payment_error.code, 'insufficient_funds');
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: {} });
    const again = await subscriber.ask(id, 'start');
    assert.deepEqual([again.state, again.last_payment_error, again.paid_periods], ['active', null, 1]);
    assert.deepEqual(await subscriber.periods(id), ['1 2027-01-10 2027-02-10 paid 4900']);
  });

  it('does not let a payer pay what was declined at a start: nothing is owed for it', async () => {
    const { id } = await subscriber.create({ metadata: { _sandbox_outcome: 'decline' } });
    const { latest_payment_intent_id: intent } = await subscriber.ask(id, 'start');
    refusal(await stage.request('POST', `/payment_intents/${intent}/confirm`, {}), 422, 'invalid_state');
  });

  it('takes effect after the challenge of its first payment', async () => {
    const { id } = await subscriber.create({ metadata: { _sandbox_outcome: 'requires_action,succeed' } });
    const waiting = await subscriber.ask(id, 'start');
    assert.deepEqual([waiting.state, waiting.current_period.status], ['pending', 'processing']);
    const path = `/test_helpers/payment_intents/${waiting.latest_payment_intent_id}/complete_action`;
    await stage.request('POST', path, { result: 'succeed' });
    const started = await subscriber.get(id);
    assert.deepEqual([started.state, started.in_effect], ['active', true]);
  });

  it('starts on its own on a start date to come, and stays pending if the payment is declined then', async () => {
    const good = await subscriber.started({ start_date: '2027-01-20' });
    const bad = await subscriber.started({ start_date: '2027-01-20', metadata: { _sandbox_outcome: 'decline' } });
    assert.equal((await subscriber.get(good)).next_period_start, '2027-01-20');
    await here.advance('2027-01-25T00:00:00Z');
    assert.deepEqual(await subscriber.periods(good), ['1 2027-01-20 2027-02-20 paid 4900']);
    assert.equal((await subscriber.get(bad)).state, 'pending');
    const { last_advance } = await stage.merchant.getClock(here.clock);
    assert.equal(last_advance?.effects_manifest?.subscriptions_rolled, 1);
  });

  it('returns the same start to a repetition with its key, and takes the money once', async () => {
    const { id } = await subscriber.create();
    const send = () =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}/start`, {
        key: stage.keys.sandboxSecret,
        headers: { 'Idempotency-Key': 'start-once' },
      });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status, second.body.id], [200, id]);
    assert.deepEqual(second.body, first.body);
    assert.equal(stage.ledger.taken.size, 1);
  });

  it('refuses a start without a method, and while it is no longer pending', async () => {
    const customer = await stage.merchant.customer();
    const { id } = await subscriber.create({ customer_id: customer.id, start_date: '2099-01-01' });
    await stage.request('PUT', `/subscriptions/${id}`, { start_date: null });
    const refused = refusal(await stage.request('POST', `/subscriptions/${id}/start`), 422);
    assert.deepEqual(refused, ['/payment_instrument_id payment_method_missing']);
    const started = await subscriber.started();
    refusal(await stage.request('POST', `/subscriptions/${started}/start`), 422, 'invalid_state');
  });
});

describe('a subscription that is not paid', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const byPeriod = (text: string) => ({ metadata: { _sandbox_outcome_by_period: text } });

  it('is retried after 1, 3 and 5 days and recovers; its calendar is as it was', async () => {
    const id = await subscriber.started(byPeriod('succeed;decline,decline,succeed;succeed'));
    await here.advance('2027-02-10T00:00:00Z');
    const due = await subscriber.get(id);
    assert.deepEqual([due.state, due.in_effect], ['past_due', true]);
    assert.deepEqual(
      [due.next_attempt_at, due.in_effect_until],
      // The last retry, on which it would be paused: grace would last until the 17th.
      ['2027-02-11T00:00:00.000Z', '2027-02-15T00:00:00.000Z'],
    );
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 paid 4900',
      '3 2027-03-10 2027-04-10 paid 4900',
    ]);
    assert.deepEqual((await subscriber.events(id)).slice(2), [
      '2027-02-10 renewed',
      '2027-02-10 past_due',
      '2027-02-13 recovered',
      '2027-03-10 renewed',
    ]);
  });

  it('is paused when retries are used up, and no period begins', async () => {
    const id = await subscriber.started(byPeriod('succeed;decline'));
    await here.advance('2027-03-11T00:00:00Z');
    const paused = await subscriber.get(id);
    assert.deepEqual([paused.state, paused.state_reason, paused.in_effect], ['paused', 'payment_failed', false]);
    assert.equal(paused.current_period.status, 'unpaid');
    assert.deepEqual((await subscriber.events(id)).slice(2), [
      '2027-02-10 renewed',
      '2027-02-10 past_due',
      '2027-02-15 paused',
      '2027-02-15 in_effect_changed false',
    ]);
  });

  it('is canceled instead if its unpaid_behaviour says so', async () => {
    const id = await subscriber.started({ ...byPeriod('succeed;decline'), unpaid_behaviour: 'cancel' });
    await here.advance('2027-03-11T00:00:00Z');
    const { state, state_reason: reason } = await subscriber.get(id);
    assert.deepEqual([state, reason], ['canceled', 'payment_failed']);
  });

  it('is not retried with failure_behaviour stop', async () => {
    const id = await subscriber.started({ ...byPeriod('succeed;decline'), failure_behaviour: 'stop' });
    await here.advance('2027-02-10T00:00:00Z');
    assert.equal((await subscriber.get(id)).state, 'paused');
  });

  it('loses its service when the grace ends, although retries go on', async () => {
    const id = await subscriber.started({ ...byPeriod('succeed;decline,decline,succeed'), grace_days: 2 });
    await here.advance('2027-02-20T00:00:00Z');
    assert.deepEqual((await subscriber.events(id)).slice(2), [
      '2027-02-10 renewed',
      '2027-02-10 past_due',
      '2027-02-12 in_effect_changed false',
      '2027-02-13 recovered',
      '2027-02-13 in_effect_changed true',
    ]);
  });

  it('recovers when a payer pays while its period runs', async () => {
    const id = await subscriber.started(byPeriod('succeed;decline,decline,decline,decline,succeed;succeed'));
    await here.advance('2027-02-20T00:00:00Z');
    const { latest_payment_intent_id: intent, state } = await subscriber.get(id);
    assert.equal(state, 'paused');
    const paid = await stage.request('POST', `/payment_intents/${intent}/confirm`, {});
    assert.equal(paid.body.status, 'succeeded', paid.text);
    assert.equal((await subscriber.get(id)).state, 'active');
    await here.advance('2027-03-11T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), '3 2027-03-10 2027-04-10 paid 4900');
  });

  it('cannot be paid by a payer long after: a resume takes what was served, and no period that has passed', async () => {
    const id = await subscriber.started(byPeriod('succeed;decline,decline,decline,decline,succeed;succeed'));
    await here.advance('2027-03-11T00:00:00Z');
    await here.advance('2027-04-20T00:00:00Z');
    const { latest_payment_intent_id: intent } = await subscriber.get(id);
    refusal(await stage.request('POST', `/payment_intents/${intent}/confirm`, {}), 422, 'invalid_state');
    await subscriber.ask(id, 'resume');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 void 4900',
      '3 2027-04-20 2027-05-20 paid 5775',
    ]);
    assert.equal((await subscriber.get(id)).state, 'active');
  });

  it('is charged at once by retry_now, also when it is paused because a payment failed', async () => {
    const first = await subscriber.started(byPeriod('succeed;decline,succeed'));
    const second = await subscriber.started({ ...byPeriod('succeed;decline,succeed'), failure_behaviour: 'stop' });
    await here.advance('2027-02-10T00:00:00Z');
    for (const id of [first, second]) assert.equal((await subscriber.ask(id, 'retry_now')).state, 'active');
    refusal(await stage.request('POST', `/subscriptions/${first}/retry_now`), 422, 'invalid_state');
  });
});

describe('the periods of subscriptions', () => {
  const subscriber = useSubscriber();

  it('cannot overlap in the database', async () => {
    const id = await subscriber.started();
    const { sql } = subscriber.stage.db;
    await assert.rejects(
      sql`
        insert into subscription_periods (subscription_id, number, start_date, end_date, kind, status, lines, amount_cents, began_at)
        values (${id}, 2, '2027-02-09', '2027-03-09', 'paid', 'paid', '[]', 0, now())`,
      { code: '23P01' },
    );
  });
});
