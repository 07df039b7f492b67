import assert from 'node:assert/strict';
import { usePages } from '../support/pages.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const joining = { name: 'Joining fee', unit_amount_cents: 2500 };
const namesAndPeriods = (discounts: { name: string; periods_left: number | null }[] | null) =>
  (discounts ?? []).map(({ name, periods_left: left }) => `${name} ${left}`).join(', ');
const half = { name: 'First months', percent_off: 50, periods: 2 };

describe('the one-off items of a subscription', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const pages = usePages(stage);
  const linesOf = async (id: string): Promise<string[][]> => {
    const { body } = await stage.request('GET', `/subscriptions/${id}/periods`);
    return body.data
      .toReversed()
      .map(({ lines }: { lines: { kind: string; description: string; amount_cents: number }[] }) =>
        lines.map(({ kind, description, amount_cents: amount }) => `${kind} ${description} ${amount}`),
      );
  };

  it('are taken once, with the first period, and are in its schedule before', async () => {
    const { id } = await subscriber.create({ one_off_items: [joining] });
    const { body: schedule } = await stage.request('GET', `/subscriptions/${id}/schedule?count=2`);
    assert.deepEqual(
      schedule.data.map(({ amount_cents: amount }: { amount_cents: number }) => amount),
      [7400, 4900],
    );
    const started = await subscriber.ask(id, 'start');
    assert.deepEqual(started.one_off_items, []);
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual(await linesOf(id), [
      ['item Membership 4900', 'one_off Joining fee 2500'],
      ['item Membership 4900'],
    ]);
  });

  it('are taken with the first paid period after a trial', async () => {
    const id = await subscriber.started({ trial_days: 14, one_off_items: [joining] });
    assert.equal((await subscriber.get(id)).one_off_items.length, 1);
    await here.advance('2027-01-25T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-01-24 paid 0',
      '2 2027-01-24 2027-02-24 paid 7400',
    ]);
  });

  it('wait for the next period if they are added later, and an empty list withdraws them', async () => {
    const id = await subscriber.started();
    const towel = { name: 'Towel', unit_amount_cents: 300, quantity: 2 };
    await stage.request('PUT', `/subscriptions/${id}`, { one_off_items: [towel] });
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual((await linesOf(id))[1], ['item Membership 4900', 'one_off Towel 600']);
    await stage.request('PUT', `/subscriptions/${id}`, { one_off_items: [towel] });
    const { body } = await stage.request('PUT', `/subscriptions/${id}`, { one_off_items: [] });
    assert.deepEqual(body.one_off_items, []);
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual((await linesOf(id))[2], ['item Membership 4900']);
  });

  it('wait again if the first payment is declined, and are charged once when it is started again', async () => {
    const { id } = await subscriber.create({ one_off_items: [joining], metadata: { _sandbox_outcome: 'decline' } });
    const declined = await subscriber.ask(id, 'start');
    assert.deepEqual([declined.state, declined.one_off_items], ['pending', [{ ...joining, quantity: 1 }]]);
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: {} });
    await subscriber.ask(id, 'start');
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 7400',
      '2 2027-02-10 2027-03-10 paid 4900',
    ]);
  });

  it('are taken with the period that a resume begins if their own was not paid', async () => {
    const id = await subscriber.started({ metadata: { _sandbox_outcome_by_period: 'succeed;decline;succeed' } });
    await stage.request('PUT', `/subscriptions/${id}`, { one_off_items: [joining] });
    await here.advance('2027-03-11T00:00:00Z');
    await stage.request('PUT', `/subscriptions/${id}`, { metadata: {} });
    await subscriber.ask(id, 'resume');
    // And 8.75 for the 5 of 28 days that were served.
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 4900',
      '2 2027-02-10 2027-03-10 void 7400',
      '3 2027-03-11 2027-04-11 paid 8275',
    ]);
  });

  it('are replaced in the payment of an unpaid period too, and refused if they cost too much with the items', async () => {
    const fee = (unit_amount_cents: number) => ({ one_off_items: [{ name: 'Course', unit_amount_cents }] });
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,decline,decline,decline,succeed' };
    const id = await subscriber.started({ metadata });
    await stage.request('PUT', `/subscriptions/${id}`, fee(80_000_000));
    await here.advance('2027-02-20T00:00:00Z');
    const put = (amount: number) => stage.request('PUT', `/subscriptions/${id}`, fee(amount));
    assert.deepEqual(refusal(await put(99_999_000), 422), ['/one_off_items out_of_range']);
    const [shown] = (await subscriber.get(id)).one_off_items;
    assert.equal(shown.unit_amount_cents, 80_000_000);
    const items = [{ name: 'Membership', unit_amount_cents: 20_000_000 }];
    const changed = await stage.request('POST', `/subscriptions/${id}/change`, { items });
    assert.deepEqual(refusal(changed, 422), ['/one_off_items out_of_range']);
    assert.equal((await put(19_000_000)).status, 200);
    const { latest_payment_intent_id: intent, owed_amount_cents: owed } = await subscriber.get(id);
    assert.deepEqual([(await stage.merchant.getIntent(intent)).amount, owed], [19_004_900, 19_004_900]);
    await subscriber.ask(id, 'resume');
    assert.deepEqual((await subscriber.periods(id)).at(-1), '2 2027-02-10 2027-03-10 paid 19004900');
    assert.deepEqual((await subscriber.get(id)).one_off_items, []);
  });

  it('and discounts are on the receipt, as text whatever they are called', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const id = await subscriber.started({ one_off_items: [{ ...joining, name }], discounts: [half] });
    const { latest_payment_intent_id: intent } = await subscriber.get(id);
    const { receipt_url: url = '' } = await stage.merchant.getIntent(intent);
    const { html } = await pages.open(url);
    for (const words of ['&lt;img src=x', 'First months', '24.50', '49.00', '25.00'])
      assert.ok(html.includes(words), words);
    assert.ok(!html.includes('<img src=x'));
  });

  it('are refused if they are nothing, not whole, unknown, or too much together with the items', async () => {
    const { id } = await subscriber.create();
    for (const [one_off_items, error] of [
      [[{ ...joining, unit_amount_cents: 0 }], '/one_off_items/0/unit_amount_cents out_of_range'],
      [[{ ...joining, unit_amount_cents: 1.5 }], '/one_off_items/0/unit_amount_cents invalid_type'],
      [[{ ...joining, name: ' ' }], '/one_off_items/0/name invalid_format'],
      [[{ ...joining, price: 1 }], '/one_off_items/0/price unknown_parameter'],
      [[{ ...joining, unit_amount_cents: 99_999_999 }], '/one_off_items out_of_range'],
      [Array.from({ length: 21 }, () => joining), '/one_off_items too_many'],
    ] as const) {
      const reply = await stage.request('PUT', `/subscriptions/${id}`, { one_off_items });
      assert.deepEqual(refusal(reply, 422), [error]);
    }
    assert.deepEqual((await subscriber.get(id)).one_off_items, []);
  });
});

