import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { enterDashboard, type Visitor } from '../support/dashboard.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;

describe('the page Find', () => {
  const stage = useStage();
  let ann: Visitor;
  beforeEach(async () => {
    ann = await enterDashboard(stage.api.url, stage.keys.sandboxSecret, 'viewer');
  });

  const found = async (text: string) => {
    const { status, html } = await ann.get(`?q=${encodeURIComponent(text)}`);
    assert.equal(status, 200);
    const section = /<section class="card" id="found">([\s\S]*?)<\/section>/.exec(html)?.[1] ?? '';
    return [...section.matchAll(/<(?:li|td)><a href="\/dashboard\/(?:customers|payments)\/(\w+)"/g)].map(
      ([, id]) => id,
    );
  };

  it('finds a customer by id, e-mail address, reference, any beginning of words of the name, and last four digits', async () => {
    const payer = await stage.merchant.payer({ name: 'Ada Lovelace-Byron', email: 'ada@x.example', reference: 'R-17' });
    await stage.merchant.payer({ name: 'Grace Hopper', email: 'grace@x.example', reference: 'R-18' });
    const plan = await stage.merchant.plan({ customer_id: payer.id, start_date: '2199-01-01' });
    const texts = [payer.id, plan.id, 'ADA@x.example', 'R-17', 'ada', 'love', 'byron', 'Love Ada', 'ADA LOVELACE'];
    for (const text of texts) assert.deepEqual(await found(text), [payer.id], text);
    assert.deepEqual(await found('Ada Hopper'), []);
    assert.equal((await found('4242')).length, 2);
    assert.deepEqual(await found('0000'), []);
  });

  it('finds a payment by id, amount in its own currency, refund, and reference on a statement', async () => {
    const payer = await stage.merchant.payer();
    const intent = await stage.merchant.intent({ amount: 4913, customer_id: payer.id });
    const yen = await stage.merchant.intent({ amount: 4913, currency: 'JPY', customer_id: payer.id });
    for (const text of ['49.13', 'A$49.13', '49,13']) assert.deepEqual(await found(text), [intent.id], text);
    assert.deepEqual(await found('¥4913'), [yen.id]);
    assert.deepEqual(await found(yen.id), [yen.id]);
    await stage.db.sql`
      update payment_intents set lodgement_reference = 'PAY-7Q2M0X4V8KD1TA' where id = ${yen.id}`;
    assert.deepEqual(await found('pay-7q2m0x4v8kd1ta'), [yen.id]);
  });

  it('finds deleted customers and those on test clocks, marked', async () => {
    const clock = await stage.merchant.clock('2027-01-04T00:00:00Z');
    await stage.merchant.payer({ name: 'Timed Payer', test_clock: clock.id });
    const gone = await stage.merchant.customer({ name: 'Gone Payer' });
    await stage.request('DELETE', `/customers/${gone.id}`);
    const { text } = await ann.get('?q=payer');
    assert.match(text, /Timed Payer active on a test clock/);
    assert.match(text, /Gone Payer deleted/);
  });

  it('finds nothing of another biller and of live mode', async () => {
    const stranger = await stage.stranger();
    const payer = await stranger.merchant.payer({ name: 'Hidden Payer', email: 'h@x.example', reference: 'R-1' });
    const intent = await stranger.merchant.intent({ amount: 4999, customer_id: payer.id });
    for (const text of [payer.id, intent.id, 'hidden', 'h@x.example', 'R-1', '49.99', '4242']) {
      assert.deepEqual(await found(text), [], text);
    }
    const live = await enterDashboard(stage.api.url, stage.keys.liveSecret, 'viewer');
    const mine = await stage.merchant.payer({ name: 'Sandbox Payer' });
    const { text } = await live.get('?q=sandbox');
    assert.ok(!text.includes('Sandbox Payer'));
    assert.deepEqual(await found('sandbox'), [mine.id]);
  });

  it('takes whatever is typed as text', async () => {
    const payer = await stage.merchant.payer({ name: markup });
    for (const text of [
      markup,
      `'; drop table customers; --`,
      `' & !`,
      ':*',
      '\\',
      '%',
      '\u0000',
      '(((',
      'x'.repeat(5000),
    ]) {
      const { status, html } = await ann.get(`?q=${encodeURIComponent(text)}`);
      assert.equal(status, 200, text);
      assert.ok(!html.includes('<script') && !html.includes('<img'));
    }
    assert.deepEqual(await found('onerror'), [payer.id]);
  });

  it('says when there is more than it shows', async () => {
    for (let number = 0; number < 21; number++) await stage.merchant.customer({ name: `Many ${number}` });
    const { text, html } = await ann.get('?q=many');
    assert.match(text, /There are more/);
    assert.equal(html.match(/href="\/dashboard\/customers\//g)?.length, 20);
  });

  it('shows the newest failures with the reason, and nothing of what has not failed', async () => {
    const payer = await stage.merchant.payer({ name: 'Ada' });
    const card = await stage.merchant.card(payer.id);
    const metadata = { _sandbox_outcome: 'decline' };
    await stage.merchant.intent({ amount: 4901, customer_id: payer.id, payment_method: card, confirm: true, metadata });
    await stage.merchant.intent({ amount: 4902, customer_id: payer.id, payment_method: card, confirm: true });
    const { text } = await ann.get('');
    assert.match(text, /Newest failures .*A\$49\.01 failed insufficient funds: .* Ada/);
    assert.ok(!text.includes('49.02'));
  });
});
