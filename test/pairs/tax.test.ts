import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { type Life, useLives } from './lives.ts';

const amex = 'tok_sandbox_amex_succeed';
const declined = 'tok_sandbox_visa_decline_insufficient_funds';

describe('a tax that is included and another capability', () => {
  const account = { country: 'AU', costs: { amex: 190 }, tax: { label: 'GST', basisPoints: 1000 } };
  const lived = useLives({ account });
  const lessons = { name: 'Lessons', unit_amount_cents: 3000 };
  const food = { name: 'Food', unit_amount_cents: 1000, tax_included: false };
  /** What was taken by an intent, the part of its amount that is taxed, and the tax. */
  async function taxOf(life: Life, intent: string) {
    const { total_amount: total, tax, tax_amount: amount } = await life.get('payment_intents', intent);
    return [total, tax?.taxable_amount ?? null, amount];
  }
  const taxesOf = async (life: Life, subject: string) =>
    Promise.all((await life.intentsOf(subject)).map((intent) => taxOf(life, intent)));
  async function paidWith(life: Life, terms: object = {}) {
    const customer_id = await life.payer();
    const payment_method = await life.card(customer_id);
    return life.intent('invoice', { customer_id, payment_method, amount: 2500, confirm: true, ...terms });
  }

  lived('plan + tax: each payment includes it, and those after a change do not', async (life) => {
    const plan = await life.plan({ name: 'lessons', customer_id: await life.payer() });
    await life.to('2027-02-09');
    assert.deepEqual(await life.shows('payment_plans', plan, 'tax_included'), [true]);
    await life.puts('payment_plans', plan, { tax_included: false });
    await life.to('2027-02-16');
    assert.deepEqual(await taxesOf(life, plan), [
      [1000, 1000, 91],
      [1000, 1000, 91],
      [1000, null, 0],
    ]);
  });

  lived('subscription + tax: a period includes that of the items, fees and discounts that include it', async (life) => {
    const fee = { name: 'Deposit', unit_amount_cents: 500, tax_included: false };
    const discounts = [{ name: 'Half', percent_off: 50, periods: 1 }];
    const terms = { customer_id: await life.payer(), items: [lessons, food], one_off_items: [fee], discounts };
    const gym = await life.started({ name: 'gym', ...terms });
    await life.to('2027-03-02');
    assert.deepEqual((await life.get('subscriptions', gym)).items[1].tax_included, false);
    // The discount takes off half of the items, and nothing of the fee.
    assert.deepEqual(await taxesOf(life, gym), [
      [2500, 1500, 136],
      [4000, 3000, 273],
    ]);
  });

  lived('subscription + tax: a change takes that of its days, and credit gives it back', async (life) => {
    const gym = await life.started({ name: 'gym', customer_id: await life.payer(), items: [lessons] });
    await life.to('2027-02-15');
    const more = { items: [lessons, food], when: 'now', collect: 'now' };
    await life.does('subscriptions', gym, 'change', more);
    await life.does('subscriptions', gym, 'change', { items: [{ ...lessons, unit_amount_cents: 600 }], when: 'now' });
    await life.to('2027-03-02');
    const [first, change, next] = await taxesOf(life, gym);
    assert.deepEqual(first, [3000, 3000, 273]);
    assert.deepEqual(change, [500, null, 0]);
    assert.equal(next, undefined, 'the credit pays the next period');
  });

  lived('subscription + tax: what is owed keeps the part that its period had', async (life) => {
    const customer_id = await life.payer();
    const gym = await life.started({ name: 'gym', customer_id, items: [lessons, food] });
    const card = await life.card(customer_id, declined);
    await life.puts('customers', customer_id, { default_payment_method: card });
    await life.to('2027-04-02');
    await life.puts('customers', customer_id, { default_payment_method: await life.card(customer_id) });
    assert.deepEqual(await life.shows('subscriptions', gym, 'state'), ['paused']);
    await life.does('subscriptions', gym, 'resume');
    const taken = (await taxesOf(life, gym)).at(-1);
    // 5 of 31 days of 40.00, and a new period of 40.00: three quarters of both are taxed.
    assert.deepEqual(taken, [4645, 3484, 317]);
  });

  lived('scheduled + tax: a payment that was made before has the tax of then', async (life) => {
    const customer_id = await life.payer();
    const payment = { customer_id, payment_method: await life.card(customer_id), amount: 2500 };
    const intent = await life.intent('later', { ...payment, scheduled_payment_date: '2027-02-08' });
    assert.deepEqual(await taxOf(life, intent), [2500, 2500, 227]);
    await life.to('2027-02-09');
    assert.deepEqual(await taxOf(life, intent), [2500, 2500, 227]);
  });

  lived('link + tax: its payments include it, unless the link says otherwise', async (life) => {
    const customer_id = await life.customer();
    const taken = async (terms: object) => {
      const link = await life.link({ name: 'invoice', customer_id, ...terms });
      assert.equal(await life.opens(link), 'completed');
      const { data } = await life.ask('GET', `/payment_intents?payment_link_id=${link}`);
      return taxOf(life, data[0].id);
    };
    assert.deepEqual(
      [await taken({}), await taken({ tax_included: false })],
      [
        [2500, 2500, 227],
        [2500, null, 0],
      ],
    );
  });

  lived('session + tax: it is that of its payment, also if the payer chooses the amount', async (life) => {
    const customer_id = await life.customer();
    const range = { min: 500, max: 5000 };
    const session = await life.session({ name: 'sitting', customer_id, amount_range: range });
    assert.equal(await life.visits(session, { amount: 1100 }), 'completed');
    const [paid] = await life.shows('checkout_sessions', session, 'payment_intent_id');
    assert.deepEqual(await taxOf(life, String(paid)), [1100, 1100, 100]);
    const free = await life.session({ name: 'other', customer_id, amount: 1100, tax_included: false });
    assert.equal(await life.visits(free), 'completed');
    const [other] = await life.shows('checkout_sessions', free, 'payment_intent_id');
    assert.deepEqual(await taxOf(life, String(other)), [1100, null, 0]);
  });

  lived('mandate + tax: a debit includes it from its acceptance on', async (life) => {
    const { customer } = await life.debtor();
    const plan = await life.plan({ name: 'lessons', customer_id: customer });
    assert.deepEqual(await taxesOf(life, plan), [[1000, 1000, 91]]);
    await life.to('2027-02-05');
    assert.deepEqual(await taxesOf(life, plan), [[1000, 1000, 91]]);
  });

  lived('refund + tax: refunds give their share back, and all together all of it', async (life) => {
    const intent = await paidWith(life);
    const refunds = [await life.refunds(intent, 833), await life.refunds(intent, 833), await life.refunds(intent, 834)];
    assert.deepEqual(
      refunds.map(({ tax_amount: tax }) => tax),
      [75, 76, 76],
    );
  });

  lived('return + tax: a debit that comes back and is taken again includes it once', async (life) => {
    const { customer } = await life.debtor();
    const plan = await life.plan({
      name: 'lessons',
      customer_id: customer,
      metadata: { _sandbox_bank_outcome: 'late_dishonour,settled' },
    });
    await life.to('2027-02-20');
    const [first = ''] = await life.intentsOf(plan);
    assert.deepEqual(await taxOf(life, first), [1000, 1000, 91]);
    assert.deepEqual(await life.shows('payment_intents', first, 'status', 'total_returned_amount'), [
      'succeeded',
      1000,
    ]);
  });

  lived(
    'dispute + tax: what is lost takes the tax that refunds have left, and of two payments each its own',
    async (life) => {
      const [lost, won] = [await paidWith(life), await paidWith(life)];
      await life.refunds(lost, 833);
      await life.disputes('claim', lost, 'lost');
      await life.disputes('other', won, 'won');
      await life.to('2027-02-14');
      assert.deepEqual(await life.shows('payment_intents', lost, 'status', 'tax_amount'), ['returned', 227]);
      const { data } = await life.ask('GET', '/events?event_type=payment_intent.returned&limit=100');
      const told = data.find(({ data: { id } }: { data: { id: string } }) => id === lost)?.data;
      assert.deepEqual([told?.returned_amount, told?.returned_tax_amount], [1667, 227 - 75]);
    },
  );

  lived(
    'dispute + tax: a payment that was collected again gives the tax of each time back, to the cent',
    async (life) => {
      const plan = await life.plan({ name: 'lessons', customer_id: await life.payer() });
      const [first = ''] = await life.intentsOf(plan);
      const refunds = [await life.refunds(first, 250)];
      await life.disputes('claim', first, 'lost');
      await life.to('2027-02-12');
      await life.does('payment_plans', plan, 'resume');
      await life.to('2027-02-13');
      refunds.push(await life.refunds(first, 750));
      await life.disputes('second claim', first, 'lost');
      await life.to('2027-02-24');
      const { data } = await life.ask('GET', '/events?event_type=payment_intent.returned&limit=100');
      const lost = data.filter(({ data: { id } }: { data: { id: string } }) => id === first).reverse();
      assert.deepEqual(
        [
          ...refunds.map(({ amount, tax_amount: tax }) => [amount, tax]),
          ...lost.map(({ data: told }: { data: Record<string, number> }) => [
            told.returned_amount,
            told.returned_tax_amount,
          ]),
        ],
        [
          [250, 22],
          [750, 68],
          [750, 91 - 22],
          [250, 91 - 68],
        ],
      );
    },
  );

  lived('dispute + tax: a payment that is collected again without its surcharge has the tax of that', async (life) => {
    const customer_id = await life.customer('payer', { fee_preferences: { customer_pays_transaction_fees: true } });
    const payment_instrument_id = await life.card(customer_id, amex);
    const plan = await life.plan({ name: 'lessons', customer_id, payment_instrument_id });
    const [first = ''] = await life.intentsOf(plan);
    assert.deepEqual(await taxOf(life, first), [1019, 1000, 93]);
    assert.equal((await life.refunds(first, 1015)).tax_amount, 92);
    await life.disputes('claim', first, 'lost');
    await life.to('2027-02-12');
    await life.puts('payment_plans', plan, { payment_instrument_id: await life.card(customer_id) });
    await life.does('payment_plans', plan, 'resume');
    await life.to('2027-02-13');
    assert.deepEqual(await taxOf(life, first), [1000, 1000, 91]);
  });

  lived('deletion + tax: a payment of a customer who was deleted keeps it', async (life) => {
    const customer_id = await life.payer();
    const plan = await life.plan({ name: 'lessons', customer_id });
    await life.deletes(customer_id);
    assert.deepEqual(await taxesOf(life, plan), [[1000, 1000, 91]]);
  });

  lived('surcharge + tax: a surcharge is part of the price, and gives its tax back with it', async (life) => {
    const customer_id = await life.customer('payer', { fee_preferences: { customer_pays_transaction_fees: true } });
    const payment_method = await life.card(customer_id, amex);
    const terms = { customer_id, payment_method, amount: 10_000, confirm: true };
    const intent = await life.intent('invoice', terms);
    assert.deepEqual(await taxOf(life, intent), [10_190, 10_000, 926]);
    const refunds = [await life.refunds(intent, 5_000), await life.refunds(intent, 5_190)];
    assert.deepEqual(
      refunds.map(({ surcharge_amount: surcharge, tax_amount: tax }) => [surcharge, tax]),
      [
        [93, 454],
        [97, 472],
      ],
    );
  });

  lived('tax + tax: each payment of an account has its own', async (life) => {
    assert.deepEqual(await taxOf(life, await paidWith(life)), [2500, 2500, 227]);
    assert.deepEqual(await taxOf(life, await paidWith(life, { amount: 200 })), [200, 200, 18]);
    assert.deepEqual(await taxOf(life, await paidWith(life, { tax_included: false })), [2500, null, 0]);
  });
});
