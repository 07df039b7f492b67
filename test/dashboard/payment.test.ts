import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { enterDashboard, hiddenFields } from '../support/dashboard.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;

describe('the page of a payment', () => {
  const stage = useStage();
  const enter = (role: 'viewer' | 'support' | 'finance' | 'admin', person?: string) =>
    enterDashboard(stage.api.url, stage.keys.sandboxSecret, role, person);

  async function paid(more: object = {}) {
    const payer = await stage.merchant.payer({ name: 'Ada Lovelace' });
    const payment_method = await stage.merchant.card(payer.id);
    return stage.merchant.intent({ amount: 4900, customer_id: payer.id, payment_method, confirm: true, ...more });
  }
  const failed = () => paid({ metadata: { _sandbox_outcome: 'decline,succeed' } });
  const fetched = async (id: string) => (await stage.request('GET', `/payment_intents/${id}`)).body;

  it('says what was taken, from whom, by which method, and each attempt with the reason', async () => {
    const { id } = await failed();
    const { status, text } = await (await enter('viewer')).get(`payments/${id}`);
    assert.equal(status, 200);
    assert.match(text, /A\$49\.00 failed insufficient funds: .*Ada Lovelace · a single payment/);
    assert.match(text, /Attempts .*: failed \(insufficient funds: /);
    assert.match(text, /Method Visa 4242/);
    assert.match(text, /You hold A\$0\.00/);
  });

  it('shows no secret to any role', async () => {
    const { id, client_secret } = await paid();
    const { client_secret: again, receipt_url } = await fetched(id);
    for (const role of ['viewer', 'admin'] as const) {
      const { html } = await (await enter(role)).get(`payments/${id}`);
      for (const secret of [client_secret, again, receipt_url]) {
        assert.ok(secret !== undefined && !html.includes(String(secret)));
      }
      assert.ok(!html.includes('_secret_'));
    }
  });

  it('is 404 for another biller, the other mode, an unknown id, and one of another kind', async () => {
    const { id, customer_id } = await paid();
    const stranger = await stage.stranger();
    for (const key of [stranger.keys.sandboxSecret, stage.keys.liveSecret]) {
      const visitor = await enterDashboard(stage.api.url, key);
      for (const path of ['', '/refund', '/retry']) {
        assert.equal((await visitor.get(`payments/${id}${path}`)).status, 404);
      }
    }
    const ann = await enter('admin');
    for (const each of [`${id.slice(0, -4)}zzzz`, customer_id]) {
      assert.equal((await ann.get(`payments/${each}`)).status, 404);
    }
  });

  it('writes names and reasons as text', async () => {
    const payer = await stage.merchant.payer({ name: markup });
    const payment_method = await stage.merchant.card(payer.id);
    const description = markup.slice(0, 100);
    const { id } = await stage.merchant.intent({ customer_id: payer.id, payment_method, confirm: true, description });
    const ann = await enter('finance');
    for (const path of ['', `/refund?amount=1.00&reason=${encodeURIComponent(markup)}`, '/refund?amount=x']) {
      const { html } = await ann.get(`payments/${id}${path}`);
      assert.ok(!html.includes('<script') && !html.includes('<img'));
    }
  });

  it('shows other payments of the same customer, day and amount, each with what it is for', async () => {
    const first = await paid({ description: 'Excursion' });
    const second = await stage.merchant.intent({
      ...{ amount: 4900, customer_id: first.customer_id ?? '', payment_method: first.payment_method_id ?? '' },
      ...{ confirm: true, description: 'Camp' },
    });
    await stage.merchant.intent({
      ...{ amount: 4800, customer_id: first.customer_id ?? '', payment_method: first.payment_method_id ?? '' },
      ...{ confirm: true, description: 'Lunch' },
    });
    const ann = await enter('viewer');
    const { text, html } = await ann.get(`payments/${first.id}`);
    assert.match(text, /same day and amount This one is for Excursion\. A\$49\.00 collected for Camp/);
    assert.ok(html.includes(`payments/${second.id}`) && !text.includes('Lunch'));
    const alone = await ann.get(`payments/${(await paid()).id}`);
    assert.ok(!alone.text.includes('same day'));
  });

  describe('refunds', () => {
    it('what its page has said, once, however often the form is sent; and the audit log names the person', async () => {
      const { id } = await paid();
      const ann = await enter('finance', 'Ann');
      const page = await ann.get(`payments/${id}/refund?amount=10.00&reason=Cancelled`);
      assert.match(page.text, /A\$10\.00 of A\$49\.00 go back to Ada Lovelace, to Visa 4242/);
      const form = hiddenFields(page.html, `payments/${id}/refund`);
      const sent = await Promise.all([1, 2, 3].map(() => ann.send(`payments/${id}/refund`, form)));
      assert.deepEqual(
        sent.map(({ status, headers }) => [status, headers.get('location')]),
        Array(3).fill([303, `/dashboard/payments/${id}`]),
      );
      assert.equal((await fetched(id)).total_refunded_amount, 1000);
      const { body } = await stage.request('GET', `/payment_intents/${id}/refunds`);
      assert.deepEqual(
        body.data.map(({ amount, reason }: { amount: number; reason: string }) => [amount, reason]),
        [[1000, 'Cancelled']],
      );
      const log = await listAudit(stage.db.sql, { billerId: stage.keys.biller.id, limit: 20 });
      const entries = log.filter(({ action }) => action === 'payment_intent.refunded');
      assert.equal(entries.length, 1);
      assert.deepEqual([entries[0]?.actor, entries[0]?.subject_id], [{ kind: 'person', id: 'Ann' }, id]);
      assert.match((await ann.get(`payments/${id}`)).text, /Refund A\$10\.00 by Ann/);
    });

    it('nothing if the form was changed, is of another page or session, or is none', async () => {
      const { id } = await paid();
      const other = await paid();
      const [ann, bob] = [await enter('finance'), await enter('finance')];
      const form = hiddenFields((await ann.get(`payments/${id}/refund?amount=10.00`)).html, `payments/${id}/refund`);
      const before = await contentsOf(stage);
      assert.equal((await bob.send(`payments/${id}/refund`, form)).status, 403);
      assert.equal((await ann.send(`payments/${other.id}/refund`, form)).status, 403);
      assert.equal((await ann.send(`payments/${id}/refund`, { ...form, form: '' })).status, 403);
      assert.equal((await ann.send(`payments/${id}/refund`, { amount: '1000' })).status, 403);
      assert.equal((await ann.send(`payments/${id}/refund`, form, { 'Sec-Fetch-Site': 'cross-site' })).status, 400);
      assert.equal((await ann.send(`payments/${id}/refund`, { ...form, amount: '-5' })).status, 422);
      assert.equal((await ann.send(`payments/${id}/refund`, { ...form, amount: '4901' })).status, 422);
      assert.equal(await contentsOf(stage), before);
      assert.equal((await ann.send(`payments/${id}/refund`, form)).status, 303);
      assert.equal((await ann.send(`payments/${id}/refund`, { ...form, amount: '900' })).status, 422);
      assert.equal((await fetched(id)).total_refunded_amount, 1000);
    });

    it('not by a viewer or support: neither page nor form, nor a form that was shown to an earlier session', async () => {
      const { id } = await paid();
      const finance = await enter('finance');
      const form = hiddenFields((await finance.get(`payments/${id}/refund?amount=1.00`)).html, `payments/${id}/refund`);
      for (const role of ['viewer', 'support'] as const) {
        const ann = await enter(role);
        assert.ok(!(await ann.get(`payments/${id}`)).html.includes('/refund'));
        assert.equal((await ann.get(`payments/${id}/refund`)).status, 403);
        assert.equal((await ann.send(`payments/${id}/refund`, form)).status, 403);
      }
      assert.equal((await fetched(id)).total_refunded_amount, 0);
    });

    it('no longer once the session has ended, and not what has not succeeded', async () => {
      const { id } = await paid();
      const ann = await enter('finance');
      const form = hiddenFields((await ann.get(`payments/${id}/refund?amount=1.00`)).html, `payments/${id}/refund`);
      await stage.request('POST', `/dashboard_sessions/${ann.sessionId}/end`);
      assert.equal((await ann.send(`payments/${id}/refund`, form)).status, 401);
      assert.equal((await fetched(id)).total_refunded_amount, 0);
      assert.equal((await (await enter('finance')).get(`payments/${(await failed()).id}/refund`)).status, 422);
    });

    it('asks again for an amount that is none, is too much, or reads in two ways', async () => {
      const { id } = await paid();
      const ann = await enter('finance');
      for (const typed of ['', 'x', '49.01', '0', '1.000', '9'.repeat(40)]) {
        const { status, text } = await ann.get(`payments/${id}/refund?amount=${typed}`);
        assert.equal(status, 422, typed);
        assert.match(text, /at most A\$49\.00/);
      }
    });
  });

  describe('tries again', () => {
    it('what has failed, once, however often the form is sent', async () => {
      const { id } = await failed();
      const ann = await enter('support', 'Ann');
      const page = await ann.get(`payments/${id}/retry`);
      assert.match(page.text, /A\$49\.00 are taken from Ada Lovelace by Visa 4242, for a single payment/);
      const form = hiddenFields(page.html, `payments/${id}/retry`);
      const sent = await Promise.all([1, 2, 3].map(() => ann.send(`payments/${id}/retry`, form)));
      assert.deepEqual(
        sent.map(({ status }) => status),
        [303, 303, 303],
      );
      assert.equal((await fetched(id)).status, 'succeeded');
      assert.equal(stage.ledger.requests.filter(({ totalAmount }) => totalAmount === 4900).length, 2);
      assert.match((await ann.get(`payments/${id}`)).text, /Tried again A\$49\.00 by Ann/);
      assert.equal((await ann.get(`payments/${id}/retry`)).status, 422);
    });

    it('nothing if another amount is due than the page has said', async () => {
      const { id } = await failed();
      const ann = await enter('support');
      const form = hiddenFields((await ann.get(`payments/${id}/retry`)).html, `payments/${id}/retry`);
      const refused = await ann.send(`payments/${id}/retry`, { ...form, total: '4800' });
      assert.equal(refused.status, 422);
      assert.match(refused.text, /Another amount is due now/);
      assert.equal((await fetched(id)).status, 'failed');
    });

    it('nothing if the payment has another method than the page has named', async () => {
      const { id, customer_id } = await paid({ metadata: { _sandbox_outcome: 'decline,decline,succeed' } });
      const ann = await enter('support');
      const form = hiddenFields((await ann.get(`payments/${id}/retry`)).html, `payments/${id}/retry`);
      const other = await stage.merchant.card(customer_id ?? '');
      await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: other });
      const before = await contentsOf(stage);
      const refused = await ann.send(`payments/${id}/retry`, form);
      assert.deepEqual([refused.status, /another method now/.test(refused.text)], [422, true]);
      assert.equal(await contentsOf(stage), before);
    });

    it('not by a viewer or finance', async () => {
      const { id } = await failed();
      for (const role of ['viewer', 'finance'] as const) {
        const ann = await enter(role);
        assert.ok(!(await ann.get(`payments/${id}`)).html.includes('/retry'));
        assert.equal((await ann.get(`payments/${id}/retry`)).status, 403);
      }
    });
  });

  it('shows the URL of the receipt to support and admin, once money was taken, and to no other role', async () => {
    const { id } = await paid();
    const { receipt_url: url } = await fetched(id);
    for (const role of ['support', 'admin'] as const) {
      const ann = await enter(role);
      assert.ok((await ann.get(`payments/${id}`)).html.includes(`payments/${id}/receipt`));
      assert.ok((await ann.get(`payments/${id}/receipt`)).text.includes(url));
      const { id: unpaid } = await failed();
      assert.ok(!(await ann.get(`payments/${unpaid}`)).html.includes('/receipt'));
      assert.equal((await ann.get(`payments/${unpaid}/receipt`)).status, 422);
    }
    for (const role of ['viewer', 'finance'] as const) {
      const ann = await enter(role);
      assert.ok(!(await ann.get(`payments/${id}`)).html.includes('/receipt'));
      assert.equal((await ann.get(`payments/${id}/receipt`)).status, 403);
    }
    const stranger = await enterDashboard(stage.api.url, (await stage.stranger()).keys.sandboxSecret);
    const live = await enterDashboard(stage.api.url, stage.keys.liveSecret);
    for (const other of [stranger, live]) assert.equal((await other.get(`payments/${id}/receipt`)).status, 404);
  });
});
