import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { makeDebtor } from '../../lab/payer.ts';
import { enterDashboard } from '../support/dashboard.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;
const frozen = '2027-01-04T00:00:00Z';

describe('the page of a customer', () => {
  const stage = useStage();
  const enter = (role: 'viewer' | 'admin' = 'viewer') => enterDashboard(stage.api.url, stage.keys.sandboxSecret, role);
  const section = (html: string, id: string) =>
    (new RegExp(`id="${id}">([\\s\\S]*?)</section>`).exec(html)?.[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');

  async function onClock(metadata: Record<string, string> = {}) {
    const clock = await stage.merchant.clock(frozen);
    const payer = await stage.merchant.payer({ name: 'Ada Lovelace', test_clock: clock.id });
    const plan = await stage.merchant.activePlan({
      ...{ customer_id: payer.id, name: 'Gym', start_date: '2027-01-05', recurring_amount_cents: 3900 },
      metadata,
    });
    return { clock, payer, plan };
  }

  it('says what comes next, by which method and for what, in the time of the clock', async () => {
    const { payer } = await onClock();
    const { status, html, text } = await (await enter()).get(`customers/${payer.id}`);
    assert.equal(status, 200);
    assert.match(text, /on a test clock Now is 4 January 2027/);
    assert.match(section(html, 'now'), /Next: A\$39\.00 on 5 January 2027 by Visa 4242, for Gym/);
    assert.match(section(html, 'has'), /Gym , a plan, active , next on 5 January 2027/);
  });

  it('says what is owed and why, and when it is tried again; and, once it is paid, that no more', async () => {
    const { clock, payer } = await onClock({ _sandbox_outcome: 'decline,succeed' });
    await stage.advance(clock.id, '2027-01-05T12:00:00Z');
    const ann = await enter();
    const owed = section((await ann.get(`customers/${payer.id}`)).html, 'now');
    assert.match(
      owed,
      /Owes A\$39\.00 for Gym , due on 5 January 2027 ; insufficient funds on 5 January 2027 , tried again on 6 January 2027/,
    );
    await stage.advance(clock.id, '2027-01-06T12:00:00Z');
    const { html } = await ann.get(`customers/${payer.id}`);
    assert.ok(!section(html, 'now').includes('Owes'));
    assert.match(section(html, 'history'), /6 January 2027.* A\$39\.00 collected, for “Gym”, payment 1/);
    assert.match(section(html, 'history'), /A\$39\.00 failed: insufficient_funds, again/);
  });

  it('says that a subscription owes what the API says that it owes', async () => {
    const clock = await stage.merchant.clock(frozen);
    const payer = await stage.merchant.payer({ test_clock: clock.id });
    const made = await stage.request('POST', '/subscriptions', {
      ...{ customer_id: payer.id, name: 'Piano', currency: 'AUD', frequency_type: 'weekly' },
      items: [{ name: 'Lesson', unit_amount_cents: 4900 }],
    });
    await stage.request('POST', `/subscriptions/${made.body.id}/start`);
    const broke = await stage.merchant.card(payer.id, 'tok_sandbox_visa_decline_insufficient_funds');
    await stage.request('PUT', `/subscriptions/${made.body.id}`, { payment_instrument_id: broke });
    await stage.advance(clock.id, '2027-01-11T12:00:00Z');
    const { body } = await stage.request('GET', `/subscriptions/${made.body.id}`);
    const now = section((await (await enter()).get(`customers/${payer.id}`)).html, 'now');
    assert.equal(body.owed_amount_cents, 4900);
    assert.match(now, /Owes A\$49\.00 for 11 January 2027 to 18 January 2027 of Piano ; insufficient funds/);
    assert.ok(now.includes(`tried again on ${new Date(body.next_attempt_at).getUTCDate()} January 2027`), now);
  });

  it('says that a scheduled payment is coming, and of a payment by itself that came back that nothing tries it again', async () => {
    const clock = await stage.merchant.clock(frozen);
    const debtor = await makeDebtor(stage.merchant.client, { test_clock: clock.id });
    const terms = { customer_id: debtor.customerId, payment_method: debtor.methodId };
    const camp = { amount: 4900, description: 'Camp', scheduled_payment_date: '2027-02-01' };
    await stage.merchant.intent({ ...terms, ...camp });
    const ann = await enter();
    const page = async () => section((await ann.get(`customers/${debtor.customerId}`)).html, 'now');
    assert.match(await page(), /Next: A\$49\.00 on 1 February 2027 by Bank account \d+, for Camp/);
    assert.ok(!(await page()).includes('Nothing is coming'));
    const metadata = { _sandbox_bank_outcome: 'late_dishonour' };
    const intent = await stage.merchant.intent({ ...terms, amount: 12_000, confirm: true, metadata });
    for (const day of ['2027-01-15', '2027-01-25']) await stage.advance(clock.id, `${day}T12:00:00Z`);
    assert.equal((await stage.request('GET', `/payment_intents/${intent.id}`)).body.status, 'returned');
    assert.match(await page(), /A\$120\.00 came back on \d+ January 2027 \(.+\)\. Nothing tries it again on its own/);
  });

  it('says what is with the bank, and by when that is known', async () => {
    const clock = await stage.merchant.clock(frozen);
    const { customerId: customer, methodId: method } = await makeDebtor(stage.merchant.client, {
      test_clock: clock.id,
    });
    const intent = await stage.merchant.intent({
      ...{ amount: 12_000, customer_id: customer, payment_method: method, confirm: true },
    });
    const { body } = await stage.request('GET', `/payment_intents/${intent.id}`);
    assert.equal(body.status, 'processing');
    const now = section((await (await enter()).get(`customers/${customer}`)).html, 'now');
    assert.match(now, /A\$120\.00 are with the bank, known by \d+ January 2027/);
    assert.ok(now.includes(String(Number(body.expected_result_date.slice(8)))));
  });

  it('makes two payments of one amount and day stand out, and not a retry and its success', async () => {
    const { clock, payer } = await onClock({ _sandbox_outcome: 'decline,succeed' });
    await stage.advance(clock.id, '2027-01-06T12:00:00Z');
    const ann = await enter();
    assert.ok(!section((await ann.get(`customers/${payer.id}`)).html, 'now').includes('payments of'));
    const other = await stage.merchant.payer();
    const payment_method = await stage.merchant.card(other.id);
    for (const description of ['Camp', 'Excursion']) {
      await stage.merchant.intent({ amount: 4900, customer_id: other.id, payment_method, confirm: true, description });
    }
    const now = section((await ann.get(`customers/${other.id}`)).html, 'now');
    assert.match(now, /2 payments of A\$49\.00 on .*: one for Camp, and one for Excursion/);
  });

  it('shows 50 events a page, all of them once, and can be narrowed', async () => {
    const payer = await stage.merchant.payer();
    const payment_method = await stage.merchant.card(payer.id);
    for (let number = 0; number < 26; number++) {
      const { id } = await stage.merchant.intent({
        amount: 1000,
        customer_id: payer.id,
        payment_method,
        confirm: true,
      });
      await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 100 });
    }
    const ann = await enter();
    const seen: string[] = [];
    let path = `customers/${payer.id}`;
    for (let pages = 0; path !== ''; pages++) {
      assert.ok(pages < 5);
      const { html } = await ann.get(path);
      const lines = [...html.matchAll(/<li><time[^>]*>.*?<a href="\/dashboard\/payments\/(\w+)">([^<]*)/g)];
      assert.ok(lines.length <= 50);
      seen.push(...lines.map(([, id, words]) => `${id} ${words}`));
      path = (/href="\/dashboard\/([^"#]*)#history">Older/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
    }
    assert.deepEqual([seen.length, new Set(seen).size], [52, 52]);
    const { html } = await ann.get(`customers/${payer.id}?group=refund`);
    assert.ok(!section(html, 'history').includes('collected, for'));
    for (const hostile of ['before=x&number=1', 'before=2027-01-01T00:00:00.000Z&number=x', `group=${markup}`]) {
      assert.equal((await ann.get(`customers/${payer.id}?${hostile}`)).status, 200);
    }
  });

  it('names the person who has refunded here, and no person for a refund by the API', async () => {
    const payer = await stage.merchant.payer();
    const payment_method = await stage.merchant.card(payer.id);
    const { id } = await stage.merchant.intent({ amount: 4900, customer_id: payer.id, payment_method, confirm: true });
    const ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'finance', 'Ann of <School>');
    await ann.post(`payments/${id}/refund`, {}, `payments/${id}/refund?amount=10.00`);
    await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 500 });
    const history = section((await ann.get(`customers/${payer.id}`)).html, 'history');
    assert.match(history, /A\$10\.00 refund succeeded, for a single payment by Ann of &lt;School&gt;/);
    assert.ok(!/A\$5\.00 refund succeeded, for a single payment by/.test(history));
  });

  it('writes hostile names as text in every place, and shows no token, URL or account number', async () => {
    const payer = await stage.merchant.payer({ name: markup, reference: markup });
    await stage.merchant.activePlan({ customer_id: payer.id, name: markup, start_date: '2199-01-01' });
    const link = await stage.merchant.client.paymentLinks.create({
      ...{ name: markup, amount: 2500, currency: 'AUD', customer_id: payer.id },
    });
    const { html } = await (await enter('admin')).get(`customers/${payer.id}`);
    assert.ok(!html.includes('<script') && !html.includes('<img'));
    assert.ok(html.includes(link.id) && !html.includes(String(link.url).split('/').at(-1) ?? ''));
  });

  it('is 404 for another biller, the other mode and an unknown id', async () => {
    const payer = await stage.merchant.payer();
    const stranger = await stage.stranger();
    for (const key of [stranger.keys.sandboxSecret, stage.keys.liveSecret]) {
      assert.equal((await (await enterDashboard(stage.api.url, key)).get(`customers/${payer.id}`)).status, 404);
    }
    assert.equal((await (await enter()).get('customers/cus_1')).status, 404);
  });

  it('is there for a customer who was deleted, and for one who has nothing', async () => {
    const { id } = await stage.merchant.customer({ name: 'Bare' });
    const ann = await enter();
    assert.match((await ann.get(`customers/${id}`)).text, /Nothing is coming, nothing is owed/);
    await stage.request('DELETE', `/customers/${id}`);
    const { status, text } = await ann.get(`customers/${id}`);
    assert.deepEqual([status, /Bare deleted/.test(text)], [200, true]);
  });
});
