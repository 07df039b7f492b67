import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { send, useApi } from '../support/api.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { enterWorkbench } from '../support/workbench.ts';

/** Ends what encloses it, then turns the rest of the line around; with letters from right to left. */
const hostile = (name: string) => `\u2069\u202e\u2067${name} אבג 9`;

/** Returns the text outside of what is isolated that could turn the text around it. */
function turning(html: string): string[] {
  const body = html.slice(html.indexOf('<body')).replace(/<title>[^<]*<\/title>/g, '');
  const text = body.replace(/<bdi>[^<\p{Bidi_Control}]*<\/bdi>/gu, '').replace(/<[^>]*>/g, ' ');
  return text.match(/[^\n]*[\p{Bidi_Control}\u0590-\u08ff][^\n]*/gu) ?? [];
}

describe('foreign text on a page', () => {
  const stage = useStage({ isAlone: true });
  const links = useLinks(stage);
  const pages = usePages(stage);
  const operations = {
    key: null,
    webUis: { live: null, sandbox: null },
    findLatestRun: async () => null,
    findStuckWorkflows: async () => [
      {
        ...{ kind: 'workflow_failed', meaning: 'It has failed.', after_seconds: 0, count: 1 },
        found: [
          {
            ...{ kind: 'workflow_failed', subject_id: null, biller_id: null, livemode: null, since: null },
            ...{ why: hostile('Cause'), remedy: 'Look at it.', workflow_id: null },
          },
        ],
      },
    ],
  };
  const api = useApi(stage.db, undefined, () => ({ operations, forThisMachine: true }));
  const seen = (html: string, name: string, where: string) => {
    assert.ok(html.includes(`${name} אבג 9</bdi>`), `${where} shows ${name}: ${html}`);
    assert.deepEqual(turning(html), [], where);
  };

  async function plan(): Promise<{ customer: string; id: string }> {
    const { id: customer } = await stage.merchant.customer({ name: hostile('Payer') });
    await stage.merchant.card(customer);
    const today = realNow().toISOString().slice(0, 10);
    const terms = { customer_id: customer, start_date: today, recurring_amount_cents: 7500, name: hostile('Plan') };
    const { id } = await stage.merchant.plan(terms);
    return { customer, id };
  }

  it('is isolated on each page for payers: the sums and sentences around it keep their order', async () => {
    const profile = { display_name: 'מועדון אבג 9', address: 'רחוב 9' };
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, profile, { by: tester, now: realNow() });
    const { customer, id } = await plan();
    const link = await links.link({
      customer_id: customer,
      name: hostile('Link'),
      description: hostile('Details'),
      apply_to: { payment_plan_id: id },
      save_payment_method: 'always',
    });
    const offer = await pages.open(`/pay/${links.tokenOf(link)}`);
    for (const name of ['Link', 'Details', 'Plan']) seen(offer.html, name, 'link');
    const started = await pages.post(`/pay/${links.tokenOf(link)}`, offer.hidden);
    const path = started.headers.get('location') ?? '';
    const form = await pages.open(path);
    for (const name of ['Link', 'Details', 'Plan']) seen(form.html, name, 'form');
    const fields = { ...form.hidden, method: 'tok_sandbox_visa_3ds_required' };
    const sent = await pages.post(path, fields);
    const toBank = await pages.open(sent.headers.get('location') ?? '');
    const [, bank = ''] = /href="(\/challenge[^"]*)"/.exec(toBank.html) ?? [];
    const challenge = await pages.open(bank);
    seen(challenge.html, 'מועדון', 'challenge');
    const approved = await pages.post(bank, { ...challenge.hidden, answer: 'approve' });
    let next = approved.headers.get('location') ?? '';
    let result = await pages.open(next);
    for (; result.status === 303; result = await pages.open(next)) next = result.headers.get('location') ?? '';
    for (const name of ['Link', 'Details', 'Plan', 'מועדון']) seen(result.html, name, 'result');
    const [, receiptPath = ''] = /href="(\/receipt[^"]*)"/.exec(result.html) ?? [];
    const receipt = await pages.open(receiptPath);
    for (const name of ['Link', 'Details', 'מועדון']) seen(receipt.html, name, 'receipt');
    const [session] = await stage.db.sql`select consent from checkout_sessions where consent is not null`;
    const agreed = String(session?.consent.text);
    assert.match(agreed, /“\u2068Plan אבג 9\u2069”/, 'what was agreed to is kept as it was read');
    assert.doesNotMatch(agreed, /[\u202a-\u202e\u2067]/);
    const ended = await pages.open(`/pay/${links.tokenOf(link)}`);
    seen(ended.html, 'מועדון', 'ended');
  });

  it('is isolated in the text of a mandate and in its document', async () => {
    await stage.db.sql`update billers set name = ${hostile('Biller')} where id = ${stage.keys.biller.id}`;
    const { id: customer } = await stage.merchant.customer();
    const saved = await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      customer_reference: customer,
      payment_method_data: { bsb_number: '000-000', account_name: 'Account אבג 9', account_number: '98765432' },
    });
    const { id } = await stage.merchant.client.mandates.create({
      payment_method_id: saved.body.payment_method.id,
      frequency_text: hostile('Often'),
    });
    const document = await stage.merchant.client.mandates.getDocument(id);
    for (const name of ['Biller', 'Account', 'Often']) seen(document, name, 'document');
  });

  it('is isolated on each page of the workbench, and its marks are escapes in the data of an event', async () => {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-01-04T00:00:00Z');
    await stage.request('PUT', `/customers/${payer.id}`, { name: hostile('Payer'), reference: hostile('Number') });
    await stage.merchant.activePlan({ customer_id: payer.id, name: hostile('Plan'), start_date: '2027-01-04' });
    const [event] = await stage.merchant.events({ event_type: 'payment_plan.activated' });
    const ann = await enterWorkbench(stage.api.url, stage.keys.sandboxSecret, stage.vault);
    const page = async (path: string) => (await ann.get(path)).html;
    seen(await page(`clocks/${clock.id}?to=2027-01-05`), 'Plan', 'clock');
    const customer = await page(`customers/${payer.id}`);
    for (const name of ['Payer', 'Number', 'Plan']) seen(customer, name, 'customer');
    seen(await page('events'), 'Payer', 'events');
    const data = await page(`events/${event?.id}`);
    assert.deepEqual(turning(data), []);
    assert.ok(data.includes('\\u2069\\u202e\\u2067Plan'), data);
    seen(await page(''), 'Payer', 'overview');
  });

  it('is isolated on the pages of operators', async () => {
    const { status, text } = await send(`${api.url}/ops/find?q=${encodeURIComponent(hostile('x'))}`, 'GET', {});
    assert.equal(status, 200);
    assert.ok(text.includes(hostile('x')), 'the field keeps what was typed');
    assert.deepEqual(turning(text), []);
    const { status: shown, text: page } = await send(`${api.url}/ops`, 'GET', {});
    assert.equal(shown, 200);
    seen(page, 'Cause', 'operations');
  });
});
