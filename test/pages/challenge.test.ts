import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { makeKey } from '../support/factories.ts';
import { contentsOf, usePages } from '../support/pages.ts';
import { refusal, useStage } from '../support/stage.ts';

const returnUrl = 'https://shop.example.com/after?order=6735&step=2';

describe('the page of a 3D Secure challenge', () => {
  const stage = useStage();
  const pages = usePages(stage);

  /** A payment that waits for its payer. */
  async function challenged(body: Record<string, unknown> = {}) {
    const payer = await stage.merchant.customer();
    const card = await stage.merchant.card(payer.id, 'tok_sandbox_visa_3ds_required');
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    const { body: intent } = await stage.request('POST', `/payment_intents/${id}/confirm`, {
      payment_method: card,
      ...body,
    });
    assert.equal(intent.status, 'requires_action');
    return { id: String(intent.id), url: String(intent.next_action.url) };
  }

  it('is named by next_action while the payment waits for its payer, and by nothing afterwards', async () => {
    const { id, url } = await challenged();
    assert.match(url, /^http:\/\/pages\.test\/challenge\/pi_sandbox_\w{32}_\w{31}$/);
    const waiting = await stage.merchant.getIntent(id);
    assert.deepEqual(waiting.next_action, { type: 'redirect', url });
    await stage.request('POST', `/test_helpers/payment_intents/${id}/complete_action`, { result: 'succeed' });
    assert.equal((await stage.merchant.getIntent(id)).next_action, null);
  });

  it('shows who is paid and how much, and offers to approve, to decline and to leave', async () => {
    const { url } = await challenged({ return_url: returnUrl });
    const { status, text, html } = await pages.open(url, { 'Accept-Language': 'en-AU' });
    assert.equal(status, 200);
    for (const words of [
      'Confirm this payment',
      '$10.00',
      'Approve',
      'Decline',
      'Leave without deciding',
      'Test mode',
    ]) {
      assert.ok(text.includes(words), words);
    }
    assert.ok(html.includes(`href="${returnUrl.replace('&', '&amp;')}"`));
  });

  it('approves: the payment succeeds, with its event, and the page links on to return_url', async () => {
    const { id, url } = await challenged({ return_url: returnUrl });
    const { hidden } = await pages.open(url);
    const answered = await pages.post(url, { ...hidden, answer: 'approve' });
    assert.deepEqual([answered.status, answered.headers.get('location')], [303, new URL(url).pathname]);
    const intent = await stage.merchant.getIntent(id);
    assert.equal(intent.status, 'succeeded');
    assert.equal((await stage.merchant.events({ event_type: 'payment_intent.succeeded' })).length, 1);
    const after = await pages.open(url);
    assert.ok(after.text.includes('The payment was approved'));
    assert.ok(after.html.includes(`href="${returnUrl.replace('&', '&amp;')}"`));
  });

  it('declines: the payment fails with authentication_required, in words for a payer', async () => {
    const { id, url } = await challenged();
    const { hidden } = await pages.open(url);
    await pages.post(url, { ...hidden, answer: 'decline' });
    const { status, last_payment_error: error } = await stage.merchant.getIntent(id);
    assert.deepEqual([status, error?.code], ['failed', 'authentication_required']);
    assert.ok((await pages.open(url)).text.includes('The bank could not confirm that it was you'));
  });

  it('completes a challenge once, also when its form is sent several times at once', async () => {
    const { id, url } = await challenged();
    const { hidden } = await pages.open(url);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => pages.post(url, { ...hidden, answer: n % 2 === 0 ? 'approve' : 'decline' })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
    const ended = await stage.db.sql`select 1 from events where event_type in
      ('payment_intent.succeeded', 'payment_intent.failed') and data ->> 'id' = ${id}`;
    assert.equal(ended.length, 1);
  });

  it('refuses a form that is too old, changed, of another page, or of an earlier challenge, and changes nothing', async () => {
    const { id, url } = await challenged();
    const other = await challenged();
    const { hidden } = await pages.open(url);
    const own = String(hidden.form);
    const [at = '', ...rest] = own.split('.');
    const forged = [
      '',
      'x',
      `${Number(at) - 1801}.${rest.join('.')}`,
      own.replace(/\.1\./, '.2.'),
      String((await pages.open(other.url)).hidden.form),
    ];
    const before = await contentsOf(stage);
    for (const form of forged) {
      const refused = await pages.post(url, { form, answer: 'approve' });
      assert.deepEqual([refused.status, refused.text.includes('open for too long')], [400, true], form);
    }
    assert.equal((await pages.post(url, { form: own, answer: 'maybe' })).status, 400);
    assert.equal(await contentsOf(stage), before);
    // A second attempt, whose challenge the first page does not show.
    await stage.request('POST', `/test_helpers/payment_intents/${id}/complete_action`, { result: 'fail' });
    await stage.request('POST', `/payment_intents/${id}/confirm`, {});
    assert.equal((await pages.post(url, { form: own, answer: 'approve' })).status, 400);
    assert.equal((await stage.merchant.getIntent(id)).status, 'requires_action');
  });

  it('says one moment while the clock of the payer is advancing', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock('2027-01-04T00:00:00Z');
    const card = await stage.merchant.card(payer.id, 'tok_sandbox_visa_3ds_required');
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    const { body } = await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
    const { url } = body.next_action;
    const { hidden } = await pages.open(url);
    await stage.merchant.beginAdvance(clock.id, '2027-01-05T00:00:00Z');
    const busy = await pages.post(url, { ...hidden, answer: 'approve' });
    assert.deepEqual([busy.status, busy.text.includes('One moment')], [422, true]);
    await stage.carryOut(clock.id);
    assert.equal((await pages.post(url, { ...hidden, answer: 'approve' })).status, 303);
    assert.equal((await stage.merchant.getIntent(id)).status, 'succeeded');
  });

  it('is shown neither by lists and events, nor to a key that may only read', async () => {
    const { id } = await challenged();
    const { body: list } = await stage.request('GET', '/payment_intents');
    assert.equal('next_action' in list.data[0], false);
    const [event] = await stage.merchant.events({ event_type: 'payment_intent.requires_action' });
    assert.equal(JSON.stringify(event).includes('/challenge/'), false);
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes: ['payment_intents:read'] });
    const read = await stage.api.send('GET', `/api/v1/payment_intents/${id}`, { key });
    assert.deepEqual([read.status, 'next_action' in read.body], [200, false]);
  });

  it('takes a return_url that is an absolute http or https URL without credentials, and no other', async () => {
    const payer = await stage.merchant.customer();
    const card = await stage.merchant.card(payer.id);
    const { id } = await stage.merchant.intent({ customer_id: payer.id });
    for (const url of [
      'javascript:alert(1)',
      '/after',
      'https://me:secret@shop.example',
      'data:text/html,x',
      'https://a b',
    ]) {
      const reply = await stage.request('POST', `/payment_intents/${id}/confirm`, {
        payment_method: card,
        return_url: url,
      });
      assert.deepEqual(refusal(reply, 400), ['/return_url url_invalid'], url);
    }
    assert.equal((await stage.merchant.getIntent(id)).status, 'requires_payment_method');
  });
});
