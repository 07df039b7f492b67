import assert from 'node:assert/strict';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const uncollectable = { metadata: { _sandbox_outcome_by_period: 'succeed;decline' } };

describe('a trial', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;

  it('is in effect, is announced three days before its end, and then its first paid period begins', async () => {
    const id = await subscriber.started({ trial_days: 14 });
    const trialing = await subscriber.get(id);
    assert.deepEqual([trialing.state, trialing.in_effect_until], ['trialing', '2027-01-24T00:00:00.000Z']);
    assert.deepEqual(trialing.current_period, { number: 1, start: '2027-01-10', end: '2027-01-24', status: 'paid' });
    await here.advance('2027-01-25T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-01-24 paid 0',
      '2 2027-01-24 2027-02-24 paid 4900',
    ]);
    assert.deepEqual(await subscriber.events(id), [
      '2027-01-10 started',
      '2027-01-10 in_effect_changed true',
      '2027-01-21 trial_ending',
      '2027-01-24 renewed',
    ]);
  });

  it('that is shorter than three days is announced at once', async () => {
    const id = await subscriber.started({ trial_days: 2 });
    assert.deepEqual((await subscriber.events(id)).at(-1), '2027-01-10 trial_ending');
  });

  for (const [behaviour, state, reason] of [
    ['pause', 'paused', 'no_payment_method'],
    ['cancel', 'canceled', 'no_payment_method'],
    // Without a method nothing is retried, and a new one can still pay: it is past due, without grace.
    ['charge', 'past_due', null],
  ] as const) {
    it(`that ends without a method is handled by trial_end_behaviour ${behaviour}`, async () => {
      const customer = await stage.merchant.customer({ test_clock: here.clock });
      const terms = { customer_id: customer.id, trial_days: 5, trial_end_behaviour: behaviour };
      const id = await subscriber.started(terms);
      await here.advance('2027-01-16T00:00:00Z');
      const ended = await subscriber.get(id);
      assert.deepEqual([ended.state, ended.state_reason, ended.in_effect], [state, reason, false]);
    });
  }

  it('has no grace after its end: nothing was paid yet', async () => {
    const id = await subscriber.started({ trial_days: 5, metadata: { _sandbox_outcome: 'decline' } });
    await here.advance('2027-01-15T00:00:00Z');
    const due = await subscriber.get(id);
    assert.deepEqual([due.state, due.in_effect], ['past_due', false]);
  });
});

