import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { enterDashboard } from '../support/dashboard.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;

describe('the list of payments', () => {
  const stage = useStage();
  type Role = 'viewer' | 'support' | 'finance' | 'admin';

  /** A biller of its own, with a person of each role. */
  async function school() {
    const { merchant, keys } = await stage.stranger();
    const enter = (role: Role) => enterDashboard(stage.api.url, keys.sandboxSecret, role);
    const paid = async (more: object = {}, name = 'Ada Lovelace', token?: string) => {
      const payer = await merchant.payer({ name });
      const payment_method = await merchant.card(payer.id, token);
      return merchant.intent({ amount: 4900, customer_id: payer.id, payment_method, confirm: true, ...more });
    };
    const list = async (query: string) => {
      const { status, body, text } = await merchant.request('GET', `/payment_intents?${query}`);
      assert.equal(status, 200, text);
      return body.data as { id: string; amount: number; total_amount: number; net_collected_amount: number }[];
    };
    return { merchant, keys, enter, paid, list };
  }

  const idsIn = (html: string) =>
    [...html.matchAll(/<td><a href="\/dashboard\/payments\/(pi_\w+)"/g)].map(([, id]) => id);

  it('has what GET /payment_intents has for the same parameters, and its sums', async () => {
    const { enter, paid, merchant, list } = await school();
    await paid();
    await paid({ amount: 2500, currency: 'USD' });
    await paid({ metadata: { _sandbox_outcome: 'decline' } });
    const refunded = await paid({ amount: 7000 });
    await merchant.request('POST', `/payment_intents/${refunded.id}/refunds`, { amount: 1000 });
    const ann = await enter('viewer');
    const filters = [
      '',
      'status=succeeded',
      'status=failed',
      'currency=USD',
      'total_amount=4900',
      'payment_method_type=card',
      'payment_method_type=paypal',
      `customer_id=${refunded.customer_id}`,
      'collected_from=2020-01-01T00:00:00Z&status=succeeded',
      'collected_to=2020-01-01T00:00:00Z',
      'created_from=2020-01-01T00:00:00Z&currency=AUD&total_amount=7000',
    ];
    for (const filter of filters) {
      const rows = await list(filter);
      const { status, html, text } = await ann.get(`payments?${filter}`);
      assert.equal(status, 200, filter);
      assert.deepEqual(
        idsIn(html),
        rows.map(({ id }) => id),
        filter,
      );
      if (rows.length === 0) assert.match(text, /Totals Nothing\. List No payments\./);
    }
    const { text } = await ann.get('payments?status=succeeded');
    assert.match(text, /AUD 2 A\$119\.00 A\$0\.00 A\$119\.00 A\$10\.00 A\$0\.00 A\$109\.00/);
    assert.match(text, /USD 1 \$25\.00 \$0\.00 \$25\.00 \$0\.00 \$0\.00 \$25\.00/);
    const net = (await list('currency=AUD')).reduce((sum, each) => sum + each.net_collected_amount, 0);
    assert.equal(net, 10_900);
    assert.match((await ann.get('payments?currency=AUD')).text, /AUD 3 A\$168\.00 .* A\$109\.00 List/);
  });

  it('takes what people type: amounts, dates of the biller, the id of a plan, and empty fields', async () => {
    const { enter, paid, merchant } = await school();
    const one = await paid();
    const other = await paid({ amount: 2500 });
    const ann = await enter('viewer');
    assert.deepEqual(idsIn((await ann.get('payments?amount=49.00&status=&currency=&for=')).html), [one.id]);
    assert.deepEqual(idsIn((await ann.get('payments?amount=25&currency=AUD')).html), [other.id]);
    const { timezone } = (await merchant.request('GET', '/account')).body;
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone ?? 'UTC' }).format(new Date());
    const both = (await ann.get(`payments?collected_from=${today}&collected_to=${today}`)).html;
    assert.deepEqual(new Set(idsIn(both)), new Set([one.id, other.id]));
    assert.deepEqual(idsIn((await ann.get('payments?collected_to=2026-01-01')).html), []);
    const plan = await merchant.plan({ customer_id: one.customer_id ?? '', start_date: '2030-01-31' });
    assert.deepEqual(idsIn((await ann.get(`payments?for=${plan.id}`)).html), []);
    for (const [query, why] of [
      ['amount=1.250', /such as 49\.00/],
      ['amount=x', /such as 49\.00/],
      ['for=cus_1', /id of a plan/],
      ['status=paid', /status must be/],
      ['collected_from=yesterday', /collected_from must be/],
      ['colour=red', /colour/],
      ['status=failed&status=succeeded', /more than once/],
    ] as const) {
      const { status, text } = await ann.get(`payments?${query}`);
      assert.equal(status, 400, query);
      assert.match(text, why);
    }
  });

  it('has 50 on a page, and the next page goes on with the same filter', async function () {
    this.timeout(30_000);
    const { enter, merchant, list } = await school();
    for (let count = 0; count < 53; count += 1) await merchant.intent({ amount: 1000 + count });
    const ann = await enter('viewer');
    const first = await ann.get('payments?status=requires_payment_method');
    assert.equal(idsIn(first.html).length, 50);
    const [, next = ''] = /href="\/dashboard\/(payments\?[^"]*)" rel="next"/.exec(first.html) ?? [];
    assert.match(next, /status=requires_payment_method/);
    const second = await ann.get(next.replaceAll('&amp;', '&'));
    assert.ok(!second.html.includes('rel="next"'));
    const all = (await list('limit=100')).map(({ id }) => id);
    assert.deepEqual([...idsIn(first.html), ...idsIn(second.html)], all);
    assert.match(second.text, /AUD 53 /);
  });

  it('leaves out what is on test clocks, unless it is named; and so does the API with test_clock=none', async () => {
    const { enter, paid, merchant, list } = await school();
    const { clock, payer } = await merchant.customerOnClock('2027-01-01T00:00:00.000Z');
    const card = await merchant.card(payer.id);
    const bound = await merchant.intent({ customer_id: payer.id, payment_method: card, confirm: true });
    const free = await paid();
    const nobody = await merchant.intent({});
    const ann = await enter('viewer');
    const { html, text } = await ann.get('payments');
    assert.deepEqual(idsIn(html), [nobody.id, free.id]);
    assert.match(text, /What is on test clocks is left out/);
    assert.deepEqual(idsIn((await ann.get(`payments?test_clock=${clock.id}`)).html), [bound.id]);
    assert.deepEqual(idsIn((await ann.get(`payments?customer_id=${payer.id}`)).html), [bound.id]);
    const ids = async (query: string) => (await list(query)).map(({ id }) => id);
    assert.deepEqual(await ids('test_clock=none'), [nobody.id, free.id]);
    assert.deepEqual(await ids(''), [nobody.id, free.id, bound.id]);
    const refund = await merchant.request('POST', `/payment_intents/${bound.id}/refunds`, {});
    assert.equal(refund.status, 201, refund.text);
    assert.deepEqual((await merchant.request('GET', '/refunds?test_clock=none')).body.data, []);
  });

  it('shows nothing of another biller or the other mode, whatever is asked for', async () => {
    const { paid, keys } = await school();
    const mine = await paid();
    const other = await school();
    const strangers = [await other.enter('admin'), await enterDashboard(stage.api.url, keys.liveSecret, 'admin')];
    for (const stranger of strangers) {
      const queries = ['', `customer_id=${mine.customer_id}`, 'total_amount=4900', 'test_clock=none', 'sum=all'];
      for (const query of queries) {
        const { html } = await stranger.get(`payments?${query}`);
        assert.deepEqual(idsIn(html), [], query);
        const { html: csv } = await stranger.get(`payments.csv?${query === 'sum=all' ? '' : query}`);
        assert.equal(csv.split('\r\n').length, 2, csv);
      }
      assert.equal((await stranger.get(`payments?starting_after=${mine.id}`)).status, 400);
    }
  });

  it('takes filters as values, never as SQL, and refuses what is too long', async () => {
    const { enter, paid } = await school();
    const { id } = await paid();
    const ann = await enter('finance');
    for (const sql of [`' or 1=1 --`, `x'; drop table payment_intents; --`, '%', '\\']) {
      const value = encodeURIComponent(sql);
      for (const name of ['customer_id', 'payment_plan_id', 'test_clock']) {
        const { status, html } = await ann.get(`payments?${name}=${value}`);
        assert.equal(status, 200);
        assert.deepEqual(idsIn(html), []);
      }
      for (const name of [
        'status',
        'currency',
        'amount',
        'total_amount',
        'for',
        'collected_from',
        'starting_after',
        sql,
      ]) {
        assert.equal((await ann.get(`payments?${encodeURIComponent(name)}=${value}`)).status, 400, name);
        assert.equal((await ann.get(`payments.csv?${encodeURIComponent(name)}=${value}`)).status, 400, name);
      }
    }
    const long = 'x'.repeat(10_000);
    for (const name of ['customer_id', 'amount', 'for', 'status', 'starting_after', long]) {
      const { status, html } = await ann.get(`payments?${name}=${name === long ? 'x' : long}`);
      assert.equal(status, 400, name.slice(0, 20));
      assert.ok(html.length < 30_000, 'a refusal does not repeat what is too long');
    }
    assert.equal((await ann.get(`payments?customer_id=${encodeURIComponent('a\0b')}`)).status, 400);
    assert.deepEqual(idsIn((await ann.get('payments')).html), [id]);
  });

  it('writes hostile names as text in each cell, and no secret', async () => {
    const { enter, paid } = await school();
    const { client_secret: secret } = await paid(
      { description: markup.slice(0, 100), metadata: { note: markup } },
      `${markup} \u202e${'ن'.repeat(20)}`,
    );
    const { html } = await (await enter('admin')).get(`payments?customer_id=&for=&amount=`);
    assert.ok(!html.includes('<script') && !html.includes('<img') && !html.includes('\u202e'));
    assert.ok(secret !== undefined && !html.includes(secret) && !html.includes('_secret_'));
    const echoed = await (await enter('admin')).get(`payments?customer_id=${encodeURIComponent(markup)}`);
    assert.ok(!echoed.html.includes('<script') && !echoed.html.includes('<img'));
  });
});
