import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useLinks } from '../support/links.ts';
import { contentsOf, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

describe('the receipt of a payment', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  const links = useLinks(stage);
  const pages = usePages(stage);

  async function paid(body: Record<string, unknown> = {}) {
    const payer = await stage.merchant.customer();
    const card = await stage.merchant.card(payer.id);
    const { id } = await stage.merchant.intent({ customer_id: payer.id, ...body });
    const { body: intent } = await stage.request('POST', `/payment_intents/${id}/confirm`, {
      payment_method: card,
    });
    assert.equal(intent.status, 'succeeded');
    return intent;
  }

  it('has a URL once the payment has succeeded, and not before', async () => {
    const { id, receipt_url: url } = await paid();
    assert.match(url, /^http:\/\/pages\.test\/receipt\/pi_sandbox_\w{32}_\w{31}$/);
    assert.equal((await stage.merchant.getIntent(id)).receipt_url, url);
    const unpaid = await stage.merchant.intent();
    assert.equal('receipt_url' in (await stage.merchant.getIntent(unpaid.id)), false);
  });

  it('shows number, payee, date, method, amount and surcharge, and the total that was charged', async () => {
    const intent = await paid({ amount: 2500, surcharge_applied: true, statement_descriptor: 'HARBOUR GYM' });
    const { status, text } = await pages.open(intent.receipt_url, { 'Accept-Language': 'en-AU' });
    assert.equal(status, 200);
    const total = `$${(intent.total_amount / 100).toFixed(2)}`;
    const surcharge = `$${(intent.surcharge_amount / 100).toFixed(2)}`;
    assert.notEqual(intent.surcharge_amount, 0);
    for (const words of [intent.id.slice(-10), 'Visa ending in 4242', '$25.00', surcharge, total, 'HARBOUR GYM']) {
      assert.ok(text.includes(words), `${words} in ${text}`);
    }
    assert.match(text, /Date \d{1,2} \w+ 20\d\d/);
  });

  it('shows the description as text, whatever is in it, and not to a publishable key', async () => {
    const description = '<img src=x onerror=alert(1)> "Ten & lessons" \u202e';
    const intent = await paid({ description });
    assert.equal(intent.description, description);
    const { html } = await pages.open(intent.receipt_url);
    assert.ok(html.includes('&lt;img src=x onerror=alert(1)&gt;'), html);
    assert.ok(!html.includes('<img src=x'));
    const query = `client_secret=${intent.client_secret}`;
    const options = { key: stage.keys.sandboxPublishable };
    const { body } = await stage.api.send('GET', `/api/v1/payment_intents/${intent.id}?${query}`, options);
    assert.deepEqual([body.id, body.description], [intent.id, undefined]);
    const unpaid = await stage.merchant.intent({ description: 'Ten lessons' });
    const terms = { name: 'Lessons', payment_intent_id: unpaid.id };
    assert.equal((await stage.merchant.client.checkoutSessions.create(terms)).description, 'Ten lessons');
    for (const wrong of ['', 'x'.repeat(501), 7, null]) {
      const reply = await stage.request('POST', '/payment_intents', {
        amount: 500,
        currency: 'AUD',
        description: wrong,
      });
      assert.equal(reply.status, 400, JSON.stringify(wrong));
    }
  });

  /** The rows of the receipt of the payment that belongs to an object, by their names. */
  async function rowsOf(column: string, id: string): Promise<Record<string, string>> {
    const { sql } = stage.db;
    const [intent] = await sql<{ id: string }[]>`
      select id from payment_intents where ${sql(column)} = ${id} and status = 'succeeded'`;
    const { receipt_url: url = '' } = await stage.merchant.getIntent(String(intent?.id));
    const { html } = await pages.open(url);
    const rows = html.matchAll(/<th scope="row">([^<]*)<\/th><td>([^<]*)<\/td>/g);
    return Object.fromEntries([...rows].map(([, name = '', value = '']) => [name, value]));
  }

  it('says what was paid for: the link with its reference, the session, the plan or the subscription', async () => {
    const { client } = stage.merchant;
    const link = await links.link({ name: 'Invoice 1042', description: 'For the boat', reference: 'R-7' });
    const token = await links.open(link);
    await links.pay(token);
    const ofLink = await rowsOf('payment_link_id', link.id);
    assert.deepEqual([ofLink.For, ofLink.Details, ofLink.Reference], ['Invoice 1042', 'For the boat', 'R-7']);

    const session = await client.checkoutSessions.create({ name: 'Bike', amount: 2500, currency: 'AUD' });
    await links.pay(String(session.url).split('/').at(-1) ?? '');
    const ofSession = await rowsOf('checkout_session_id', session.id);
    assert.deepEqual([ofSession.For, ofSession.Details, ofSession.Reference], ['Bike', undefined, undefined]);

    const clock = await stage.merchant.clock('2028-01-31T00:00:00Z');
    const { id: customer_id } = await stage.merchant.payer({ test_clock: clock.id });
    const plan = await stage.merchant.activePlan({ customer_id, name: 'In parts', start_date: '2028-02-01' });
    await stage.advance(clock.id, '2028-02-02T00:00:00.000Z');
    assert.equal((await rowsOf('payment_plan_id', plan.id)).For, 'In parts');

    const member = await stage.merchant.payer();
    const { id } = await client.subscriptions.create({
      customer_id: member.id,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    await client.subscriptions.start(id);
    assert.equal((await rowsOf('subscription_id', id)).For, 'Membership');

    const plain = await paid();
    assert.equal('For' in (await rowsOf('id', plain.id)), false);
  });

  it('writes amounts for the locale of the payer, and yen without decimals', async () => {
    const dollars = await paid({ amount: 123_456 % 100_000, currency: 'USD' });
    const german = await pages.open(dollars.receipt_url, { 'Accept-Language': 'de-DE,de;q=0.9' });
    assert.ok(german.text.includes('234,56 $'), german.text);
    const yen = await paid({ amount: 2500, currency: 'JPY' });
    const japanese = await pages.open(yen.receipt_url, { 'Accept-Language': 'ja-JP' });
    assert.ok(japanese.text.includes('￥2,500') || japanese.text.includes('¥2,500'), japanese.text);
    assert.ok(!japanese.text.includes('2,500.'));
  });

  it('shows each refund that succeeded, and what is left', async () => {
    const intent = await paid({ amount: 5000 });
    for (const amount of [1200, 800]) {
      await stage.request('POST', `/payment_intents/${intent.id}/refunds`, { amount });
    }
    const { text } = await pages.open(intent.receipt_url, { 'Accept-Language': 'en-AU' });
    for (const words of ['Refunds', '-$12.00', '-$8.00', 'Paid after that: $30.00'])
      assert.ok(text.includes(words), text);
  });

  it('does not exist for a payment that has not succeeded, for another page’s token, or for a changed one', async () => {
    const intent = await paid();
    const other = await paid();
    const token = String(intent.receipt_url).split('/').at(-1) ?? '';
    const code = token.slice(-31);
    const strange = [
      `/challenge/${token}`.replace(
        code,
        code.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
      ),
      `/receipt/${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
      `/receipt/${String(other.id)}_${code}`,
      `/receipt/${intent.id}`,
      '/receipt/x',
      `/challenge/${token}`,
    ];
    const unknown = await pages.open('/receipt/unknown');
    for (const path of strange) {
      const page = await pages.open(path);
      assert.deepEqual([page.status, page.html], [404, unknown.html], path);
    }
  });

  it('writes nothing, however often it is opened', async () => {
    const { receipt_url: url } = await paid();
    const before = await contentsOf(stage);
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) await pages.request(url, { method });
    assert.equal(await contentsOf(stage), before);
  });
});