describe('a pause', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;

  it('begins at the end of the period, bills nothing, and ends with a new period on the day of the resume', async () => {
    const id = await subscriber.started();
    const asked = await subscriber.ask(id, 'pause');
    assert.deepEqual([asked.state, asked.pauses_at, asked.next_period_start], ['active', '2027-02-10', null]);
    await here.advance('2027-03-05T00:00:00Z');
    assert.equal((await subscriber.get(id)).state, 'paused');
    await subscriber.ask(id, 'resume');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-03-05 2027-04-05 paid 4900',
    ]);
    assert.deepEqual((await subscriber.events(id)).slice(2), [
      '2027-01-10 pause_scheduled',
      '2027-02-10 paused',
      '2027-02-10 in_effect_changed false',
      '2027-03-05 resumed',
      '2027-03-05 renewed',
      '2027-03-05 in_effect_changed true',
    ]);
  });

  it('ends on its own at resumes_at', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause', { resumes_at: '2027-02-20' });
    await here.advance('2027-02-25T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).at(-1), '2 2027-02-20 2027-03-20 paid 4900');
    const { last_advance } = await stage.merchant.getClock(here.clock);
    assert.equal(last_advance?.effects_manifest?.subscriptions_rolled, 1);
  });

  it('that ends by a request is charged within it: the response has the period that was paid', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause');
    await here.advance('2027-03-05T00:00:00Z');
    const { body } = await stage.request('POST', `/subscriptions/${id}/resume`);
    assert.deepEqual(
      [body.state, body.in_effect, body.in_effect_until, body.next_period_start],
      ['active', true, '2027-04-05T00:00:00.000Z', '2027-04-05'],
    );
    assert.deepEqual(body.current_period, { number: 2, start: '2027-03-05', end: '2027-04-05', status: 'paid' });
  });

  it('keeps the day of the month if the resume names it: the new period is short, and costs its share', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause');
    await here.advance('2027-03-03T00:00:00Z');
    const resumed = await subscriber.ask(id, 'resume', { anchor_day: 10 });
    assert.deepEqual([resumed.anchor_day, resumed.next_period_start], [10, '2027-03-10']);
    await here.advance('2027-04-10T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      '2 2027-03-03 2027-03-10 paid 1225', // 7 of 28 days
      '3 2027-03-10 2027-04-10 paid 4900',
      '4 2027-04-10 2027-05-10 paid 4900',
    ]);
  });

  it('has no day of the month to keep before it begins, for weeks, and out of range', async () => {
    const id = await subscriber.started();
    const resume = (of: string, anchor_day: unknown) =>
      stage.request('POST', `/subscriptions/${of}/resume`, { anchor_day });
    await subscriber.ask(id, 'pause');
    assert.deepEqual(refusal(await resume(id, 10), 422), ['/anchor_day out_of_range']);
    for (const [day, code] of [
      [0, 'out_of_range'],
      [32, 'out_of_range'],
      ['10', 'invalid_type'],
      [1.5, 'invalid_type'],
    ]) {
      assert.deepEqual(refusal(await resume(id, day), 422), [`/anchor_day ${code}`]);
    }
    assert.equal((await subscriber.get(id)).pauses_at, '2027-02-10');
    const weekly = await subscriber.started({ frequency_type: 'weekly' });
    await subscriber.ask(weekly, 'pause');
    await here.advance('2027-01-20T00:00:00Z');
    assert.deepEqual(refusal(await resume(weekly, 10), 422), ['/anchor_day out_of_range']);
    assert.equal((await subscriber.get(weekly)).state, 'paused');
  });

  it('that has not begun is taken back by a resume', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause');
    const back = await subscriber.ask(id, 'resume');
    assert.deepEqual([back.pauses_at, back.next_period_start], [null, '2027-02-10']);
    assert.deepEqual((await subscriber.events(id)).slice(-1), ['2027-01-10 pause_removed']);
  });

  it('ends with the unpaid period while that runs, which a resume charges in full; the calendar stays', async () => {
    const id = await subscriber.started({
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,decline,decline,decline,succeed' },
    });
    await here.advance('2027-02-20T00:00:00Z');
    assert.equal((await subscriber.get(id)).owed_amount_cents, 4900);
    const resumed = await subscriber.ask(id, 'resume');
    assert.deepEqual(
      [resumed.state, resumed.in_effect, resumed.in_effect_until, resumed.owed_amount_cents],
      ['active', true, '2027-03-10T00:00:00.000Z', 0],
    );
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 paid 4900',
    ]);
  });

  it('leaves the unpaid period void once that is over: no payer pays it, and a resume takes what was served', async () => {
    const id = await subscriber.started(uncollectable);
    await here.advance('2027-03-11T00:00:00Z');
    const { latest_payment_intent_id: unpaid, owed_amount_cents: owed } = await subscriber.get(id);
    assert.equal((await stage.merchant.getIntent(unpaid)).status, 'canceled');
    assert.equal(owed, 875);
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: {} });
    const resumed = await subscriber.ask(id, 'resume');
    assert.deepEqual([resumed.state, resumed.in_effect], ['active', true]);
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 void 4900',
      '3 2027-03-11 2027-04-11 paid 5775',
    ]);
  });

  it('is refused while a payment is retried, and a resume without a method', async () => {
    const id = await subscriber.started(uncollectable);
    await here.advance('2027-02-10T00:00:00Z');
    refusal(await stage.request('POST', `/subscriptions/${id}/pause`, {}), 422, 'invalid_state');
    await here.advance('2027-02-20T00:00:00Z');
    await stage.merchant.detach(here.card);
    const refused = refusal(await stage.request('POST', `/subscriptions/${id}/resume`), 422);
    assert.deepEqual(refused, ['/payment_instrument_id payment_method_missing']);
  });
});

