import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { refusal, useStage } from '../support/stage.ts';

/** What a biller may write, and how the URL parser reads it. */
const spellings = {
  'HTTPS://Shop.Example.COM': 'https://shop.example.com/',
  'https://shop.example.com:443/a/../b/./c': 'https://shop.example.com/b/c',
  'https:\\\\shop.example.com\\a': 'https://shop.example.com/a',
  'https:shop.example.com/a': 'https://shop.example.com/a',
  'https://shöp.example.com/ü?ß=é': 'https://xn--shp-tna.example.com/%C3%BC?%C3%9F=%C3%A9',
  'https://shop.example.com/%2e%2e/a"<b>': 'https://shop.example.com/a%22%3Cb%3E',
};

describe('a URL of the biller', () => {
  const stage = useStage();
  const offer = { name: 'Invoice', amount: 2500, currency: 'AUD' } as const;

  it('is stored and shown as the URL parser reads it: of endpoints, links, sessions and confirms', async () => {
    const { client } = stage.merchant;
    for (const [text, read] of Object.entries(spellings)) {
      const urls = { success_url: text, cancel_url: text };
      const made = await client.paymentLinks.create({ ...offer, ...urls });
      const session = await client.checkoutSessions.create({ ...offer, ...urls });
      const plain = await client.paymentLinks.create(offer);
      const changed = await client.paymentLinks.update(plain.id, urls);
      for (const each of [made, session, changed]) assert.deepEqual([each.success_url, each.cancel_url], [read, read]);

      const payer = await stage.merchant.customer();
      const payment_method = await stage.merchant.card(payer.id);
      const { id } = await stage.merchant.intent({ customer_id: payer.id });
      await client.paymentIntents.confirm(id, { payment_method, return_url: text });
      const [intent] = await stage.db.sql`select return_url from payment_intents where id = ${id}`;
      assert.equal(intent?.return_url, read);
    }
    for (const [text, read] of [
      ['HTTP://127.1:9', 'http://127.0.0.1:9/'],
      ['http:\\\\2130706433:9\\a/../b', 'http://127.0.0.1:9/b'],
    ] as const) {
      const endpoint = await client.webhookEndpoints.create({ url: text });
      assert.equal(endpoint.url, read);
      await stage.db.sql`update webhook_endpoints set verified_at = now() where id = ${endpoint.id}`;
      assert.equal((await client.webhookEndpoints.update(endpoint.id, { url: text })).url, read);
      const [row] = await stage.db.sql`select verified_at from webhook_endpoints where id = ${endpoint.id}`;
      assert.notEqual(row?.verified_at, null, 'the same URL in another spelling is no other URL');
    }
  });

  it('keeps the place of the session’s id, wherever it stands', async () => {
    for (const url of [
      'https://shop.example.com/{CHECKOUT_SESSION_ID}/thanks',
      'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
      'https://shop.example.com/#{CHECKOUT_SESSION_ID}',
    ]) {
      const link = await stage.merchant.client.paymentLinks.create({ ...offer, success_url: url });
      assert.equal(link.success_url, url);
    }
  });

  it('is refused if it is longer than 2,048 characters when it is encoded', async () => {
    const long = (host: string) => `${host}/${'ü'.repeat(400)}`;
    const url = long('https://shop.example.com');
    const link = await stage.request('POST', '/payment_links', { ...offer, success_url: url });
    assert.deepEqual(refusal(link, 422), ['/success_url url_invalid']);
    const payer = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(payer.id);
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    const confirm = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method, return_url: url });
    assert.deepEqual(refusal(confirm, 400), ['/return_url url_invalid']);
    const endpoint = await stage.request('POST', '/webhook_endpoints', { url: long('http://127.0.0.1:9') });
    assert.deepEqual(refusal(endpoint, 422), ['/url url_invalid']);
  });
});
