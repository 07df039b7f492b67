import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebtor } from '../support/debtor.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

// 2027-01-10 to 2027-02-10 has 31 days. On 24 January, 17 of them are left.
const midway = '2027-01-24T00:00:00Z';
const at = (unit_amount_cents: number, quantity = 1) => [{ name: 'Membership', unit_amount_cents, quantity }];
const upgrade = { items: at(9800), when: 'now', collect: 'now' } as const;
const downgrade = { items: at(900), when: 'now' } as const;
const share = (amount: number, days = 17) => Math.round((amount * days) / 31);

describe('a change of a subscription', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const change = (id: string, body: object) => stage.request('POST', `/subscriptions/${id}/change`, body);
  const quoted = async (id: string, body: object) => {
    const reply = await change(id, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const changed = async (id: string, body: object) => (await quoted(id, body)).subscription;
  const changesOf = async (id: string) => (await stage.request('GET', `/subscriptions/${id}/changes`)).body.data;
  const completeChallenge = (intentId: string) =>
    stage.request('POST', `/test_helpers/payment_intents/${intentId}/complete_action`, { result: 'succeed' });
  const midwayStarted = async (terms: object = {}) => {
    const id = await subscriber.started(terms);
    await here.advance(midway);
    return id;
  };
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('is charged at once what its quote says, and is made then', async () => {
    const id = await midwayStarted();
    const quote = await quoted(id, { ...upgrade, dry_run: true });
    assert.equal(quote.amount_cents, share(9800) - share(4900));
    assert.equal(quote.next_period_amount_cents, 9800);
    assert.equal(quote.valid_until, '2027-01-25T00:00:00.000Z');
    assert.equal((await subscriber.get(id)).items[0].unit_amount_cents, 4900);
    const after = await changed(id, { ...upgrade, expected_amount_cents: quote.amount_cents });
    assert.equal(after.items[0].unit_amount_cents, 9800);
    assert.equal(after.change_payment_intent_id, null);
    const intent = await stage.request('GET', `/payment_intents/${after.latest_payment_intent_id}`);
    const { status, amount, subscription_period } = intent.body;
    assert.deepEqual([status, amount, subscription_period], ['succeeded', quote.amount_cents, 1]);
    const [made] = await changesOf(id);
    assert.deepEqual([made.status, made.amount_cents, made.lines], ['made', quote.amount_cents, quote.lines]);
    await here.advance('2027-02-10T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), '2 2027-02-10 2027-03-10 paid 9800');
    assert.deepEqual((await subscriber.events(id)).slice(2), ['2027-01-24 changed', '2027-02-10 renewed']);
  });

  it('is refused as 422 quote_changed if it costs another amount than expected, and nothing changes', async () => {
    const id = await midwayStarted();
    const { amount_cents } = await quoted(id, { ...upgrade, dry_run: true });
    await here.advance('2027-01-25T00:00:00Z');
    refusal(await change(id, { ...upgrade, expected_amount_cents: amount_cents }), 422, 'quote_changed');
    assert.deepEqual(await changesOf(id), []);
    assert.equal((await subscriber.get(id)).items[0].unit_amount_cents, 4900);
  });

  it('changes nothing if its charge is declined, and says why', async () => {
    const id = await midwayStarted();
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'decline' } });
    const after = await changed(id, upgrade);
    assert.equal(after.last_payment_error.code, 'insufficient_funds');
    assert.deepEqual([after.items[0].unit_amount_cents, after.state, after.in_effect], [4900, 'active', true]);
    assert.equal((await changesOf(id))[0].status, 'failed');
    assert.equal((await subscriber.events(id)).at(-1), '2027-01-24 change_failed');
    const retried = await stage.request('POST', `/payment_intents/${after.latest_payment_intent_id}/confirm`, {});
    assert.match(retried.text, /Change it again instead/);
    refusal(retried, 422, 'invalid_state');
  });

  it('that is collected later is taken with the next period, on its statement', async () => {
    const id = await midwayStarted();
    const after = await changed(id, { items: at(9800), when: 'now' });
    assert.equal(after.items[0].unit_amount_cents, 9800);
    const extra = share(9800) - share(4900);
    assert.equal(
      after.next_period_lines.reduce((sum: number, line: { amount_cents: number }) => sum + line.amount_cents, 0),
      extra,
    );
    const { body } = await stage.request('GET', `/subscriptions/${id}/schedule?count=2`);
    assert.deepEqual(
      body.data.map((period: { amount_cents: number }) => period.amount_cents),
      [9800 + extra, 9800],
    );
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      `2 2027-02-10 2027-03-10 paid ${9800 + extra}`,
      '3 2027-03-10 2027-04-10 paid 9800',
    ]);
  });

  it('leaves credit when the price falls, of which periods are paid before money is taken', async () => {
    const id = await midwayStarted();
    const after = await changed(id, downgrade);
    const credit = share(4900) - share(900);
    assert.equal(after.credit_balance_cents, credit);
    await here.advance('2027-03-11T00:00:00Z');
    await here.advance('2027-05-10T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      '2 2027-02-10 2027-03-10 paid 0',
      '3 2027-03-10 2027-04-10 paid 0',
      `4 2027-04-10 2027-05-10 paid ${2700 - credit}`,
      '5 2027-05-10 2027-06-10 paid 900',
    ]);
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
  });

  it('and back on the same day costs nothing', async () => {
    const id = await midwayStarted();
    await changed(id, { items: at(9800, 3), when: 'now' });
    const after = await changed(id, { items: at(4900), when: 'now' });
    assert.deepEqual([after.credit_balance_cents, after.next_period_lines], [0, []]);
    assert.equal((await changesOf(id)).length, 2);
  });

  it('is made with the next period if it is for the end of this one, and is taken back by a change to what it sells', async () => {
    const id = await midwayStarted();
    const scheduled = await changed(id, { items: at(900) });
    assert.deepEqual([scheduled.items[0].unit_amount_cents, scheduled.next_items[0].unit_amount_cents], [4900, 900]);
    assert.equal((await changed(id, { items: at(4900) })).next_items, null);
    await changed(id, { items: at(900) });
    await here.advance('2027-02-10T00:00:00Z');
    const after = await subscriber.get(id);
    assert.deepEqual([after.items[0].unit_amount_cents, after.next_items], [900, null]);
    assert.equal(after.items[0].id, scheduled.items[0].id);
    assert.deepEqual((await subscriber.events(id)).slice(2), [
      '2027-01-24 change_scheduled',
      '2027-01-24 change_removed',
      '2027-01-24 change_scheduled',
      '2027-02-10 renewed',
      '2027-02-10 changed',
    ]);
  });

  it('is listed page by page, newest first', async () => {
    const id = await midwayStarted();
    for (const amount of [100, 200, 300]) await changed(id, { items: at(amount), when: 'now' });
    const first = await stage.request('GET', `/subscriptions/${id}/changes?limit=2`);
    assert.deepEqual(
      first.body.data.map(({ number }: { number: number }) => number),
      [3, 2],
    );
    const rest = await stage.request('GET', `/subscriptions/${id}/changes?limit=2&starting_after=2`);
    assert.deepEqual([rest.body.data.length, rest.body.has_more], [1, false]);
    refusal(await stage.request('GET', `/subscriptions/${id}/changes?starting_after=9`), 400, 'validation_failed');
  });

  it('waits for a challenge, and another change takes its place meanwhile', async () => {
    const id = await midwayStarted();
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'requires_action,succeed' } });
    const waiting = await changed(id, upgrade);
    assert.equal(waiting.change_payment_intent_id, waiting.latest_payment_intent_id);
    assert.equal(waiting.items[0].unit_amount_cents, 4900);
    const second = await changed(id, { ...upgrade, items: at(7000) });
    const given = await stage.request('GET', `/payment_intents/${waiting.latest_payment_intent_id}`);
    assert.equal(given.body.status, 'canceled');
    await completeChallenge(second.latest_payment_intent_id);
    const after = await subscriber.get(id);
    assert.deepEqual([after.items[0].unit_amount_cents, after.change_payment_intent_id], [7000, null]);
    assert.deepEqual(
      (await changesOf(id)).map(({ status }: { status: string }) => status),
      ['made', 'failed'],
    );
  });

  it('that waits for a challenge ends with the subscription, and can no longer be paid', async () => {
    const id = await midwayStarted();
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'requires_action,succeed' } });
    const { change_payment_intent_id: waiting } = await changed(id, upgrade);
    await stage.request('POST', `/subscriptions/${id}/cancel`, { at: 'now' });
    refusal(await completeChallenge(waiting), 422, 'invalid_state');
    assert.equal((await stage.request('GET', `/payment_intents/${waiting}`)).body.status, 'canceled');
    const after = await subscriber.get(id);
    assert.deepEqual([after.state, after.change_payment_intent_id, after.credit_balance_cents], ['canceled', null, 0]);
    assert.equal((await changesOf(id))[0].status, 'failed');
    const events = await subscriber.events(id);
    assert.deepEqual(events.slice(-3), [
      '2027-01-24 change_failed',
      '2027-01-24 canceled',
      '2027-01-24 in_effect_changed false',
    ]);
  });

  it('that waits for a challenge ends with its period: days that are over are not charged', async () => {
    const id = await midwayStarted();
    await stage.request('PUT', `/subscriptions/${id}`, {
      metadata: { _sandbox_outcome: 'requires_action,succeed', _sandbox_outcome_by_period: 'succeed' },
    });
    const { latest_payment_intent_id: late } = await changed(id, upgrade);
    await here.advance('2027-02-10T00:00:00Z');
    refusal(await completeChallenge(late), 422, 'invalid_state');
    assert.equal((await stage.request('GET', `/payment_intents/${late}`)).body.status, 'canceled');
    const after = await subscriber.get(id);
    assert.deepEqual(
      [after.items[0].unit_amount_cents, after.credit_balance_cents, after.change_payment_intent_id],
      [4900, 0, null],
    );
    assert.equal((await changesOf(id))[0].status, 'failed');
    assert.deepEqual((await subscriber.events(id)).slice(-2), ['2027-02-10 change_failed', '2027-02-10 renewed']);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  for (const stop of ['pause', 'cancel'] as const) {
    it(`that waits for a challenge ends with its period, if that is also where a ${stop} takes effect`, async () => {
      const id = await midwayStarted();
      await stage.request('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'requires_action,succeed' } });
      const { latest_payment_intent_id: late } = await changed(id, upgrade);
      await stage.request('POST', `/subscriptions/${id}/${stop}`, {});
      await here.advance('2027-02-10T00:00:00Z');
      assert.equal((await stage.request('GET', `/payment_intents/${late}`)).body.status, 'canceled');
      assert.equal((await changesOf(id))[0].status, 'failed');
      assert.match((await subscriber.get(id)).state, /^(paused|canceled)$/);
    });
  }

  it('that was left for a next period is not collected after a cancellation, unless the biller collects it', async () => {
    const id = await midwayStarted();
    await changed(id, { ...upgrade, collect: 'next_period' });
    await stage.request('POST', `/subscriptions/${id}/cancel`, {});
    const left = share(9800) - share(4900);
    const taken = stage.ledger.taken.size;
    const { body: quote } = await change(id, { ...upgrade, dry_run: true });
    assert.equal(quote.amount_cents, left);
    const collected = await changed(id, { ...upgrade, expected_amount_cents: left });
    assert.deepEqual([collected.next_period_lines, collected.ends_at], [[], '2027-02-10']);
    assert.equal(stage.ledger.taken.size, taken + 1);
    const other = await subscriber.started({ start_date: '2027-01-24' });
    await changed(other, { items: at(9800), when: 'now' });
    await stage.request('POST', `/subscriptions/${other}/cancel`, {});
    const before = stage.ledger.taken.size;
    await here.advance('2027-03-20T00:00:00Z');
    const ended = await subscriber.get(other);
    assert.equal(ended.state, 'canceled');
    assert.ok(ended.next_period_lines.length > 0);
    assert.equal(stage.ledger.taken.size, before);
  });

  it('costs nothing in a trial, and the first paid period takes the new price', async () => {
    const id = await subscriber.started({ trial_days: 10 });
    assert.equal((await changed(id, { ...upgrade, expected_amount_cents: 0 })).items[0].unit_amount_cents, 9800);
    await here.advance('2027-01-21T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), '2 2027-01-20 2027-02-20 paid 9800');
  });

  it('gives back the credit that it used if its period is unpaid and then not billed', async () => {
    const id = await midwayStarted({ metadata: { _sandbox_outcome_by_period: 'succeed;decline' }, items: at(9000) });
    const { credit_balance_cents: credit } = await changed(id, { items: at(8000), when: 'now' });
    await here.advance('2027-02-20T00:00:00Z');
    const paused = await subscriber.get(id);
    assert.deepEqual([paused.state, paused.credit_balance_cents], ['paused', 0]);
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: {} });
    await subscriber.ask(id, 'resume');
    assert.deepEqual((await subscriber.periods(id)).slice(1), [
      `2 2027-02-10 2027-03-10 void ${8000 - credit}`,
      `3 2027-02-20 2027-03-20 paid ${8000 - credit}`,
    ]);
  });

  it('is refused while nothing could be billed for it, and with fields that do not go together', async () => {
    const { id } = await subscriber.create();
    refusal(await change(id, upgrade), 422, 'invalid_state');
    await subscriber.ask(id, 'start');
    for (const body of [
      { items: [] },
      { items: at(0) },
      { items: at(100), collect: 'now' },
      { items: at(100), expected_amount_cents: 0 },
      { items: at(100), frequency_type: 'weekly' },
    ]) {
      refusal(await change(id, body), 422, 'validation_failed');
    }
    await subscriber.ask(id, 'cancel');
    refusal(await change(id, { items: at(100) }), 422, 'invalid_state');
    refusal(await change(id, { items: at(10_000), when: 'now' }), 422, 'invalid_state');
    await subscriber.ask(id, 'cancel', { at: 'now' });
    refusal(await change(id, downgrade), 422, 'invalid_state');
  });

  it('is refused without a method that can be charged, if it costs something now', async () => {
    const id = await midwayStarted();
    await stage.request('POST', `/payment_methods/${here.card}/detach`);
    const refused = await change(id, upgrade);
    assert.equal(refused.body.error.details[0].code, 'payment_method_missing');
    assert.equal((await change(id, downgrade)).status, 200);
  });
});

