import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import { describe, it } from 'mocha';
import { makeDebtor } from '../../lab/payer.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile, type ProfileChange } from '../../src/services/accounts/biller-profile.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

const september = '2026-09-20T00:00:00Z';
const october = '2026-10-03T00:00:00Z';

/** What each card is, and what a payment of 100.00 by it carries, whose fee is 2.05: before and from the ban on. */
const cards: Record<string, { data: Record<string, unknown>; before: Expected; since: Expected }> = {
  'a Visa card': { data: { card_bin: '42424242' }, before: [205, null], since: [0, 'not_allowed'] },
  'a Visa debit card': {
    data: { card_bin: '45171234', card_funding: 'debit' },
    before: [205, null],
    since: [0, 'not_allowed'],
  },
  'a Mastercard of the old range': {
    data: { card_bin: '51551234', card_funding: 'credit' },
    before: [150, 'capped'],
    since: [0, 'not_allowed'],
  },
  'a Mastercard of the range 2221 to 2720': {
    data: { card_bin: '22210012', card_funding: 'prepaid' },
    before: [150, 'capped'],
    since: [0, 'not_allowed'],
  },
  'an eftpos card': {
    data: { card_networks: ['eftpos'], card_funding: 'debit' },
    before: [205, null],
    since: [0, 'not_allowed'],
  },
  'a co-branded eftpos and Visa card': {
    data: { card_networks: ['eftpos'], card_bin: '45171234' },
    before: [205, null],
    since: [0, 'not_allowed'],
  },
  'a co-branded eftpos and American Express card': {
    data: { card_networks: ['eftpos', 'amex'] },
    before: [190, 'capped'],
    since: [0, 'not_allowed'],
  },
  'an American Express card': { data: { card_bin: '37144963' }, before: [190, 'capped'], since: [190, 'capped'] },
  'an American Express card in a wallet': {
    data: { wallet: 'apple_pay', card_brand: 'American Express' },
    before: [190, 'capped'],
    since: [190, 'capped'],
  },
  'a card of a wallet that says no more': {
    data: { wallet: 'apple_pay' },
    before: [0, 'not_allowed'],
    since: [0, 'not_allowed'],
  },
  'a token without a known network': { data: {}, before: [0, 'not_allowed'], since: [0, 'not_allowed'] },
  'a Discover card, about which no rule is known': {
    data: { card_bin: '60110000' },
    before: [0, 'not_allowed'],
    since: [0, 'not_allowed'],
  },
};
type Expected = [amount: number, reason: string | null];

function shown({
  surcharge_amount,
  surcharge_applied,
  surcharge_reason,
  total_amount,
  amount,
}: PaymentIntent): Expected {
  assert.equal(surcharge_applied, surcharge_amount > 0);
  assert.equal(total_amount, amount + surcharge_amount);
  return [surcharge_amount, surcharge_reason];
}

