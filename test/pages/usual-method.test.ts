import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { makeKey } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { faultPaths, useStage } from '../support/stage.ts';

const card = { method: 'tok_sandbox_visa_succeed' };
const usual = { ...card, usual: 'yes' };
const lost = 'tok_sandbox_visa_decline_card_lost';

describe('a payer who makes a new method the usual one', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);

  beforeEach('forget who has been here in this minute', () => stage.db.sql`delete from page_uses`);

  /** A customer whose default is a card that no longer works. */
  async function customerWithDeadCard() {
    const { id } = await stage.merchant.customer();
    const dead = await stage.merchant.card(id, lost);
    return { id, dead };
  }
  async function begin(input: Partial<PaymentLinkCreate>): Promise<string> {
    return `/checkout/${await links.open(await links.link({ mode: 'setup', ...input }))}`;
  }
  const defaultOf = async (id: string) => (await stage.request('GET', `/customers/${id}`)).body.default_payment_method;
  async function sessionOf(path: string) {
    const found = await links.find(path.split('/').at(-1) ?? '');
    return (await stage.request('GET', `/checkout_sessions/${found?.session.id}`)).body;
  }

  it('is asked in plain words, with a box that is not ticked, and the default of the customer follows with the consent', async () => {
    const { id } = await customerWithDeadCard();
    const path = await begin({ customer_id: id });
    const form = await pages.open(path);
    const words = `Make this my usual payment method with ${stage.keys.biller.name}`;
    assert.ok(form.text.includes(words), form.text);
    assert.match(form.html, /name="usual" id="usual" value="yes">/);
    const sent = await pages.post(path, { ...form.hidden, ...usual });
    const session = await sessionOf(path);
    assert.deepEqual([session.status, session.made_default], ['completed', true]);
    assert.equal(await defaultOf(id), session.payment_method_id);
    assert.ok(session.consent.text.includes(words), session.consent.text);
    const done = await pages.open(String(sent.headers.get('location')));
    assert.ok(done.text.includes('This is now your usual payment method'), done.text);
    const completed = (await stage.merchant.events()).findLast(({ data }) => data.id === session.id);
    assert.equal(completed?.data.made_default, true);
  });

  it('heals the plan that the link names, and every other one that is paid by the default', async () => {
    const { id } = await customerWithDeadCard();
    const today = new Date().toISOString().slice(0, 10);
    const plan = await stage.merchant.plan({ customer_id: id, start_date: today });
    await stage.merchant.move(plan.id, 'activate');
    await stage.collectAll(plan.id, new Date());
    const other = await stage.merchant.plan({ customer_id: id, start_date: today });
    const path = await begin({ customer_id: id, apply_to: { payment_plan_id: plan.id } });
    const { hidden } = await pages.open(path);
    await pages.post(path, { ...hidden, ...usual });
    await stage.merchant.move(other.id, 'activate');
    for (const { id: planId } of [plan, other]) {
      await stage.collectAll(planId, new Date());
      const { data } = (await stage.request('GET', `/payment_plans/${planId}/payments`)).body;
      assert.equal(data[0].status, 'paid', planId);
    }
  });

  it('pays with a bank account what is in its currency: anything else keeps the method that paid it, as its own', async () => {
    const { id } = await stage.merchant.customer();
    const card = await stage.merchant.card(id);
    const today = new Date().toISOString().slice(0, 10);
    const [aud, yen] = [
      await stage.merchant.plan({ customer_id: id, start_date: today }),
      await stage.merchant.plan({ customer_id: id, start_date: today, currency: 'JPY' }),
    ];
    const dollars = await stage.request('POST', '/subscriptions', {
      customer_id: id,
      name: 'Membership',
      currency: 'USD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    const account = await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      customer_reference: id,
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' },
    });
    const methodId = account.body.payment_method.id;
    const changed = await stage.request('PUT', `/customers/${id}`, { default_payment_method: methodId });
    assert.equal(changed.status, 200, changed.text);
    const methodOf = async (path: string) => (await stage.request('GET', path)).body.payment_instrument_id;
    assert.equal(await methodOf(`/payment_plans/${aud.id}`), null);
    assert.equal(await methodOf(`/payment_plans/${yen.id}`), card);
    assert.equal(await methodOf(`/subscriptions/${dollars.body.id}`), card);
  });

  it('reads before and after which plans and subscriptions it pays, and which a bank account cannot', async () => {
    const { id } = await stage.merchant.customer();
    const card = await stage.merchant.card(id);
    const start_date = new Date().toISOString().slice(0, 10);
    const pool = await stage.merchant.plan({ customer_id: id, name: 'Pool', start_date });
    const sauna = await stage.merchant.plan({ customer_id: id, name: 'Sauna', start_date, currency: 'JPY' });
    await stage.merchant.plan({ customer_id: id, name: 'Its own', start_date, payment_instrument_id: card });
    const items = [{ name: 'Gym', unit_amount_cents: 4900 }];
    const terms = { customer_id: id, currency: 'USD', frequency_type: 'monthly', items };
    const gym = (await stage.request('POST', '/subscriptions', { ...terms, name: 'Gym' })).body;
    const ended = (await stage.request('POST', '/subscriptions', { ...terms, name: 'Ended' })).body;
    await stage.request('POST', `/subscriptions/${ended.id}/cancel`, { at: 'now' });

    const byCard = await pages.open(await begin({ customer_id: id }));
    assert.ok(byCard.text.includes('At present that is “Pool”, “Sauna” and “Gym”.'), byCard.text);
    assert.ok(!byCard.text.includes('cannot pay') && !byCard.text.includes('Its own'), byCard.text);

    const path = await begin({ customer_id: id, payment_method_types: ['au_becs_debit'] });
    const form = await pages.open(path);
    const words = 'At present that is “Pool”. A bank account cannot pay “Sauna” and “Gym”';
    assert.ok(form.text.includes(words), form.text);
    const account = { account_name: 'Jo Nguyen', bsb: '000-000', account_number: '12345678', agreed: 'yes' };
    const fields = { ...account, method: 'au_becs_debit', usual: 'yes' };
    const sent = await pages.post(path, { ...form.hidden, ...fields });
    assert.equal(sent.status, 303, sent.text);
    const session = await sessionOf(path);
    assert.ok(session.consent.text.includes(words), session.consent.text);
    const methodOf = async (at: string) => (await stage.request('GET', at)).body.payment_instrument_id;
    assert.equal(await defaultOf(id), session.payment_method_id);
    assert.equal(await methodOf(`/payment_plans/${pool.id}`), null);
    assert.equal(await methodOf(`/payment_plans/${sauna.id}`), card);
    assert.equal(await methodOf(`/subscriptions/${gym.id}`), card);
    const done = await pages.open(String(sent.headers.get('location')));
    assert.ok(done.text.includes('This is now your usual payment method'), done.text);
    assert.ok(done.text.includes('It pays “Pool”.'), done.text);
  });

  it('gives nothing of its own to what the former default could not pay either', async () => {
    const { id } = await stage.merchant.customer();
    const account = async (account_number: string) => {
      const payment_method_data = { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number };
      const body = { type: 'au_becs_debit', customer_reference: id, payment_method_data };
      return (await stage.request('POST', '/payment_methods', body)).body.payment_method.id;
    };
    await account('98765432');
    const other = await account('12345678');
    const items = [{ name: 'Gym', unit_amount_cents: 4900 }];
    const terms = { customer_id: id, name: 'Gym', currency: 'USD', frequency_type: 'monthly', items };
    const gym = (await stage.request('POST', '/subscriptions', terms)).body;
    await stage.request('PUT', `/customers/${id}`, { default_payment_method: other });
    const { payment_instrument_id: own } = (await stage.request('GET', `/subscriptions/${gym.id}`)).body;
    assert.deepEqual([await defaultOf(id), own], [other, null]);
  });

  it('is shown the form again if it pays something else by now', async () => {
    const { id } = await customerWithDeadCard();
    const path = await begin({ customer_id: id });
    const { hidden } = await pages.open(path);
    await stage.merchant.plan({ customer_id: id, name: 'Pool', start_date: new Date().toISOString().slice(0, 10) });
    const sent = await pages.post(path, { ...hidden, ...usual });
    assert.deepEqual([sent.status, sent.text.includes('At present that is “Pool”.')], [400, true], sent.text);
    assert.equal((await sessionOf(path)).status, 'open');
    assert.equal((await pages.post(path, { ...sent.hidden, ...usual })).status, 303);
  });

  it('changes nothing if the box is not ticked', async () => {
    const { id, dead } = await customerWithDeadCard();
    for (const fields of [card, { ...card, usual: '' }, { ...card, usual: 'on' }, { ...card, usual: 'no' }]) {
      const path = await begin({ customer_id: id });
      const { hidden } = await pages.open(path);
      await pages.post(path, { ...hidden, ...fields });
      const { status, made_default: made, consent } = await sessionOf(path);
      assert.deepEqual([status, made, await defaultOf(id)], ['completed', false, dead]);
      assert.ok(!consent.text.includes('usual payment method'), consent.text);
    }
  });

  it('is not asked if the key of the link or session may not set defaults, and cannot cause it by the field', async () => {
    const scopes = allScopes.filter((scope) => scope !== 'customers:write');
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes });
    const make = async (path: string, body: unknown) => stage.api.send('POST', `/api/v1${path}`, { key, body });
    for (const path of ['/payment_links', '/checkout_sessions']) {
      const { id, dead } = await customerWithDeadCard();
      const { body } = await make(path, { mode: 'setup', name: 'Your card', customer_id: id });
      const { pathname } = new URL(body.url);
      const page = path === '/payment_links' ? `/checkout/${await links.open(await links.read(body))}` : pathname;
      const { hidden, html, text } = await pages.open(page);
      assert.doesNotMatch(html, /name="usual"/);
      assert.ok(!text.includes('usual payment method'), text);
      assert.equal((await pages.post(page, { ...hidden, ...usual })).status, 303);
      const { status, made_default: made } = await sessionOf(page);
      assert.deepEqual([status, made, await defaultOf(id)], ['completed', false, dead]);
    }
  });

  it('reads a sentence and has no box if the link or session was made with make_default, which needs customers:write', async () => {
    const scopes = allScopes.filter((scope) => scope !== 'customers:write');
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes });
    const words = `This becomes my usual payment method with ${stage.keys.biller.name}`;
    for (const path of ['/payment_links', '/checkout_sessions']) {
      const { id } = await customerWithDeadCard();
      const body = { mode: 'setup', name: 'Your card', customer_id: id, make_default: true };
      const refused = await stage.api.send('POST', `/api/v1${path}`, { key, body });
      assert.equal(`${refused.status} ${refused.body.error.code}`, '403 insufficient_scope', refused.text);
      const made = await stage.request('POST', path, body);
      assert.deepEqual([made.status, made.body.make_default], [201, true], made.text);
      const { pathname } = new URL(made.body.url);
      const page = path === '/payment_links' ? `/checkout/${await links.open(await links.read(made.body))}` : pathname;
      const { hidden, html, text } = await pages.open(page);
      assert.doesNotMatch(html, /name="usual"/);
      assert.ok(text.includes(words), text);
      assert.equal((await pages.post(page, { ...hidden, ...card, usual: 'no' })).status, 303);
      const session = await sessionOf(page);
      assert.deepEqual([session.made_default, session.make_default], [true, true]);
      assert.equal(await defaultOf(id), session.payment_method_id);
      assert.ok(session.consent.text.includes(words), session.consent.text);
    }
  });

  it('saves a method for it: make_default of a link that takes a payment is refused', async () => {
    for (const path of ['/payment_links', '/checkout_sessions']) {
      const terms = { name: 'Invoice', amount: 2500, currency: 'AUD', make_default: true };
      assert.deepEqual(faultPaths(await stage.request('POST', path, terms), 422), ['/make_default']);
    }
  });

  it('is not asked where a payment is made, and cannot cause it there by a field of the same name', async () => {
    const { id, dead } = await customerWithDeadCard();
    for (const input of [{}, { save_payment_method: 'always' }, { save_payment_method: 'offer' }] as const) {
      const path = await begin({ mode: 'payment', customer_id: id, ...input });
      const { hidden, html } = await pages.open(path);
      assert.doesNotMatch(html, /name="usual"/);
      const paid = await pages.post(path, { ...hidden, ...usual, save: 'yes' });
      assert.equal(paid.status, 303, paid.text);
      const { status, made_default: made } = await sessionOf(path);
      assert.deepEqual([status, made, await defaultOf(id)], ['completed', false, dead]);
    }
  });

  it('leaves the default as it was if the form is refused, and shows the box as it was sent', async () => {
    const { id, dead } = await customerWithDeadCard();
    const types = ['card', 'au_becs_debit'] as ('card' | 'au_becs_debit')[];
    const path = await begin({ customer_id: id, payment_method_types: types });
    const { hidden } = await pages.open(path);
    const wrong = { method: 'au_becs_debit', account_name: 'Jo', bsb: '1', account_number: '2' };
    const ticked = await pages.post(path, { ...hidden, ...wrong, usual: 'yes' });
    assert.equal(ticked.status, 400);
    assert.match(ticked.html, /id="usual" value="yes" checked>/);
    const unticked = await pages.post(path, { ...hidden, ...wrong });
    assert.doesNotMatch(unticked.html, /id="usual" value="yes" checked>/);
    const forged = await pages.post(path, { ...usual, form: 'forged' });
    assert.equal(forged.status, 400);
    const foreign = await pages.post(path, { ...hidden, ...usual }, { 'Sec-Fetch-Site': 'cross-site' });
    assert.equal(foreign.status, 403);
    assert.deepEqual([(await sessionOf(path)).status, await defaultOf(id)], ['open', dead]);
  });

  it('is the payer whose form is taken first, of many that are sent at once and again later', async () => {
    const { id } = await customerWithDeadCard();
    const path = await begin({ customer_id: id });
    const { hidden } = await pages.open(path);
    const forms = [usual, usual, card, { ...usual, method: 'tok_sandbox_mastercard_succeed' }, card];
    await Promise.all(forms.map((fields) => pages.post(path, { ...hidden, ...fields })));
    const session = await sessionOf(path);
    const after = await defaultOf(id);
    assert.equal(after === session.payment_method_id, session.made_default);
    const chosen = await stage.merchant.card(id);
    await stage.request('PUT', `/customers/${id}`, { default_payment_method: chosen });
    // Sent again once the biller has chosen another one.
    await pages.post(path, { ...hidden, ...usual });
    assert.equal(await defaultOf(id), chosen);
  });

  it('is thanked for a form that is sent twice, at once and later, and no other payer is', async () => {
    const { id } = await customerWithDeadCard();
    const path = await begin({ customer_id: id });
    const [mine, other] = [await pages.open(path), await pages.open(path)];
    const send = (hidden: Record<string, string>) => pages.post(path, { ...hidden, ...usual });
    const twice = await Promise.all([send(mine.hidden), send(mine.hidden)]);
    const foreign = await send(other.hidden);
    const last = async ({ headers, text }: { headers: Headers; text: string }): Promise<string> => {
      const location = headers.get('location');
      return location === null ? text : last(await pages.open(location));
    };
    for (const sent of [...twice, await send(mine.hidden)]) {
      assert.ok((await last(sent)).includes('Visa ending in 4242'), await last(sent));
    }
    const seen = await last(foreign);
    assert.ok(seen.includes('Already saved') && !seen.includes('4242'), seen);
  });

  it('gets nothing through a link that has ended, or whose customer was deleted', async () => {
    const ended = await customerWithDeadCard();
    const link = await links.link({ mode: 'setup', customer_id: ended.id });
    const path = `/checkout/${await links.open(link)}`;
    const { hidden } = await pages.open(path);
    await links.deactivate(link);
    assert.equal((await pages.post(path, { ...hidden, ...usual })).status, 410);
    assert.equal(await defaultOf(ended.id), ended.dead);
    const deleted = await customerWithDeadCard();
    const late = await begin({ customer_id: deleted.id });
    const form = await pages.open(late);
    await stage.request('DELETE', `/customers/${deleted.id}`);
    const before = await defaultOf(deleted.id);
    assert.equal((await pages.post(late, { ...form.hidden, ...usual })).status, 410);
    assert.equal(await defaultOf(deleted.id), before);
  });

  it('makes it the default of a customer who is created by the form', async () => {
    const path = await begin({});
    const { hidden } = await pages.open(path);
    await pages.post(path, { ...hidden, ...usual, name: 'Jo Nguyen', email: 'jo@example.com' });
    const { customer_id: id, payment_method_id: method } = await sessionOf(path);
    assert.equal(await defaultOf(id), method);
  });
});
