import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile, type ProfileChange } from '../../src/services/accounts/biller-profile.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const gst = { label: 'GST', basisPoints: 1000 };
const english = { 'Accept-Language': 'en-AU' };

describe('the receipt of a payment that includes a tax', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney', country: 'AU' } });
  const links = useLinks(stage);
  const pages = usePages(stage);
  const account = (change: ProfileChange = {}) => {
    const profile = { display_name: 'Harbour Gym', tax_id: 'ABN 51 824 753 556', tax: gst, ...change };
    return changeBillerProfile(stage.db.sql, stage.keys.biller.id, profile, { by: tester, now: realNow() });
  };
  async function receiptOf(id: string) {
    const { receipt_url: url = '' } = await stage.merchant.getIntent(id);
    const { html, text } = await pages.open(url, english);
    return { title: /<h1>([^<]*)<\/h1>/.exec(html)?.[1], text, html };
  }
  async function paid(body: Record<string, unknown> = {}) {
    const payer = await stage.merchant.customer({ name: 'Ada Lovelace' });
    const method = await stage.merchant.card(payer.id);
    const terms = { customer_id: payer.id, payment_method: method, description: 'Ten lessons', confirm: true };
    return stage.merchant.intent({ amount: 2500, ...terms, ...body });
  }
  const assertShows = (text: string, ...all: string[]) => {
    for (const words of all) assert.ok(text.includes(words), `${words} in ${text}`);
  };

  it('is a tax invoice with seller, ABN, date, what was sold, total and tax', async () => {
    await account();
    const { title, text } = await receiptOf((await paid()).id);
    assert.equal(title, 'Tax invoice');
    assertShows(text, 'Paid to Harbour Gym', 'ABN 51 824 753 556', 'Details Ten lessons', 'Total $25.00');
    assertShows(text, 'Total price includes GST (10%) $2.27');
    assert.match(text, /Date \d{1,2} \w+ 20\d\d/);
    assert.ok(!text.includes('Ada Lovelace'), text);
  });

  it('names the buyer from 1,000.00 on, by the business if there is one, and is a receipt without a buyer', async () => {
    await account();
    const below = await receiptOf((await paid({ amount: 99_999 })).id);
    assert.deepEqual([below.title, below.text.includes('Paid by')], ['Tax invoice', false]);
    const above = await receiptOf((await paid({ amount: 100_000 })).id);
    assert.equal(above.title, 'Tax invoice');
    assertShows(above.text, 'Paid by Ada Lovelace', 'Total price includes GST (10%) $90.91');
    const firm = await stage.merchant.customer({ name: 'Ada', business_name: 'Engines <b>Pty</b> Ltd' });
    const method = await stage.merchant.card(firm.id);
    const named = await receiptOf((await paid({ amount: 100_000, customer_id: firm.id, payment_method: method })).id);
    assertShows(named.html, 'Engines &lt;b&gt;Pty&lt;/b&gt; Ltd');
    const link = await links.link({ amount: 100_000, save_payment_method: 'no' });
    await links.pay(await links.open(link));
    const [intent] = await stage.db.sql<{ id: string }[]>`
      update payment_intents set customer_id = null where payment_link_id = ${link.id} returning id`;
    const unknown = await receiptOf(String(intent?.id));
    assert.equal(unknown.title, 'Receipt');
    assertShows(unknown.text, 'Total price includes GST (10%) $90.91');
  });

  it('is a receipt that tells the tax, if it lacks an ABN or what was sold, or is not in Australian dollars', async () => {
    await account({ tax_id: null });
    const { title, text } = await receiptOf((await paid()).id);
    assert.deepEqual([title, text.includes('$2.27')], ['Receipt', true]);
    await account({ tax_id: 'NZBN 9429000000000' });
    assert.equal((await receiptOf((await paid()).id)).title, 'Receipt');
    await account();
    assert.equal((await receiptOf((await paid({ description: undefined })).id)).title, 'Receipt');
    assert.equal((await receiptOf((await paid({ currency: 'NZD' })).id)).title, 'Receipt');
    const free = await receiptOf((await paid({ tax_included: false })).id);
    assert.deepEqual([free.title, free.text.includes('GST')], ['Receipt', false]);
  });

  it('refuses a tax id that says it is an ABN and does not check', async () => {
    await assert.rejects(account({ tax_id: 'ABN 51 824 753 557' }), /digits do not check/);
  });

  it('tells what a mixed payment of a subscription includes it in, line by line', async () => {
    await account();
    const { subscriptions } = stage.merchant.client;
    const { id: customer_id } = await stage.merchant.payer();
    const items = [
      { name: 'Lessons', unit_amount_cents: 1500, quantity: 2 },
      { name: 'Food', unit_amount_cents: 1000, tax_included: false },
    ];
    const { id } = await subscriptions.create({
      customer_id,
      name: 'Camp',
      currency: 'AUD',
      frequency_type: 'monthly',
      items,
    });
    await subscriptions.start(id);
    const { latest_payment_intent_id: intent } = await subscriptions.get(id);
    const { title, text } = await receiptOf(String(intent));
    assert.equal(title, 'Tax invoice');
    assertShows(text, 'Includes GST (10%) $2.73', 'Of the total, without GST $10.00', 'Food (no GST) $10.00');
    assertShows(text, '2 × Lessons $30.00');
  });

  it('has an adjustment note for its refunds: price and tax that go back, and the price after each', async () => {
    await account();
    const { id } = await paid();
    for (const amount of [1000, 500]) await stage.request('POST', `/payment_intents/${id}/refunds`, { amount });
    const { text } = await receiptOf(id);
    assertShows(text, 'Adjustment note: refunds', '-$10.00', 'GST in this refund -$0.90');
    assertShows(text, 'Price from $25.00 to $15.00', 'Price from $15.00 to $10.00');
  });

  it('says the price of what was collected again without refunds that were before a lost dispute', async () => {
    await account();
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T00:00:00Z');
    const card = await stage.merchant.card(payer.id);
    const terms = { customer_id: payer.id, payment_instrument_id: card, start_date: '2027-03-02' };
    const plan = await stage.merchant.activePlan(terms);
    await stage.advance(clock.id, '2027-03-03T00:00:00Z');
    const [first] = await stage.merchant.payments(plan.id);
    const id = first?.payment_intent_id ?? '';
    const refund = (amount: number) => stage.request('POST', `/payment_intents/${id}/refunds`, { amount });
    await refund(700);
    await stage.request('POST', `/test_helpers/payment_intents/${id}/dispute`, { result: 'lost' });
    await stage.advance(clock.id, '2027-03-14T00:00:00Z');
    await stage.merchant.move(plan.id, 'resume');
    await stage.advance(clock.id, '2027-03-14T12:00:00Z');
    await refund(400);
    const { text } = await receiptOf(id);
    assertShows(text, '-$7.00', 'Price from $10.00 to $6.00', 'Paid after that: $6.00');
    assert.equal(text.split('Price from').length, 2, text);
  });

  it('has the tax that the page of its link and of its session has said before', async () => {
    await account();
    const link = await links.link({ amount: 10_000, surcharge_applied: true });
    const offer = await pages.open(`/pay/${links.tokenOf(link)}`, english);
    assert.match(offer.text, /Includes GST \$\d/);
    const token = await links.open(link);
    const checkout = await pages.open(`/checkout/${token}`, english);
    assert.match(checkout.text, /Includes GST \$\d/);
    const free = await links.link({ tax_included: false });
    const other = await pages.open(`/pay/${links.tokenOf(free)}`, english);
    assert.ok(!other.text.includes('GST'), other.text);
    assert.equal((await links.pay(token)).kind, 'done');
    const [paid] = await stage.db.sql<{ id: string; tax_amount: number }[]>`
      select id, tax_amount from payment_intents where payment_link_id = ${link.id}`;
    assertShows((await receiptOf(String(paid?.id))).text, `$${((paid?.tax_amount ?? 0) / 100).toFixed(2)}`);
  });

  it('shows a label as text, whatever is in it', async () => {
    await account({ tax: { label: '<b>"x"</b>', basisPoints: 250 } });
    const { html } = await receiptOf((await paid()).id);
    assertShows(html, '&lt;b&gt;');
    assert.ok(!html.includes('<b>'));
  });
});