describe('the surcharge of an Australian account', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  const links = useLinks(stage);
  const costs = { amex: 190, mastercard: 150 };

  async function account(change: ProfileChange = { country: 'AU', costs }): Promise<void> {
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, change, { by: tester, now: realNow() });
  }
  /** A customer with this card, on a clock at this instant, who pays the fees. */
  async function payer(data: Record<string, unknown>, at: string, type = 'card') {
    const clock = await stage.merchant.clock(at);
    const customer = await stage.merchant.customer({
      test_clock: clock.id,
      fee_preferences: { customer_pays_transaction_fees: true },
    });
    const token_metadata = { type: 'vault', token: 'tok_of_a_vault', data: '' };
    const isCard = type === 'card';
    const { body } = await stage.request('POST', isCard ? '/payment_methods' : '/test_helpers/payment_methods', {
      type,
      customer_reference: customer.id,
      ...(isCard
        ? { payment_method_data: { expiry_month: 12, expiry_year: 2099, token_metadata, ...data } }
        : { instrument_data: data }),
    });
    assert.equal(body.success, true, JSON.stringify(body));
    return { clock, customer, methodId: String(body.payment_method.id) };
  }
  const lastIntent = async (customerId: string) => {
    const { data } = await stage.merchant.client.paymentIntents.list({ customer_id: customerId });
    assert.ok(data[0]);
    return stage.merchant.getIntent(data[0].id);
  };

  /** Each door through which a payment of 100.00 goes. Returns the payment. */
  const doors: Record<string, (who: Awaited<ReturnType<typeof payer>>, at: string) => Promise<PaymentIntent>> = {
    'an intent that is confirmed': async ({ customer, methodId }) => {
      const intent = await stage.merchant.intent({ amount: 10_000, customer_id: customer.id });
      return stage.merchant.client.paymentIntents.confirm(intent.id, { payment_method: methodId });
    },
    'an intent that is created and confirmed': ({ customer, methodId }) =>
      stage.merchant.intent({ amount: 10_000, customer_id: customer.id, payment_method: methodId, confirm: true }),
    'a link': async ({ customer, methodId }) => {
      const link = await links.link({ amount: 10_000, customer_id: customer.id });
      const paid = await links.pay(await links.open(link), { method: { id: methodId } });
      assert.equal(paid.kind, 'done', JSON.stringify(paid));
      return lastIntent(customer.id);
    },
    'a scheduled payment': async ({ customer, methodId }, at) => {
      const intent = await stage.merchant.intent({
        amount: 10_000,
        customer_id: customer.id,
        payment_method: methodId,
        scheduled_payment_date: at.slice(0, 10),
      });
      await stage.collectScheduled(intent.id, at);
      return stage.merchant.getIntent(intent.id);
    },
    'a plan': async ({ customer }, at) => {
      const plan = await stage.merchant.activePlan({
        customer_id: customer.id,
        recurring_amount_cents: 10_000,
        start_date: at.slice(0, 10),
      });
      await stage.collect(plan.id, at);
      return lastIntent(customer.id);
    },
    'a subscription': async ({ customer }) => {
      const { subscriptions } = stage.merchant.client;
      const { id } = await subscriptions.create({
        customer_id: customer.id,
        name: 'Membership',
        currency: 'AUD',
        frequency_type: 'monthly',
        items: [{ name: 'Gym', unit_amount_cents: 10_000, quantity: 1 }],
      });
      await subscriptions.start(id);
      return lastIntent(customer.id);
    },
  };

  for (const [door, pay] of Object.entries(doors)) {
    it(`follows the rules of the date at the door of ${door}, for each card`, async () => {
      await account();
      const wrong: unknown[] = [];
      for (const [name, { data, before, since }] of Object.entries(cards)) {
        for (const [at, expected] of [
          [september, before],
          [october, since],
        ] as const) {
          const who = await payer(data, at);
          const intent = await pay(who, at);
          const seen = [intent.status, ...shown(intent)];
          const taken = [...stage.ledger.taken.values()].at(-1);
          if (seen.join() !== ['succeeded', ...expected].join() || taken !== intent.total_amount) {
            wrong.push([name, at, seen, expected, taken]);
          }
          await stage.merchant.deleteClock(who.clock.id);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }

  it('is taken by PayPal only once the cost is stated, by PayID and Klarna never', async () => {
    await account();
    const payPal = { paypal_email: 'jo@example.com', account_name: 'Jo' };
    const byPayPal = async () => {
      const { customer, methodId } = await payer(payPal, october, 'paypal');
      return shown(
        await stage.merchant.intent({
          amount: 10_000,
          customer_id: customer.id,
          payment_method: methodId,
          confirm: true,
        }),
      );
    };
    assert.deepEqual(await byPayPal(), [0, 'not_allowed']);
    const other = await payer({ payid: 'jo@example.com', account_name: 'Jo' }, october, 'pay_id');
    const byPayId = { customer_id: other.customer.id, payment_method: other.methodId, confirm: true };
    assert.deepEqual(shown(await stage.merchant.intent({ amount: 10_000, ...byPayId })), [0, 'not_allowed']);
  });

  it('is at most the cost for PayPal once that is stated', async () => {
    await account({ country: 'AU', costs: { paypal: 120 } });
    const { customer, methodId } = await payer(
      { paypal_email: 'jo@example.com', account_name: 'Jo' },
      october,
      'paypal',
    );
    const intent = () =>
      stage.merchant.intent({ amount: 10_000, customer_id: customer.id, payment_method: methodId, confirm: true });
    assert.deepEqual(shown(await intent()), [120, 'capped']);
  });

  it('counts against the limit of a mandate only as far as it is taken', async () => {
    await account();
    const accepted = async () => {
      const debtor = await makeDebtor(stage.merchant.client);
      await stage.db.sql`update mandates set max_amount_cents = 10000 where id = ${debtor.mandateId}`;
      return stage.request('POST', '/payment_intents', {
        ...{ amount: 10_000, currency: 'AUD', surcharge_applied: true, confirm: true },
        ...{ customer_id: debtor.customerId, payment_method: debtor.methodId },
      });
    };
    const { body } = await accepted();
    assert.deepEqual([body.status, body.total_amount, body.surcharge_reason], ['processing', 10_000, 'not_allowed']);
  });

  it('is taken from a plan in September, also by its retries, and no more in October', async () => {
    await account({ country: 'AU' });
    const { clock, customer } = await payer({ card_bin: '42424242' }, '2026-09-13T14:00:00Z');
    await stage.merchant.activePlan({
      customer_id: customer.id,
      recurring_amount_cents: 10_000,
      start_date: '2026-09-14',
    });
    await stage.merchant.activePlan({
      customer_id: customer.id,
      recurring_amount_cents: 20_000,
      start_date: '2026-09-28',
      metadata: { _sandbox_outcome: 'decline' },
    });
    for (const target of ['2026-09-26T14:00:00Z', '2026-10-10T14:00:00Z', '2026-10-12T13:00:00Z']) {
      await stage.advance(clock.id, target);
    }
    const events = await stage.merchant.events({ test_clock: clock.id });
    const attempts = events
      .filter(({ event_type: type }) => type.startsWith('payment_intent.'))
      .map(({ created_at: at, data }) => [at, data.total_amount, data.surcharge_reason ?? ''].join(' '));
    assert.deepEqual(attempts, [
      '2026-09-13T14:00:00.000Z 10205 ',
      '2026-09-20T14:00:00.000Z 10205 ',
      '2026-09-27T14:00:00.000Z 10205 ',
      '2026-09-27T14:00:00.000Z 20380 ',
      '2026-09-28T14:00:00.000Z 20380 ',
      '2026-09-30T14:00:00.000Z 20000 not_allowed',
      '2026-10-02T14:00:00.000Z 20000 not_allowed',
      '2026-10-04T13:00:00.000Z 10000 not_allowed',
      '2026-10-11T13:00:00.000Z 10000 not_allowed',
    ]);
    assert.deepEqual([...stage.ledger.taken.values()], [10_205, 10_205, 10_205, 10_000, 10_000]);
  });

  it('is not taken in October from a link that was made in September', async () => {
    await account();
    const { clock, customer, methodId } = await payer({ card_bin: '42424242' }, '2026-09-28T00:00:00Z');
    const link = await links.link({ amount: 10_000, customer_id: customer.id });
    await stage.advance(clock.id, '2026-10-05T00:00:00Z');
    assert.equal((await links.pay(await links.open(link), { method: { id: methodId } })).kind, 'done');
    assert.deepEqual(shown(await lastIntent(customer.id)), [0, 'not_allowed']);
  });

  it('stays as it was charged if the country of the account changes later, and a refund gives its share back', async () => {
    await account({ country: 'AU' });
    const { customer, methodId } = await payer({ card_bin: '37144963' }, october);
    const intent = await stage.merchant.intent({
      ...{ amount: 10_000, customer_id: customer.id, payment_method: methodId, confirm: true },
    });
    assert.deepEqual(shown(intent), [205, null]);
    await account({ country: 'GB' });
    assert.deepEqual(shown(await stage.merchant.getIntent(intent.id)), [205, null]);
    const refunds = [];
    for (const amount of [5_000, undefined]) {
      refunds.push((await stage.request('POST', `/payment_intents/${intent.id}/refunds`, { amount })).body);
    }
    assert.deepEqual(
      refunds.map((refund) => [refund.amount, refund.surcharge_amount]),
      [
        [5_000, 100],
        [5_205, 105],
      ],
    );
  });

  it('follows the rules that GET /surcharge_rules lists for the account', async () => {
    await account();
    const { status, body } = await stage.request('GET', '/surcharge_rules');
    assert.deepEqual([status, body.country, body.has_more], [200, 'AU', false]);
    const lines = body.data.map((rule: Record<string, unknown>) =>
      [rule.payment_method_type, rule.card_network, rule.verdict, rule.cost_of_acceptance_percent].join(' '),
    );
    assert.ok(lines.includes('card amex at_most_cost 1.9'), lines.join());
    assert.ok(lines.includes('paypal  forbidden ') && lines.at(-1) === '  forbidden ', lines.join());
    const live = await stage.api.send('GET', '/api/v1/surcharge_rules', { key: stage.keys.liveSecret });
    assert.deepEqual(live.body.data, body.data);
    const other = await stage.stranger();
    const rules = (await other.merchant.request('GET', '/surcharge_rules')).body;
    assert.deepEqual([rules.country, rules.data.length, rules.data[0].verdict], [null, 1, 'allowed']);
    const theirs = await stage.api.send('GET', '/api/v1/surcharge_rules', { key: other.keys.liveSecret });
    assert.equal(theirs.body.data[0].verdict, 'forbidden');
    const asked = { amount: 10_000, currency: 'AUD' as const, surcharge_applied: true };
    const inLive = await stage.api.send('POST', '/api/v1/payment_intents', { key: other.keys.liveSecret, body: asked });
    assert.deepEqual(shown(inLive.body), [0, 'not_allowed']);
    assert.deepEqual(shown(await other.merchant.intent(asked)), [205, null]);
  });

  it('follows the rules in real time, in the statement that opens the charge', async () => {
    await account({ country: 'GB' });
    const { id } = await stage.merchant.payer();
    const waiting = await stage.merchant.intent({ customer_id: id, surcharge_applied: true });
    assert.deepEqual(shown(waiting), [0, 'not_allowed'], 'no card may carry one there');
    const method = await stage.merchant.card(id, 'tok_sandbox_amex_succeed');
    const confirmed = await stage.merchant.client.paymentIntents.confirm(waiting.id, { payment_method: method });
    const made = await stage.merchant.intent({
      customer_id: id,
      surcharge_applied: true,
      payment_method: method,
      confirm: true,
    });
    assert.deepEqual(
      [shown(confirmed), shown(made)],
      [
        [0, 'not_allowed'],
        [0, 'not_allowed'],
      ],
    );
    assert.deepEqual([...stage.ledger.taken.values()], [1000, 1000]);
  });
});