describe('credit of a subscription that is paid out', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const refund = (id: string, body: object = {}) => stage.request('POST', `/subscriptions/${id}/refund_credit`, body);
  async function withCredit(): Promise<{ id: string; credit: number }> {
    const id = await subscriber.started();
    await here.advance(midway);
    const { body } = await stage.request('POST', `/subscriptions/${id}/change`, downgrade);
    return { id, credit: body.subscription.credit_balance_cents };
  }
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('is a refund of its last paid intent, in part or whole, also once it is canceled', async () => {
    const { id, credit } = await withCredit();
    const part = await refund(id, { amount_cents: 100, reason: 'Asked for it' });
    assert.deepEqual([part.status, part.body.status, part.body.amount], [201, 'succeeded', 100]);
    assert.equal(part.body.payment_intent_id, (await subscriber.get(id)).latest_payment_intent_id);
    await subscriber.ask(id, 'cancel', { at: 'now' });
    assert.equal((await refund(id)).body.amount, credit - 100);
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
    refusal(await refund(id), 422, 'invalid_state');
  });

  it('is never more than the credit, which a refund of the payment has used first', async () => {
    const { id, credit } = await withCredit();
    refusal(await refund(id, { amount_cents: credit + 1 }), 422, 'validation_failed');
    // An ordinary refund pays credit out first.
    const { latest_payment_intent_id: intentId } = await subscriber.get(id);
    await stage.request('POST', `/payment_intents/${intentId}/refunds`, { amount: credit - 100 });
    refusal(await refund(id, { amount_cents: 101 }), 422, 'validation_failed');
    assert.equal((await refund(id)).body.amount, 100);
    refusal(await refund(id), 422, 'invalid_state');
    assert.equal((await subscriber.get(id)).credit_balance_cents, 0);
  });

  it('comes back if the refund fails', async () => {
    const { id, credit } = await withCredit();
    const failed = await refund(id, { metadata: { _sandbox_refund_outcome: 'fail' } });
    assert.deepEqual([failed.status, failed.body.status], [201, 'failed']);
    assert.equal((await subscriber.get(id)).credit_balance_cents, credit);
  });
});