describe('an end or a pause at the end of a later period', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const refused = async (id: string, what: string, body: object) => {
    const before = await subscriber.get(id);
    const events = await subscriber.events(id);
    const reply = await stage.request('POST', `/subscriptions/${id}/${what}`, body);
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(await subscriber.get(id), before);
    assert.deepEqual(await subscriber.events(id), events);
    return reply;
  };

  it('lets the periods before a pause begin and be paid, and ends the pause on its day', async () => {
    const id = await subscriber.started();
    const asked = await subscriber.ask(id, 'pause', { from: '2027-03-10', resumes_at: '2027-03-20' });
    assert.deepEqual(
      [asked.pauses_at, asked.resumes_at, asked.next_period_start],
      ['2027-03-10', '2027-03-20', '2027-02-10'],
    );
    await here.advance('2027-03-09T00:00:00Z');
    await here.advance('2027-04-05T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 paid 4900',
      '3 2027-03-20 2027-04-20 paid 4900',
    ]);
    assert.deepEqual((await subscriber.events(id)).slice(2), [
      '2027-01-10 pause_scheduled',
      '2027-02-10 renewed',
      '2027-03-10 paused',
      '2027-03-10 in_effect_changed false',
      '2027-03-20 resumed',
      '2027-03-20 renewed',
      '2027-03-20 in_effect_changed true',
    ]);
  });

  it('lets the periods before an end begin and be paid, and ends the subscription on its day', async () => {
    const id = await subscriber.started();
    const asked = await subscriber.ask(id, 'cancel', { at: '2027-03-10' });
    assert.deepEqual([asked.state, asked.ends_at, asked.next_period_start], ['active', '2027-03-10', '2027-02-10']);
    await here.advance('2027-03-11T00:00:00Z');
    const ended = await subscriber.get(id);
    assert.deepEqual([ended.state, ended.state_reason, ended.in_effect], ['canceled', 'ended', false]);
    assert.equal((await subscriber.periods(id)).length, 2);
  });

  it('is withdrawn by a resume, or by an uncancel', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'pause', { from: '2027-03-10' });
    assert.equal((await subscriber.ask(id, 'resume')).pauses_at, null);
    await subscriber.ask(id, 'cancel', { at: '2027-03-10' });
    assert.equal((await subscriber.ask(id, 'uncancel')).ends_at, null);
    await here.advance('2027-03-11T00:00:00Z');
    assert.equal((await subscriber.periods(id)).length, 3);
  });

  it('lets the retries before a later end go on', async () => {
    const id = await subscriber.started({ metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed' } });
    await here.advance('2027-02-10T00:00:00Z');
    const canceled = await subscriber.ask(id, 'cancel', { at: '2027-04-10' });
    assert.deepEqual([canceled.state, canceled.next_attempt_at], ['past_due', '2027-02-11T00:00:00.000Z']);
    await here.advance('2027-02-12T00:00:00Z');
    const paid = await subscriber.get(id);
    assert.deepEqual([paid.state, paid.ends_at], ['active', '2027-04-10']);
  });

  it('is refused at another day with the two nearest, and nothing has changed', async () => {
    const id = await subscriber.started();
    const paused = await refused(id, 'pause', { from: '2027-03-01' });
    assert.deepEqual(refusal(paused, 422), ['/from out_of_range']);
    assert.match(paused.body.error.message, /nearest to come are 2027-02-10 and 2027-03-10/);
    for (const at of ['2027-01-10', '2026-12-10', '2027-02-09']) {
      const canceled = await refused(id, 'cancel', { at });
      assert.deepEqual(refusal(canceled, 422), ['/at out_of_range'], at);
      assert.match(canceled.body.error.message, /nearest to come are 2027-02-10 and 2027-03-10/);
    }
    assert.deepEqual(refusal(await refused(id, 'cancel', { at: '2999-01-10' }), 422), ['/at out_of_range']);
  });

  it('is refused if it is no date, in words that name all that may be sent', async () => {
    const id = await subscriber.started();
    for (const at of ['soon', '2027-02-30', '2027-02-10T00:00:00Z', '', "'; drop table subscriptions; --"]) {
      const reply = await refused(id, 'cancel', { at });
      assert.deepEqual(refusal(reply, 422), ['/at invalid_value'], at);
      assert.match(reply.body.error.message, /period_end, now or a date that exists/);
    }
    for (const at of [null, 20270210, ['2027-02-10'], {}]) await refused(id, 'cancel', { at });
    for (const from of ['soon', '2027-02-30', null, 20270210]) await refused(id, 'pause', { from });
  });

  it('is no end of a subscription that is pending or paused', async () => {
    const { id: pending } = await subscriber.create();
    refusal(await refused(pending, 'cancel', { at: '2027-02-10' }), 422, 'invalid_state');
    const paused = await subscriber.started();
    await subscriber.ask(paused, 'pause');
    await here.advance('2027-02-10T00:00:00Z');
    refusal(await refused(paused, 'cancel', { at: '2027-03-10' }), 422, 'invalid_state');
  });

  it('is requested once for each Idempotency-Key', async () => {
    const id = await subscriber.started();
    const keyed = { key: stage.merchant.key, headers: { 'Idempotency-Key': 'gym-1' } };
    const cancel = (at: string) =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}/cancel`, { ...keyed, body: { at } });
    const [first, again] = [await cancel('2027-03-10'), await cancel('2027-03-10')];
    assert.equal(first.text, again.text);
    assert.equal((await subscriber.events(id)).filter((line) => line.endsWith('cancel_scheduled')).length, 1);
    const other = await cancel('2027-04-10');
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused']);
  });
});

describe('a refused request of a subscription', () => {
  const subscriber = useSubscriber();
  const { stage } = subscriber;
  const refusedBecause = async (id: string, what: string) =>
    (await stage.request('POST', `/subscriptions/${id}/${what}`)).body.error?.message;

  it('names exactly the requests that would not be refused now', async () => {
    const { id } = await subscriber.create();
    assert.equal(
      await refusedBecause(id, 'retry_now'),
      `Subscription ${id}: It is pending and cannot be changed by retry_now. Allowed now: start, cancel.`,
    );
    await subscriber.ask(id, 'start');
    assert.match(await refusedBecause(id, 'start'), /Allowed now: pause, cancel\.$/);
    await subscriber.ask(id, 'cancel');
    assert.match(await refusedBecause(id, 'start'), /Allowed now: cancel, uncancel\.$/);
  });
});

describe('the end of a subscription', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;

  it('comes at the end of the period by default, and can be taken back before', async () => {
    const id = await subscriber.started();
    assert.equal((await subscriber.ask(id, 'cancel')).ends_at, '2027-02-10');
    assert.equal((await subscriber.ask(id, 'uncancel')).ends_at, null);
    await subscriber.ask(id, 'cancel');
    await here.advance('2027-03-01T00:00:00Z');
    const ended = await subscriber.get(id);
    assert.deepEqual([ended.state, ended.state_reason, ended.in_effect], ['canceled', 'ended', false]);
    assert.deepEqual(await subscriber.periods(id), ['1 2027-01-10 2027-02-10 paid 4900']);
  });

  it('comes at once if that is asked for', async () => {
    const id = await subscriber.started();
    const ended = await subscriber.ask(id, 'cancel', { at: 'now' });
    assert.deepEqual([ended.state, ended.state_reason, ended.in_effect], ['canceled', 'requested', false]);
    refusal(await stage.request('POST', `/subscriptions/${id}/cancel`, {}), 422, 'invalid_state');
  });

  it('comes at once while it is pending or paused', async () => {
    const { id: pending } = await subscriber.create();
    const paused = await subscriber.started({ ...uncollectable, failure_behaviour: 'stop' });
    await here.advance('2027-02-10T00:00:00Z');
    for (const id of [pending, paused]) assert.equal((await subscriber.ask(id, 'cancel')).state, 'canceled');
  });

  it('ends the retries of what is unpaid, and an uncancel lets them go on', async () => {
    const id = await subscriber.started({ metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed' } });
    await here.advance('2027-02-10T00:00:00Z');
    const canceled = await subscriber.ask(id, 'cancel');
    assert.deepEqual([canceled.state, canceled.next_attempt_at, canceled.ends_at], ['past_due', null, '2027-03-10']);
    await here.advance('2027-02-12T00:00:00Z');
    assert.equal((await subscriber.ask(id, 'uncancel')).state, 'active');
  });

  it('is canceled with its unpaid period when that ends', async () => {
    const id = await subscriber.started(uncollectable);
    await here.advance('2027-02-10T00:00:00Z');
    await subscriber.ask(id, 'cancel');
    await here.advance('2027-03-20T00:00:00Z');
    const ended = await subscriber.get(id);
    assert.deepEqual([ended.state, ended.current_period.status], ['canceled', 'unpaid']);
  });

  it('comes at ends_at, which must be an end of a period', async () => {
    const id = await subscriber.started({ ends_at: '2027-03-10' });
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual([(await subscriber.get(id)).state, (await subscriber.periods(id)).length], ['canceled', 2]);
    const terms = {
      customer_id: here.customer,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      ends_at: '2027-05-01',
    };
    const reply = await stage.request('POST', '/subscriptions', terms);
    assert.deepEqual(refusal(reply, 422), ['/ends_at out_of_range']);
    assert.match(reply.body.error.message, /2027-04-10 and 2027-05-10/);
  });

  it('comes with the deletion of its customer', async () => {
    const id = await subscriber.started();
    await stage.request('DELETE', `/customers/${here.customer}`);
    const ended = await subscriber.get(id);
    assert.deepEqual([ended.state, ended.state_reason], ['canceled', 'customer_deleted']);
  });
});

describe('the terms of a subscription', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const create = (terms: object) =>
    stage.request('POST', '/subscriptions', {
      customer_id: here.customer,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
      ...terms,
    });

  for (const [what, terms, error] of [
    ['no items', { items: [] }, '/items too_few'],
    ['items of 0', { items: [{ name: 'Free', unit_amount_cents: 0 }] }, '/items out_of_range'],
    [
      'a quantity of 0',
      { items: [{ name: 'A', unit_amount_cents: 1, quantity: 0 }] },
      '/items/0/quantity out_of_range',
    ],
    ['two trials', { trial_days: 3, trial_end_date: '2027-02-01' }, '/trial_end_date out_of_range'],
    ['a trial that ends before it starts', { trial_end_date: '2027-01-10' }, '/trial_end_date out_of_range'],
    ['a start in the past', { start_date: '2027-01-09' }, '/start_date out_of_range'],
    ['a day of the month for weeks', { frequency_type: 'weekly', anchor_day: 3 }, '/anchor_day out_of_range'],
    [
      'outcomes that are none',
      { metadata: { _sandbox_outcome_by_period: 'succeed;' } },
      '/metadata/_sandbox_outcome_by_period invalid_value',
    ],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      assert.deepEqual(refusal(await create(terms), 422), [error]);
    });
  }

  it('give a first period that is short its share of the days', async () => {
    const id = await subscriber.started({
      anchor_day: 1,
      items: [{ name: 'Seat', unit_amount_cents: 3100, quantity: 2 }],
    });
    await here.advance('2027-02-02T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-01 paid 4400',
      '2 2027-02-01 2027-03-01 paid 6200',
    ]);
  });

  it('cannot be changed after the start, except for those that decide about later payments', async () => {
    const id = await subscriber.started();
    const { body } = await stage.request('PUT', `/subscriptions/${id}`, { name: 'Gold', grace_days: 0 });
    assert.deepEqual([body.name, body.grace_days], ['Gold', 0]);
    const refused = await stage.request('PUT', `/subscriptions/${id}`, { frequency_type: 'yearly' });
    assert.deepEqual(refusal(refused, 422), ['/frequency_type immutable']);
  });

  it('that another operation changes name that operation in the refusal', async () => {
    const id = await subscriber.started();
    const items = [{ name: 'Seat', unit_amount_cents: 3100 }];
    const { body } = await stage.request('PUT', `/subscriptions/${id}`, { items, ends_at: '2027-06-10' });
    const messages = body.error.details.map(({ message }: { message: string }) => message);
    assert.deepEqual(messages, [
      'items cannot be changed while the subscription is active. Change them with POST /subscriptions/{subscription_id}/change.',
      'ends_at cannot be changed while the subscription is active. End it with POST /subscriptions/{subscription_id}/cancel.',
    ]);
  });

  it('cannot begin in the past by a change before the start either', async () => {
    const { id } = await subscriber.create();
    const refused = await stage.request('PUT', `/subscriptions/${id}`, { start_date: '2027-01-09' });
    assert.deepEqual(refusal(refused, 422), ['/start_date out_of_range']);
  });

  it('show the periods to come before the start, and after it', async () => {
    const { id } = await subscriber.create({ trial_days: 4, ends_at: '2027-03-14' });
    const dates = async () => {
      const { body } = await stage.request('GET', `/subscriptions/${id}/schedule?count=2`);
      return [
        body.data.map(({ number, start }: { number: number; start: string }) => `${number} ${start}`),
        body.has_more,
      ];
    };
    assert.deepEqual(await dates(), [['2 2027-01-14', '3 2027-02-14'], false]);
    await subscriber.ask(id, 'start');
    assert.deepEqual(await dates(), [['2 2027-01-14', '3 2027-02-14'], false]);
  });
});

describe('a clock with subscriptions', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;

  it('counts each as 30 days for the bound, whatever its interval, unless it is pending, paused or canceled', async () => {
    const bound = async () => (await stage.merchant.getClock(here.clock)).max_frozen_time;
    const { id } = await subscriber.create({ frequency_type: 'yearly' });
    assert.equal(await bound(), '2027-03-13T00:00:00.000Z');
    await subscriber.ask(id, 'start');
    assert.equal(await bound(), '2027-03-11T00:00:00.000Z');
    await subscriber.started({ frequency_type: 'weekly' });
    assert.equal(await bound(), '2027-03-11T00:00:00.000Z');
  });

  it('shows in a dry run what an advance then does', async () => {
    await subscriber.started({ metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed' } });
    const path = `/test_helpers/test_clocks/${here.clock}`;
    const target = { frozen_time: '2027-03-10T00:00:00Z' };
    const dry = await stage.request('POST', `${path}/advance`, { ...target, dry_run: true });
    await here.advance(target.frozen_time);
    const { body } = await stage.request('GET', `${path}/effects?limit=100`);
    const lines = (effects: { at: string; event_type: string; object: string }[]) =>
      effects.map(({ at, event_type: type, object }) => `${at} ${type} ${object}`);
    assert.deepEqual(lines(dry.body.effects), lines(body.data));
    const { last_advance } = await stage.merchant.getClock(here.clock);
    assert.deepEqual(dry.body.effects_manifest, last_advance?.effects_manifest);
  });

  it('takes its subscriptions along when it is deleted', async () => {
    const id = await subscriber.started();
    await stage.merchant.deleteClock(here.clock);
    assert.equal((await stage.request('GET', `/subscriptions/${id}`)).status, 404);
  });
});
