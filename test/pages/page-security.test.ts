import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { tester } from '../support/factories.ts';
import { contentsOf, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'&lt;`;

describe('the pages for payers, as strangers meet them', () => {
  const stage = useStage();
  const pages = usePages(stage);

  async function challenge() {
    const payer = await stage.merchant.customer();
    const card = await stage.merchant.card(payer.id, 'tok_sandbox_visa_3ds_required');
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    const { body } = await stage.request('POST', `/payment_intents/${id}/confirm`, {
      payment_method: card,
      return_url: 'https://shop.example.com/"><script>alert(1)</script>',
    });
    return String(body.next_action.url);
  }

  it('send with every response a policy without inline code, and headers against caching, framing and indexing', async () => {
    const url = await challenge();
    for (const path of [url, '/receipt/x', '/assets/style-1a4f9c.css', '/nothing']) {
      const { headers } = await pages.open(path);
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(String(headers.get('x-robots-tag')), /noindex/);
      assert.equal(headers.get('cache-control'), path.startsWith('/assets') ? 'public, max-age=3600' : 'no-store');
      assert.equal(headers.get('set-cookie'), null);
    }
  });

  it('respond to each address that opens nothing with the same bytes and headers, but for Request-Id and Date', async () => {
    const seen = new Set<string>();
    for (const path of [
      '/',
      '/challenge/x',
      '/receipt/y',
      `/receipt/pi_sandbox_${'a'.repeat(32)}_${'b'.repeat(31)}`,
      '/a/b',
      '/assets/%ff',
    ]) {
      const { status, html, headers } = await pages.open(path);
      const named = [...headers].filter(([name]) => !['request-id', 'date'].includes(name));
      seen.add(JSON.stringify([status, html, named]));
    }
    assert.equal(seen.size, 1);
    assert.match([...seen][0] ?? '', /^\[404/);
  });

  it('escape markup in each text of a biller', async () => {
    const profile = { display_name: markup, address: markup, tax_id: markup.slice(0, 40), brand_color: '#ABCDEF' };
    const { biller } = stage.keys;
    await changeBillerProfile(stage.db.sql, biller.id, profile, { by: tester, now: realNow() });
    const { html, text } = await pages.open(await challenge());
    assert.equal(/<script|<img|onerror=alert\(1\)>(?!&#39;)/.test(html), false, html);
    assert.equal(text.split(markup).length - 1, 3);
    assert.ok(html.includes('/assets/style-abcdef.css'));
  });

  it('refuse a form from another site, of another type, and above 16 KiB, and change nothing', async () => {
    const url = await challenge();
    const { hidden } = await pages.open(url);
    const fields = { ...hidden, answer: 'approve' };
    const before = await contentsOf(stage);
    for (const site of ['cross-site', 'same-site']) {
      assert.equal((await pages.post(url, fields, { 'Sec-Fetch-Site': site })).status, 403);
    }
    const asJson = { method: 'POST', body: JSON.stringify(fields), headers: { 'Content-Type': 'application/json' } };
    assert.equal((await pages.request(url, asJson)).status, 400);
    assert.equal((await pages.post(url, { ...fields, note: 'x'.repeat(17_000) })).status, 413);
    assert.equal((await pages.request(url, { method: 'PUT' })).status, 405);
    assert.equal(await contentsOf(stage), before);
  });

  it('refuse a card number in any field, however it is spaced, and neither store nor log it', async () => {
    const url = await challenge();
    const { hidden } = await pages.open(url);
    const before = await contentsOf(stage);
    const numbers = [
      '4242424242424242',
      '4242 4242 4242 4242',
      '4242-4242-4242-4242',
      '378282246310005',
      '４２４２４２４２４２４２４２４２',
    ];
    for (const number of numbers) {
      const spellings: Record<string, string>[] = [{ name: `mine: ${number} 12/34` }, { [number]: '1' }];
      for (const fields of spellings) {
        const refused = await pages.post(url, { ...hidden, answer: 'approve', ...fields });
        assert.deepEqual([refused.status, refused.text.includes('Do not enter a card number')], [400, true], number);
        assert.equal(refused.html.includes('4242'), false);
      }
    }
    assert.equal(await contentsOf(stage), before);
    assert.equal(/4242|3782/.test(JSON.stringify(pages.log)), false);
  });

  it('log a page by its route, never by its token', async () => {
    const url = await challenge();
    await pages.open(url);
    const lines = JSON.stringify(pages.log);
    assert.ok(lines.includes('/challenge/:token'));
    assert.equal(lines.includes(url.split('/').at(-1) ?? ''), false);
  });

  it('show a logo under a name that follows from its bytes, and keep it for good', async () => {
    const { biller } = stage.keys;
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    const { logo_name: name } = await changeBillerProfile(
      stage.db.sql,
      biller.id,
      { logo: png },
      { by: tester, now: realNow() },
    );
    const { html } = await pages.open(await challenge());
    assert.ok(html.includes(`src="/assets/logo-${name}"`));
    const logo = await fetch(`${pages.url}/assets/logo-${name}`);
    assert.deepEqual(Buffer.from(await logo.arrayBuffer()), png);
    assert.equal(logo.headers.get('content-type'), 'image/png');
    assert.match(String(logo.headers.get('cache-control')), /immutable/);
    assert.equal((await pages.open(`/assets/logo-${'0'.repeat(64)}`)).status, 404);
  });
});