describe('a change that is collected by a bank debit', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const debtor = useDebtor(stage);
  async function startedByDebit(metadata: Record<string, string> = {}): Promise<string> {
    const account = await debtor.account(here.customer);
    await debtor.active({ payment_method_id: account });
    const id = await subscriber.started({ payment_instrument_id: account });
    await here.advance(midway);
    await stage.request('PUT', `/subscriptions/${id}`, { metadata });
    return id;
  }
  const upgraded = async (id: string) =>
    (await stage.request('POST', `/subscriptions/${id}/change`, upgrade)).body.subscription;
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('is made when the bank has collected it, and no other is taken meanwhile', async () => {
    const id = await startedByDebit();
    const waiting = await upgraded(id);
    assert.deepEqual([waiting.items[0].unit_amount_cents, waiting.in_effect], [4900, true]);
    refusal(await stage.request('POST', `/subscriptions/${id}/change`, upgrade), 422, 'invalid_state');
    await here.advance('2027-02-02T00:00:00Z');
    const after = await subscriber.get(id);
    assert.deepEqual([after.items[0].unit_amount_cents, after.change_payment_intent_id], [9800, null]);
  });

  it('is not made if the bank refuses it', async () => {
    const id = await startedByDebit({ _sandbox_bank_outcome: 'dishonoured' });
    await upgraded(id);
    await here.advance('2027-02-02T00:00:00Z');
    const after = await subscriber.get(id);
    assert.deepEqual([after.items[0].unit_amount_cents, after.state], [4900, 'active']);
    assert.equal(after.last_payment_error.code, 'insufficient_funds');
  });

  it('that comes back after it was made is taken with the next period', async () => {
    const id = await startedByDebit();
    const { latest_payment_intent_id: intentId } = await upgraded(id);
    await here.advance('2027-02-02T00:00:00Z');
    const path = `/test_helpers/payment_intents/${intentId}/bank_result`;
    const { body: intent } = await stage.request('POST', path, { result: 'returned' });
    assert.equal(intent.status, 'returned');
    const after = await subscriber.get(id);
    assert.deepEqual(
      [after.items[0].unit_amount_cents, after.next_period_lines[0].amount_cents],
      [9800, intent.amount],
    );
  });
});
