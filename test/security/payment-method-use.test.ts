import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { holdLocks, inTurn } from '../races/barriers.ts';
import type { Reply } from '../support/api.ts';
import { useStage } from '../support/stage.ts';
import { bytesOf, outcomeOf, useCheckout } from './checkout.ts';

const allowed = '200 succeeded';
/** Neither the payment intent nor the request names the customer of the method. */
const unnamed = '400 payment_method_not_allowed';
const refused = '403 payment_method_not_allowed';

describe('the payment method of a confirm', () => {
  const stage = useStage();
  const page = useCheckout(stage);
  const bySecretKey = (intentId: string, payment_method?: string): Promise<Reply> =>
    stage.request('POST', `/payment_intents/${intentId}/confirm`, { payment_method });
  const ownerOf = async (id: string) => {
    const [row] = await stage.db.sql<{ customer_id: string | null; bound: string | null }[]>`
      select customer_id, bound_payment_intent_id as bound from payment_methods where id = ${id}`;
    assert.ok(row);
    return row;
  };
  const customer = async () => (await stage.merchant.customer()).id;
  const cardOfSomebody = async () => stage.merchant.card(await customer());
  /** A card without a customer that the page has used for another payment intent. */
  async function boundElsewhere(): Promise<string> {
    const card = await page.card();
    assert.equal(outcomeOf(await page.confirm(await page.intent(), card)), allowed);
    return card;
  }
  /** A card without a customer that the biller's server has used for another intent. */
  async function usedByBiller(): Promise<string> {
    const card = await page.card();
    assert.equal(outcomeOf(await bySecretKey((await page.intent()).id, card)), allowed);
    return card;
  }
  /** A card without a customer that the biller's server has named for another intent, and not charged. */
  async function namedByBiller(): Promise<string> {
    const card = await page.card();
    await page.intent({ payment_method: card });
    return card;
  }

  type Kind = 'publishable' | 'secret';
  const matrix: {
    method: string;
    make: (customerId: string) => Promise<string>;
    expected: Record<Kind, [string, string]>;
  }[] = [
    {
      method: 'a method of the customer’s own',
      make: (customerId) => stage.merchant.card(customerId),
      expected: { publishable: [allowed, refused], secret: [allowed, unnamed] },
    },
    {
      method: 'a method of another customer',
      make: cardOfSomebody,
      expected: { publishable: [refused, refused], secret: ['400 payment_method_of_other_customer', unnamed] },
    },
    {
      method: 'an unattached method',
      make: () => page.card(),
      expected: { publishable: [allowed, allowed], secret: [allowed, allowed] },
    },
    {
      method: 'an unattached method that is bound to another intent',
      make: boundElsewhere,
      expected: { publishable: [refused, refused], secret: [allowed, '400 payment_method_of_other_intent'] },
    },
    {
      method: 'an unattached method that a secret key has charged for another intent',
      make: usedByBiller,
      expected: { publishable: [refused, refused], secret: [allowed, allowed] },
    },
    {
      method: 'an unattached method that a secret key has named for another intent',
      make: namedByBiller,
      expected: { publishable: [refused, refused], secret: [allowed, allowed] },
    },
    {
      method: 'an unknown method',
      make: async () => 'pm_none',
      expected: { publishable: [refused, refused], secret: ['400 resource_missing', '400 resource_missing'] },
    },
    {
      method: 'a method of another biller',
      async make() {
        const { merchant } = await stage.stranger();
        return merchant.card((await merchant.customer()).id);
      },
      expected: { publishable: [refused, refused], secret: ['400 resource_missing', '400 resource_missing'] },
    },
    {
      method: 'a method of the other mode',
      async make() {
        const token_metadata = { type: 'vault', token: 't', data: '' };
        const payment_method_data = { expiry_month: 1, expiry_year: 2040, token_metadata };
        const body = { type: 'card', payment_method_data };
        const { keys, api } = stage;
        return (await api.send('POST', '/api/v1/payment_methods', { key: keys.liveSecret, body })).body.payment_method
          .id;
      },
      expected: { publishable: [refused, refused], secret: ['400 resource_missing', '400 resource_missing'] },
    },
  ];
  for (const { method, make, expected } of matrix) {
    for (const kind of ['publishable', 'secret'] as const) {
      for (const [index, which] of (['with', 'without'] as const).entries()) {
        it(`gets, with a ${kind} key, for ${method} and an intent ${which} a customer: ${expected[kind][index]}`, async () => {
          const customerId = await customer();
          const card = await make(customerId);
          const intent = await page.intent(which === 'with' ? { customer_id: customerId } : {});
          stage.ledger.reset();
          const reply = kind === 'publishable' ? await page.confirm(intent, card) : await bySecretKey(intent.id, card);
          assert.equal(outcomeOf(reply), expected[kind][index], reply.text);
          const isCharged = reply.status === 200;
          assert.equal(stage.ledger.taken.size, isCharged ? 1 : 0);
          if (!isCharged) assert.equal((await stage.merchant.getIntent(intent.id)).status, 'requires_payment_method');
        });
      }
    }
  }

  it('is refused to a publishable key with the same bytes, whether it is another customer’s, bound, unknown or foreign', async () => {
    for (const terms of [{}, { customer_id: await customer() }]) {
      const intent = await page.intent(terms);
      const replies: string[] = [];
      for (const { make, expected } of matrix) {
        if (expected.publishable[0] === refused)
          replies.push(bytesOf(await page.confirm(intent, await make('cus_none'))));
      }
      assert.deepEqual([replies.length, new Set(replies).size], [7, 1], replies.join('\n'));
      assert.ok(!/pm_|cus_|pi_/.test(String(replies[0])));
    }
  });

  it('is refused with the same bytes if it is another customer’s who is deleted, or on an advancing clock', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const onClock = await stage.merchant.customer({ test_clock: clock.id });
    const deleted = await customer();
    const cards = [await stage.merchant.card(onClock.id), await stage.merchant.card(deleted)];
    await stage.merchant.beginAdvance(clock.id, '2031-03-01T00:00:00Z');
    await stage.request('DELETE', `/customers/${deleted}`);
    const intent = await page.intent();
    const expected = bytesOf(await page.confirm(intent, 'pm_none'));
    assert.ok(expected.includes('payment_method_not_allowed'));
    for (const card of cards) assert.equal(bytesOf(await page.confirm(intent, card)), expected);
  });

  it('does not make a publishable key’s confirm wait for the other customer to whom it belongs', async () => {
    const owner = await customer();
    const card = await stage.merchant.card(owner);
    const intent = await page.intent();
    const locks = await holdLocks(stage.db.sql, (tx) => tx`select from customers where id = ${owner} for update`);
    try {
      assert.equal(outcomeOf(await page.confirm(intent, card)), refused);
    } finally {
      await locks.release();
    }
  });

  it('stays bound to its first payment intent whatever the outcome, and can be tried again there', async () => {
    for (const [token, outcome] of [
      ['tok_sandbox_visa_decline_insufficient_funds', '200 failed'],
      ['tok_sandbox_visa_timeout', '200 failed'],
      ['tok_sandbox_visa_3ds_required', '200 requires_action'],
      ['tok_sandbox_visa_succeed', '200 succeeded'],
    ] as const) {
      const card = await page.card(token);
      const first = await page.intent();
      assert.equal(outcomeOf(await page.confirm(first, card)), outcome);
      assert.deepEqual(await ownerOf(card), { customer_id: null, bound: first.id });
      assert.equal(outcomeOf(await page.confirm(await page.intent(), card)), refused);
      assert.equal(outcomeOf(await page.confirm(await page.intent({ customer_id: await customer() }), card)), refused);
      if (outcome === '200 failed') {
        assert.equal(outcomeOf(await page.confirm(first, card)), '200 failed');
        assert.equal(outcomeOf(await page.confirm(first)), '200 failed');
        assert.equal(outcomeOf(await page.confirm(first, await page.card())), '200 succeeded');
      }
    }
  });

  it('is not bound by a confirm that opens no charge', async () => {
    const card = await page.card();
    const paid = await page.intent();
    await page.confirm(paid, await page.card());
    assert.equal(outcomeOf(await page.confirm(paid, card)), '422 invalid_state');
    assert.equal(outcomeOf(await page.confirm({ ...paid, client_secret: 'x' }, card)), '403 client_secret_invalid');
    assert.deepEqual(await ownerOf(card), { customer_id: null, bound: null });
    assert.equal(outcomeOf(await page.confirm(await page.intent(), card)), allowed);
  });

  it('stays bound if its first confirm crashes; the repeated confirm continues and charges once', async () => {
    const card = await page.card();
    const [first, second] = [await page.intent(), await page.intent()];
    const headers = { 'Idempotency-Key': `crash-${first.id}` };
    stage.ledger.beforeAnswer = async () => {
      throw new Error('the process is gone');
    };
    assert.equal((await page.confirm(first, card, headers)).status, 500);
    stage.ledger.beforeAnswer = async () => {};
    assert.equal(outcomeOf(await page.confirm(second, card)), refused);
    const again = await page.confirm(first, card, headers);
    assert.equal(outcomeOf(again), allowed);
    const replayed = await page.confirm(first, card, headers);
    assert.deepEqual([replayed.text, replayed.headers.get('idempotent-replayed')], [again.text, 'true']);
    assert.equal(stage.ledger.taken.size, 1);
  });

  it('is bound to one of two payment intents that are confirmed with it at the same time', async () => {
    for (const isReversed of [false, true]) {
      stage.ledger.reset();
      const card = await page.card();
      const intents = [await page.intent(), await page.intent()] as const;
      const [first, second] = isReversed ? [intents[1], intents[0]] : intents;
      const replies = await inTurn<[Reply, Reply]>(stage.db.sql, { table: 'payment_methods', id: card }, [
        () => page.confirm(first, card),
        () => page.confirm(second, card),
      ]);
      assert.deepEqual(replies.map(outcomeOf), [allowed, refused]);
      assert.deepEqual([(await ownerOf(card)).bound, stage.ledger.taken.size], [first.id, 1]);
    }
  });

  it('is attached to one of two customers whose payment intents are confirmed with it at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      stage.ledger.reset();
      const card = await page.card();
      const customers = [await customer(), await customer()];
      const intents = await Promise.all(customers.map((customer_id) => page.intent({ customer_id })));
      const replies = await Promise.all(intents.map((intent) => page.confirm(intent, card)));
      assert.deepEqual(replies.map(outcomeOf).sort(), [allowed, refused]);
      const winner = replies.findIndex(({ status }) => status === 200);
      assert.deepEqual(await ownerOf(card), { customer_id: customers[winner], bound: null });
      assert.equal(stage.ledger.taken.size, 1);
    }
  });

  it('belongs to the customer after the confirm that attached it, and does not become its default', async () => {
    const customer_id = await customer();
    const card = await page.card();
    assert.equal(outcomeOf(await page.confirm(await page.intent({ customer_id }), card)), allowed);
    assert.deepEqual(await ownerOf(card), { customer_id, bound: null });
    assert.equal((await stage.request('GET', `/customers/${customer_id}`)).body.default_payment_method, null);
    assert.equal(outcomeOf(await page.confirm(await page.intent({ customer_id }), card)), allowed);
    assert.equal(outcomeOf(await page.confirm(await page.intent({ customer_id: await customer() }), card)), refused);
    assert.equal(outcomeOf(await page.confirm(await page.intent(), card)), refused);
  });

  it('is no longer bound after a secret key attached it: by an attach, a payment intent, a confirm or a plan', async () => {
    const ways: ((card: string, customer_id: string) => Promise<Reply>)[] = [
      (card, customer_id) => stage.request('POST', `/payment_methods/${card}/attach`, { customer_id }),
      (card, customer_id) =>
        stage.request('POST', '/payment_intents', { amount: 500, currency: 'AUD', customer_id, payment_method: card }),
      async (card, customer_id) => bySecretKey((await page.intent({ customer_id })).id, card),
      (card, customer_id) =>
        stage.request('POST', '/payment_plans', {
          customer_id,
          payment_instrument_id: card,
          name: 'Weekly',
          frequency_type: 'weekly',
          recurring_amount_cents: 1000,
          currency: 'AUD',
          start_date: '2199-01-01',
          until_further_notice: true,
        }),
    ];
    for (const attach of ways) {
      const card = await boundElsewhere();
      const customer_id = await customer();
      const { status, text } = await attach(card, customer_id);
      assert.ok(status < 300, text);
      assert.deepEqual(await ownerOf(card), { customer_id, bound: null });
      assert.equal(outcomeOf(await page.confirm(await page.intent({ customer_id }), card)), allowed);
      assert.equal(outcomeOf(await page.confirm(await page.intent(), card)), refused);
    }
  });

  it('that is bound cannot be named for another intent, scheduled or not, before a secret key attaches it', async () => {
    const card = await boundElsewhere();
    const scheduled_payment_date = new Date(realNow().getTime() + 5 * 86_400_000).toISOString().slice(0, 10);
    for (const more of [{}, { scheduled_payment_date }]) {
      const body = { amount: 500, currency: 'AUD', payment_method: card, ...more };
      assert.equal(
        outcomeOf(await stage.request('POST', '/payment_intents', body)),
        '400 payment_method_of_other_intent',
      );
    }
  });

  it('is by default that of the payment intent, by the same rule', async () => {
    const owner = await customer();
    const own = await stage.merchant.card(owner);
    assert.equal(
      outcomeOf(await page.confirm(await page.intent({ customer_id: owner, payment_method: own }))),
      allowed,
    );
    const card = await page.card();
    const [one, other] = [await page.intent({ payment_method: card }), await page.intent({ payment_method: card })];
    assert.equal(outcomeOf(await page.confirm(one)), allowed);
    assert.equal(outcomeOf(await page.confirm(await page.intent(), card)), refused);
    assert.equal(outcomeOf(await page.confirm(other, card)), allowed);
    assert.equal(outcomeOf(await page.confirm(await page.intent())), '400 parameter_missing');
    // It belongs to a customer now, but the payment intent still has no customer.
    const carrying = await page.intent({ payment_method: card });
    await stage.request('POST', `/payment_methods/${card}/attach`, { customer_id: owner });
    assert.equal(outcomeOf(await page.confirm(carrying)), refused);
  });

  it('that is detached is refused, and the error does not contain its id', async () => {
    const customer_id = await customer();
    const card = await stage.merchant.card(customer_id);
    const intent = await page.intent({ customer_id, payment_method: card });
    await stage.merchant.detach(card);
    const reply = await page.confirm(intent);
    assert.equal(outcomeOf(reply), '400 payment_method_detached');
    assert.ok(!reply.text.includes(card));
  });

  it('is refused if its customer is deleted, and the error does not contain the customer’s id', async () => {
    const customer_id = await customer();
    const intent = await page.intent({ customer_id });
    await stage.request('DELETE', `/customers/${customer_id}`);
    const reply = await page.confirm(intent, await page.card());
    assert.equal(outcomeOf(reply), '422 invalid_state');
    assert.ok(!reply.text.includes(customer_id));
  });
});