describe('the discounts of a subscription', () => {
  const subscriber = useSubscriber();
  const { here, stage } = subscriber;
  const put = (id: string, body: object) => stage.request('PUT', `/subscriptions/${id}`, body);

  it('are for so many paid periods, and then end', async () => {
    const id = await subscriber.started({ discounts: [half, { name: 'Student', amount_off_cents: 400 }] });
    const { discounts } = await subscriber.get(id);
    assert.deepEqual(discounts, [
      { name: 'First months', percent_off: 50, amount_off_cents: null, periods_left: 1 },
      { name: 'Student', percent_off: null, amount_off_cents: 400, periods_left: null },
    ]);
    const { body: schedule } = await stage.request('GET', `/subscriptions/${id}/schedule?count=2`);
    assert.deepEqual(
      schedule.data.map(({ amount_cents: amount }: { amount_cents: number }) => amount),
      [2050, 4500],
    );
    await here.advance('2027-02-10T00:00:00Z');
    await here.advance('2027-03-10T00:00:00Z');
    assert.deepEqual(await subscriber.periods(id), [
      '1 2027-01-10 2027-02-10 paid 2050',
      '2 2027-02-10 2027-03-10 paid 2050',
      '3 2027-03-10 2027-04-10 paid 4500',
    ]);
  });

  it('make a period free if they are all that it costs: it counts as paid', async () => {
    const id = await subscriber.started({ discounts: [{ name: 'Free', percent_off: 100, periods: 1 }] });
    const started = await subscriber.get(id);
    assert.deepEqual([started.state, started.in_effect, started.latest_payment_intent_id], ['active', true, null]);
    await here.advance('2027-02-10T00:00:00Z');
    assert.deepEqual((await subscriber.periods(id)).at(-1), '2 2027-02-10 2027-03-10 paid 4900');
  });

  it('are changed from the next period on: that of the current one stays', async () => {
    const id = await subscriber.started({ discounts: [{ ...half, periods: 9 }] });
    const { body } = await put(id, { discounts: [{ name: 'Student', amount_off_cents: 400 }] });
    assert.deepEqual([body.discounts[0].name, body.next_discounts[0].name], ['First months', 'Student']);
    await here.advance('2027-02-10T00:00:00Z');
    const next = await subscriber.get(id);
    assert.deepEqual([next.discounts[0].name, next.next_discounts], ['Student', null]);
    assert.deepEqual((await subscriber.periods(id)).at(-1), '2 2027-02-10 2027-03-10 paid 4500');
  });

  it('hold for a change within the period: what it credits is what was paid, and the quote is the charge', async () => {
    const id = await subscriber.started({ discounts: [half] });
    await here.advance('2027-01-26T00:00:00Z');
    const change = { items: [{ name: 'Gold', unit_amount_cents: 9900 }], when: 'now', collect: 'now' };
    const { body: quote } = await stage.request('POST', `/subscriptions/${id}/change`, { ...change, dry_run: true });
    assert.deepEqual(
      quote.lines.map(({ kind, amount_cents: amount }: { kind: string; amount_cents: number }) => [kind, amount]),
      [
        ['credit', -2371],
        ['proration', 4790],
        ['discount', 1186],
        ['discount', -2395],
      ],
    );
    const sure = { expected_amount_cents: quote.amount_cents };
    const { body: made } = await stage.request('POST', `/subscriptions/${id}/change`, { ...change, ...sure });
    assert.deepEqual([quote.amount_cents, made.amount_cents, made.next_period_amount_cents], [1210, 1210, 4950]);
    const { amount } = await stage.merchant.getIntent((await subscriber.get(id)).latest_payment_intent_id);
    assert.equal(amount, 1210);
  });

  it('that a first payment has not bought are not used up by it', async () => {
    const { id } = await subscriber.create({ discounts: [half], metadata: { _sandbox_outcome: 'decline' } });
    assert.equal((await subscriber.ask(id, 'start')).discounts[0].periods_left, 2);
  });

  it('that are changed while a first payment is under way hold if it fails, until they are changed again', async () => {
    const { id } = await subscriber.create({ discounts: [half], metadata: { _sandbox_outcome: 'decline' } });
    const other = { name: 'Other', amount_off_cents: 1000, periods: 3 };
    stage.ledger.beforeAnswer = async () => {
      await stage.request('PUT', `/subscriptions/${id}`, { discounts: [other] });
    };
    const failed = await subscriber.ask(id, 'start');
    assert.deepEqual([failed.discounts, failed.next_discounts].map(namesAndPeriods), ['Other 3', '']);
    stage.ledger.beforeAnswer = async () => {};
    await stage.request('PUT', `/subscriptions/${id}`, { discounts: [], metadata: {} });
    await subscriber.ask(id, 'start');
    assert.deepEqual((await subscriber.periods(id)).at(-1), '1 2027-01-10 2027-02-10 paid 4900');
  });

  it('are refused without a percentage or an amount, with both, and out of their ranges', async () => {
    const { id } = await subscriber.create();
    for (const [discount, error] of [
      [{ name: 'None' }, '/discounts/0/amount_off_cents out_of_range'],
      [{ name: 'Both', percent_off: 1, amount_off_cents: 1 }, '/discounts/0/amount_off_cents out_of_range'],
      [{ name: 'More', percent_off: 101 }, '/discounts/0/percent_off out_of_range'],
      [{ name: 'Part', percent_off: 12.5 }, '/discounts/0/percent_off invalid_type'],
      [{ name: 'Never', percent_off: 5, periods: 0 }, '/discounts/0/periods out_of_range'],
    ] as const) {
      assert.deepEqual(refusal(await put(id, { discounts: [discount] }), 422), [error]);
    }
    assert.deepEqual((await subscriber.get(id)).discounts, []);
  });

  it('and one-off items of a subscription that has ended stay as they were', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'cancel', { at: 'now' });
    const reply = await put(id, { discounts: [half], one_off_items: [joining] });
    assert.deepEqual(refusal(reply, 422), ['/discounts immutable', '/one_off_items immutable']);
  });
});
