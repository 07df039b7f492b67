import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { makeKey } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';
import { type Handed, useCheckout } from './checkout.ts';

describe('a publishable key that reads a payment intent', () => {
  const stage = useStage({ isAlone: true });
  const page = useCheckout(stage);
  const payersOwn = [
    'amount',
    'client_secret',
    'created_at',
    'currency',
    'id',
    'last_payment_error',
    'livemode',
    'next_action',
    'statement_descriptor',
    'status',
    'surcharge_amount',
    'surcharge_applied',
    'surcharge_reason',
    'tax',
    'tax_amount',
    'total_amount',
    'updated_at',
  ];
  /** A payment intent with a value in each field. */
  async function full(more: object = {}): Promise<Handed> {
    const { id: customer_id } = await stage.merchant.customer({ reference: 'member-1042' });
    await stage.merchant.card(customer_id);
    const metadata = { margin: 'secret', ...more };
    return page.intent({ customer_id, metadata, surcharge_applied: true, statement_descriptor: 'HARBOUR GYM' });
  }
  const own = async ({ id }: Handed): Promise<string> =>
    (await stage.request('GET', `/payment_intents/${id}`)).body.payment_method_id;

  it('sees what a payer needs, with the values that a secret key sees, and nothing else', async () => {
    const intent = await full();
    const { body } = await page.fetch(intent);
    assert.deepEqual(Object.keys(body).sort(), payersOwn);
    const { body: all } = await stage.request('GET', `/payment_intents/${intent.id}`);
    assert.deepEqual(body, Object.fromEntries(payersOwn.map((name) => [name, all[name]])));
  });

  it('sees no more after a confirm: in its response, in the replayed response and in a later fetch', async () => {
    for (const outcome of ['succeed', 'decline', 'requires_action']) {
      const intent = await full({ _sandbox_outcome: outcome });
      const card = await page.card();
      const headers = { 'Idempotency-Key': `confirm-${intent.id}` };
      const confirmed = await page.confirm(intent, card, headers);
      const replayed = await page.confirm(intent, card, headers);
      assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
      assert.equal(replayed.text, confirmed.text);
      const fetched = await page.fetch(intent);
      for (const { status, body, text } of [confirmed, fetched]) {
        const { receipt_url: receipt, ...others } = body;
        assert.deepEqual([status, Object.keys(others).sort()], [200, payersOwn]);
        assert.equal(receipt !== undefined, body.status === 'succeeded');
        for (const word of [card, 'cus_', 'acct_', 'pm_', 'margin', 'fee_amount'])
          assert.ok(!text.includes(word), word);
      }
      assert.equal(await own(intent), card);
    }
  });

  it('sees no more in the response to a confirm that continues after a crash', async () => {
    for (const crashes of ['before the answer', 'after the outcome'] as const) {
      const intent = await full();
      const card = await page.card();
      const headers = { 'Idempotency-Key': `crash-${intent.id}` };
      stage.ledger.beforeAnswer = async () => {
        throw new Error('the process is gone');
      };
      assert.equal((await page.confirm(intent, card, headers)).status, 500);
      stage.ledger.beforeAnswer = async () => {};
      if (crashes === 'after the outcome') {
        await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 90_000));
      }
      const again = await page.confirm(intent, card, headers);
      const { receipt_url: _receipt, ...others } = again.body;
      assert.deepEqual([again.status, Object.keys(others).sort()], [200, payersOwn]);
      assert.equal((await page.confirm(intent, card, headers)).text, again.text);
    }
  });

  it('sees no id of the biller in a refusal', async () => {
    const intent = await full();
    await page.confirm(intent, await page.card());
    const refusals = [await page.confirm(intent), await page.confirm(intent, 'pm_none')];
    for (const { status, text } of refusals) {
      assert.equal(status, 422);
      assert.ok(!/cus_|acct_|pm_|clk_/.test(text), text);
    }
  });
});

describe('the client_secret of a payment intent', () => {
  const stage = useStage({ isAlone: true });
  const page = useCheckout(stage);

  it('is shown only to keys with payment_intents:write', async () => {
    const { id: billerId } = stage.keys.biller;
    const restricted = async (...scopes: string[]) => (await makeKey(stage.db.sql, { billerId, scopes })).key;
    const reader = await restricted('payment_intents:read');
    const writer = await restricted('payment_intents:read', 'payment_intents:write');
    const intent = await page.intent();
    const fetchBy = async (key: string) =>
      (await stage.api.send('GET', `/api/v1/payment_intents/${intent.id}`, { key })).body;
    const { client_secret, next_action: _action, ...others } = await fetchBy(writer);
    assert.equal(client_secret, intent.client_secret);
    assert.deepEqual(await fetchBy(reader), others);
    assert.equal((await fetchBy(stage.keys.sandboxSecret)).client_secret, intent.client_secret);
    assert.equal((await page.fetch(intent)).body.client_secret, intent.client_secret);
  });

  it('is in the response to creating and confirming, which need that scope, and in no list, event, cancellation or refund', async () => {
    const { id: billerId } = stage.keys.biller;
    const { key } = await makeKey(stage.db.sql, { billerId, scopes: ['payment_intents:write'] });
    const send = (path: string, body: object = {}) => stage.api.send('POST', `/api/v1${path}`, { key, body });
    const made = (await send('/payment_intents', { amount: 500, currency: 'AUD' })).body;
    assert.ok(made.client_secret);
    const payment_method = await page.card();
    const confirmed = await send(`/payment_intents/${made.id}/confirm`, { payment_method });
    assert.equal(confirmed.body.client_secret, made.client_secret);
    const other = await page.intent();
    const elsewhere = [
      await send(`/payment_intents/${made.id}/refunds`),
      await send(`/payment_intents/${other.id}/cancel`),
      await stage.request('GET', '/payment_intents'),
      await stage.request('GET', '/events'),
    ];
    for (const { status, text } of elsewhere) {
      assert.ok(status < 300, text);
      assert.ok(!text.includes('_secret_') && !text.includes('client_secret'), text);
    }
  });
});
