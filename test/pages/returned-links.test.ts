import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { PaymentLinkRow } from '../../src/db/payment-links.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { card, useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const byAccount = {
  ...{ method: 'au_becs_debit', account_name: 'Jo Nguyen', bsb: '000-000', account_number: '12345678', agreed: 'yes' },
  ...{ name: 'Jo Nguyen', email: 'jo@example.com' },
};
const cameBack = 'A payment made here has come back from the bank';

describe('a link whose payment came back', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);

  beforeEach('forget who has been here in this minute', () => stage.db.sql`delete from page_uses`);

  const link = (input: Partial<PaymentLinkCreate> = {}) =>
    links.link({ payment_method_types: ['card', 'au_becs_debit'], ...input });
  const pathOf = (row: PaymentLinkRow) => `/pay/${links.tokenOf(row)}`;
  const inAnHour = () => new Date(realNow().getTime() + 3_600_000).toISOString();

  /** A payer pays a link from a bank account. Returns the payment, the page of the session, and the payer's own one. */
  async function debited(row: PaymentLinkRow) {
    const path = `/checkout/${await links.open(row)}`;
    const { hidden } = await pages.open(path);
    const sent = await pages.post(path, { ...hidden, ...byAccount });
    assert.equal(sent.status, 303, sent.text);
    const [intent] = await stage.db.sql<{ id: string }[]>`
      select id from payment_intents where payment_link_id = ${row.id} order by id desc limit 1`;
    return { intent: intent?.id ?? '', path, own: String(sent.headers.get('location')) };
  }
  async function report(intent: string, ...results: string[]): Promise<void> {
    for (const result of results) {
      const reply = await stage.request('POST', `/test_helpers/payment_intents/${intent}/bank_result`, { result });
      assert.equal(reply.status, 200, reply.text);
    }
  }
  const shown = async ({ id }: { id: string }) => (await stage.request('GET', `/payment_links/${id}`)).body;
  async function stateOf(row: PaymentLinkRow) {
    const { status, status_reason, payments_count, collected_amount } = await shown(row);
    return [status, status_reason, payments_count, collected_amount];
  }
  async function told({ id }: PaymentLinkRow): Promise<string[]> {
    const events = (await stage.merchant.events()).filter(({ data }) => data.id === id);
    return events.map(({ event_type: type }) => type.replace('payment_link.', ''));
  }
  const renew = ({ id }: PaymentLinkRow, body = {}) => stage.request('POST', `/payment_links/${id}/renew`, body);
  const passes = ({ id }: PaymentLinkRow) => stage.db.sql`update payment_links set expires_at = now() where id = ${id}`;

  it('is open again, says so, and takes the payment', async () => {
    const row = await link({ expires_at: inAnHour() });
    const { intent, path, own } = await debited(row);
    await report(intent, 'settled');
    assert.deepEqual(await stateOf(row), ['completed', null, 1, 2500]);
    await stage.db.sql`delete from workflow_intents where subject_id = ${row.id}`;
    await report(intent, 'returned');
    assert.deepEqual(await stateOf(row), ['open', null, 0, 0]);
    assert.equal((await shown(row)).completed_at, null);
    const started = await stage.db.sql`select start from workflow_intents where subject_id = ${row.id}`;
    assert.deepEqual([...started], [{ start: true }], 'its expiry is waited for again');

    const page = await pages.open(pathOf(row));
    assert.deepEqual([page.status, page.text.includes(cameBack)], [200, true], page.text);
    for (const url of [own, `${path}/done`]) {
      const { text, html } = await pages.open(url);
      assert.ok(text.includes('taken this payment back') && !text.includes('already been paid'), text);
      assert.ok(html.includes(`href="${pathOf(row)}"`), html);
    }
    assert.equal(links.outcome(await links.pay(await links.open(row))), 'completed');
    assert.deepEqual(await stateOf(row), ['completed', null, 1, 2500]);
    const since = await pages.open(own);
    assert.ok(since.text.includes('It has been paid again since'), since.text);
    assert.deepEqual(await told(row), ['created', 'paid', 'completed', 'reopened', 'paid', 'completed']);
  });

  it('is expired if its time is over, with the reason payment_returned, and can be renewed', async () => {
    const row = await link({ expires_at: inAnHour() });
    const { intent, path } = await debited(row);
    await report(intent, 'settled');
    await passes(row);
    await report(intent, 'returned');
    assert.deepEqual(await stateOf(row), ['expired', 'payment_returned', 0, 0]);
    const page = await pages.open(pathOf(row));
    assert.equal(page.status, 410);
    assert.ok(page.text.includes(cameBack) && page.text.includes('has expired'), page.text);
    const done = await pages.open(`${path}/done`);
    assert.ok(!done.html.includes(pathOf(row)) && !done.text.includes('already'), done.text);
    assert.equal((await renew(row)).status, 422);
    assert.equal((await renew(row, { expires_at: null })).body.status, 'open');
    assert.ok((await pages.open(pathOf(row))).text.includes(cameBack));
    assert.equal(links.outcome(await links.pay(await links.open(row))), 'completed');
    assert.deepEqual(await told(row), ['created', 'paid', 'completed', 'expired', 'renewed', 'paid', 'completed']);
  });

  it('stays deactivated if it was, and can then be renewed', async () => {
    const row = await link();
    const { intent } = await debited(row);
    await links.deactivate(row);
    await report(intent, 'settled');
    assert.equal((await renew(row)).status, 422, 'it has taken all its payments');
    await report(intent, 'returned');
    assert.deepEqual(await stateOf(row), ['deactivated', 'requested', 0, 0]);
    assert.ok((await pages.open(pathOf(row))).text.includes('no longer in use'));
    assert.equal((await renew(row)).body.status, 'open');
    assert.ok((await pages.open(pathOf(row))).text.includes(cameBack));
    assert.deepEqual(await told(row), ['created', 'deactivated', 'paid', 'renewed']);
  });

  it('is deactivated if its customer was deleted', async () => {
    const { id } = await stage.merchant.customer();
    const row = await link({ customer_id: id });
    const { intent } = await debited(row);
    await report(intent, 'settled');
    await stage.request('DELETE', `/customers/${id}`);
    await report(intent, 'returned');
    assert.deepEqual(await stateOf(row), ['deactivated', 'customer_deleted', 0, 0]);
    assert.equal((await renew(row)).status, 422);
    assert.deepEqual(await told(row), ['created', 'paid', 'completed', 'deactivated']);
  });

  it('takes as many payments as came back, and tells a payer whom it had turned away that it is open', async () => {
    const row = await link({ max_payments: 2 });
    const { intent } = await debited(row);
    const late = `/checkout/${await links.open(row)}`;
    await report(intent, 'settled');
    await links.pay(await links.open(row));
    assert.ok((await pages.open(late)).text.includes('This has already been paid'));
    await report(intent, 'returned');
    assert.deepEqual(await stateOf(row), ['open', null, 1, 2500]);
    const turnedAway = await pages.open(late);
    assert.deepEqual([turnedAway.status, turnedAway.text.includes('already been paid')], [410, false]);
    assert.ok(turnedAway.html.includes(`href="${pathOf(row)}"`), turnedAway.html);
    assert.equal((await pages.open(pathOf(row))).text.includes(cameBack), false, 'strangers are not told');
    assert.equal(links.outcome(await links.pay(await links.open(row))), 'completed');
    assert.deepEqual(await stateOf(row), ['completed', null, 2, 5000]);
    assert.ok((await pages.open(late)).text.includes('already been paid'));
  });

  it('tells a payer whom it had turned away that it is over, if it is', async () => {
    const row = await link({ max_payments: 2, expires_at: inAnHour() });
    const { intent } = await debited(row);
    const late = `/checkout/${await links.open(row)}`;
    await report(intent, 'settled');
    await links.pay(await links.open(row));
    await passes(row);
    await report(intent, 'returned');
    const turnedAway = await pages.open(late);
    assert.ok(turnedAway.text.includes('has expired') && !turnedAway.text.includes('already'), turnedAway.text);
  });

  it('stays as it is if it is still open, with lower counts and without an event of its own', async () => {
    const { id } = await stage.merchant.customer();
    const row = await link({ max_payments: null, customer_id: id });
    const { intent } = await debited(row);
    await report(intent, 'settled');
    await links.pay(await links.open(row));
    assert.deepEqual(await stateOf(row), ['open', null, 2, 5000]);
    await report(intent, 'returned');
    assert.deepEqual(await stateOf(row), ['open', null, 1, 2500]);
    assert.ok((await pages.open(pathOf(row))).text.includes(cameBack), 'all its payments are of one customer');
    assert.deepEqual(await told(row), ['created', 'paid', 'paid']);
  });

  it('gives its plan the method that pays it again', async () => {
    const { id } = await stage.merchant.customer();
    const usual = await stage.merchant.card(id);
    const plan = await stage.merchant.plan({ customer_id: id, start_date: new Date().toISOString().slice(0, 10) });
    const row = await link({ customer_id: id, apply_to: { payment_plan_id: plan.id }, save_payment_method: 'always' });
    const { intent } = await debited(row);
    await report(intent, 'settled', 'returned');
    const again = await links.pay(await links.open(row), { method: card('tok_sandbox_mastercard_succeed') });
    assert.equal(links.outcome(again), 'completed');
    const { payment_instrument_id: instrument } = (await stage.request('GET', `/payment_plans/${plan.id}`)).body;
    assert.equal(instrument, again.kind === 'done' ? again.session.session.payment_method_id : '');
    assert.notEqual(instrument, usual);
  });

  it('stays completed if the money was refunded', async () => {
    const row = await link();
    await links.pay(await links.open(row));
    const { data } = (await stage.request('GET', `/payment_links/${row.id}/payments`)).body;
    await stage.request('POST', `/payment_intents/${data[0].id}/refunds`, {});
    assert.deepEqual(await stateOf(row), ['completed', null, 1, 2500]);
    assert.ok((await pages.open(pathOf(row))).text.includes('This has already been paid'));
  });
});
