import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebtor } from '../support/debtor.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { faultPaths, refusal, useStage } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('a charge that its mandate does not allow', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);
  const links = useLinks(stage);

  const account = async (most: number | null = 3500) => {
    const id = await debtor.account(here.customer);
    await debtor.active({ payment_method_id: id, ...(most === null ? {} : { max_amount_cents: most }) });
    return id;
  };
  const items = (cents: number) => [{ name: 'Membership', unit_amount_cents: cents }];
  const subscribed = async (terms = {}) =>
    subscriber.started({ items: items(3000), effective_on: 'submitted', ...terms });
  const codeOf = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await stage.request(method, path, body);
    return status < 300
      ? status
      : answer.error.code === 'validation_failed'
        ? answer.error.details[0].code
        : answer.error.code;
  };
  const debited = async () => {
    const id = await subscribed({ payment_instrument_id: await account() });
    await here.advance('2027-01-20T00:00:00Z');
    return id;
  };

  it('is refused by each door of a subscription, and nothing has changed', async () => {
    const id = await debited();
    const before = await subscriber.get(id);
    const refused = 'mandate_limit_exceeded';
    const change = `/subscriptions/${id}/change`;
    assert.equal(await codeOf('POST', change, { items: items(5000) }), refused);
    assert.equal(await codeOf('POST', change, { items: items(5000), dry_run: true }), refused);
    assert.equal(await codeOf('POST', change, { items: items(5000), when: 'now' }), refused);
    const fee = { one_off_items: [{ name: 'Fee', unit_amount_cents: 501 }] };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, fee), refused);
    const lower = await account(2000);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { payment_instrument_id: lower }), refused);
    assert.deepEqual(await subscriber.get(id), before);
  });

  it('is not refused for what a discount without an end takes off, nor if another method is sent with it', async () => {
    const id = await debited();
    const half = { discounts: [{ name: 'Half', percent_off: 50 }] };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, half), 200);
    assert.equal(await codeOf('POST', `/subscriptions/${id}/change`, { items: items(6000) }), 200);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { discounts: [] }), 'mandate_limit_exceeded');
    const higher = await account(9000);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { discounts: [], payment_instrument_id: higher }), 200);
  });

  it('is refused by an update of a plan, which judges amount and method together', async () => {
    const { body: plan } = await stage.request('POST', '/payment_plans', {
      customer_id: here.customer,
      name: 'Fees',
      frequency_type: 'monthly',
      recurring_amount_cents: 3000,
      until_further_notice: true,
      currency: 'AUD',
      start_date: '2027-03-10',
      payment_instrument_id: await account(),
    });
    const path = `/payment_plans/${plan.id}`;
    await stage.request('POST', `${path}/activate`);
    assert.equal(await codeOf('PUT', path, { recurring_amount_cents: 4000 }), 'mandate_limit_exceeded');
    assert.equal(await codeOf('PUT', path, { payment_instrument_id: await account(2000) }), 'mandate_limit_exceeded');
    const both = { recurring_amount_cents: 4000, payment_instrument_id: await account(4500) };
    assert.equal(await codeOf('PUT', path, both), 200);
  });

  it('is refused if the bank reports it after the period that it is for, and the quote says so', async () => {
    const id = await subscribed({ frequency_type: 'weekly', payment_instrument_id: await account(null) });
    // The period ends on Sunday, 24 January; it is Saturday.
    await here.advance('2027-01-22T23:00:00Z');
    const change = { items: items(8000), when: 'now', collect: 'now' };
    const path = `/subscriptions/${id}/change`;
    assert.equal(await codeOf('POST', path, { ...change, dry_run: true }), 'result_after_period');
    assert.equal(await codeOf('POST', path, change), 'result_after_period');
    assert.equal(await codeOf('POST', path, { ...change, collect: 'next_period' }), 200);
  });

  it('is refused as a fee of a subscription that ends with its period', async () => {
    const id = await subscriber.started();
    await subscriber.ask(id, 'cancel');
    const fee = { one_off_items: [{ name: 'Fee', unit_amount_cents: 500 }] };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, fee), 'no_period_left');
    await subscriber.ask(id, 'uncancel');
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, fee), 200);
  });

  it('is refused by the start and the resume of a subscription, also if its first days cost less', async () => {
    const terms = { items: items(4000), payment_instrument_id: await account() };
    for (const more of [{}, { anchor_day: 20 }, { trial_days: 7 }]) {
      const { id } = await subscriber.create({ ...terms, ...more });
      assert.equal(await codeOf('POST', `/subscriptions/${id}/start`, {}), 'mandate_limit_exceeded');
    }
    const id = await subscribed({ items: items(4000) });
    await subscriber.ask(id, 'pause');
    await here.advance('2027-02-11T00:00:00Z');
    await stage.db.sql`update subscriptions set payment_instrument_id = ${await account()} where id = ${id}`;
    assert.equal(await codeOf('POST', `/subscriptions/${id}/resume`, {}), 'mandate_limit_exceeded');
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: here.card });
    assert.equal(await codeOf('POST', `/subscriptions/${id}/resume`, {}), 200);
  });

  it('is refused by an update before the start or the activation, which counts the first amount of a plan', async () => {
    const { id } = await subscriber.create({ items: items(4000), payment_instrument_id: here.card });
    const least = { payment_instrument_id: await account() };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, least), 'mandate_limit_exceeded');
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { ...least, items: items(3500) }), 200);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { items: items(3501) }), 'mandate_limit_exceeded');
    const plan = await here.plan({ recurring_amount_cents: 3500, ...least });
    const path = `/payment_plans/${plan.id}`;
    assert.equal(await codeOf('PUT', path, { first_amount_cents: 3501 }), 'mandate_limit_exceeded');
    assert.equal(await codeOf('PUT', path, { first_amount_cents: 3500, name: 'Fees' }), 200);
    // No payment takes more than the total.
    const total = { until_further_notice: false, total_amount_cents: 3500, recurring_amount_cents: 9000 };
    assert.equal(await codeOf('PUT', path, total), 200);
    assert.equal(await codeOf('PUT', path, { total_amount_cents: 9000 }), 'mandate_limit_exceeded');
  });

  it('is refused for the unpaid payment that a new method would pay at once, although the next costs less', async () => {
    const id = await subscribed({ items: items(4000) });
    await stage.request('POST', `/subscriptions/${id}/change`, { items: items(3000) });
    await stage.request('POST', `/subscriptions/${id}/change`, { items: items(4000) });
    const metadata = { _sandbox_outcome: 'decline' };
    await stage.request('PUT', `/subscriptions/${id}`, { metadata });
    await here.advance('2027-02-10T01:00:00Z');
    assert.equal((await subscriber.get(id)).state, 'past_due');
    const half = { discounts: [{ name: 'Half', percent_off: 50 }] };
    const update = { ...half, payment_instrument_id: await account() };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, update), 'mandate_limit_exceeded');
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, half), 200);
  });

  it('is not asked where no period is to come, and a fee can be withdrawn at any time', async () => {
    const id = await subscribed({ items: items(4000) });
    await subscriber.ask(id, 'cancel');
    const least = { payment_instrument_id: await account() };
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, least), 200);
    await subscriber.ask(id, 'uncancel');
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { one_off_items: [] }), 200);
    assert.equal(await codeOf('PUT', `/subscriptions/${id}`, { name: 'Gym' }), 200);
  });

  it('is refused by a quote of a change if it is what the change takes now', async () => {
    const id = await subscribed({ frequency_type: 'yearly', items: items(3000), payment_instrument_id: here.card });
    await stage.request('POST', `/subscriptions/${id}/change`, { items: items(3500), when: 'now' });
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: await account(4500) });
    const waiting = { items: items(4400), when: 'now', collect: 'next_period', dry_run: true };
    assert.equal(await codeOf('POST', `/subscriptions/${id}/change`, waiting), 'mandate_limit_exceeded');
    assert.equal(await codeOf('POST', `/subscriptions/${id}/change`, { ...waiting, collect: 'now' }), 200);
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: here.card });
    await stage.request('POST', `/subscriptions/${id}/change`, { items: items(9000), when: 'now', collect: 'now' });
    await stage.db.sql`update subscriptions set payment_instrument_id = ${await account(400)} where id = ${id}`;
    await subscriber.ask(id, 'cancel');
    const last = { items: items(9500), when: 'now', collect: 'now', dry_run: true };
    assert.equal(await codeOf('POST', `/subscriptions/${id}/change`, last), 'mandate_limit_exceeded');
    assert.equal(await codeOf('POST', `/subscriptions/${id}/change`, { ...last, items: items(9400) }), 200);
  });

  it('is refused by a link and by a session in which a payer names the account, and nothing is paid or saved', async () => {
    const subscription = await subscribed({ items: items(4000) });
    const plan = await here.active({ recurring_amount_cents: 4000, payment_instrument_id: here.card });
    const least = await account();
    const most = await account(4000);
    for (const apply_to of [{ subscription_id: subscription }, { payment_plan_id: plan }]) {
      for (const mode of ['setup', 'payment'] as const) {
        const types = ['card' as const, 'au_becs_debit' as const];
        const terms = { mode, customer_id: here.customer, apply_to, payment_method_types: types };
        const session = await links.open(await links.link(terms));
        const send = mode === 'setup' ? links.save : links.pay;
        const requests = stage.ledger.requests.length;
        const refused = await send(session, { method: { id: least } });
        assert.equal(refused.kind, 'invalid');
        const faults = refused.kind === 'invalid' ? refused.errors.map(({ path, code }) => [path, code]) : [];
        assert.deepEqual(faults, [['/method', 'mandate_limit_exceeded']]);
        assert.equal(stage.ledger.requests.length, requests);
        assert.equal((await send(session, { method: { id: most } })).kind, 'done');
      }
    }
  });
});

describe('a charge that no mandate of the scheme allows, in live mode', () => {
  const stage = useStage();
  const { ledger } = stage;
  const pages = usePages(stage, { processors: { sandbox: ledger, live: ledger } });
  const live = (method: string, path: string, body: object = {}) =>
    stage.api.send(method, `/api/v1${path}`, { key: stage.keys.liveSecret, body });

  async function subscription(cents: number) {
    const { body: customer } = await live('POST', '/customers', { name: 'Jo Nguyen' });
    const terms = { name: 'Membership', currency: 'AUD', frequency_type: 'monthly', items: items(cents) };
    const { body } = await live('POST', '/subscriptions', { customer_id: customer.id, ...terms });
    const offer = {
      mode: 'setup',
      name: 'Pay by bank',
      customer_id: customer.id,
      apply_to: { subscription_id: body.id },
    };
    return { id: body.id as string, offer: { ...offer, payment_method_types: ['card', 'au_becs_debit'] } };
  }
  const items = (cents: number) => [{ name: 'Membership', unit_amount_cents: cents }];

  it('is refused by links and sessions that offer a bank account', async () => {
    for (const path of ['/payment_links', '/checkout_sessions']) {
      const { id, offer } = await subscription(1_000_001);
      assert.deepEqual(refusal(await live('POST', path, offer), 422), ['/payment_method_types mandate_limit_exceeded']);
      assert.deepEqual(faultPaths(await live('POST', path, offer), 422), ['/payment_method_types']);
      assert.equal((await live('POST', path, { ...offer, payment_method_types: ['card'] })).status, 201);
      assert.equal((await live('PUT', `/subscriptions/${id}`, { items: items(1_000_000) })).status, 200);
      assert.equal((await live('POST', path, offer)).status, 201);
    }
  });

  it('is refused by the page on which a payer enters the account, in words for the payer', async () => {
    const { id, offer } = await subscription(1_000_000);
    const { body: session } = await live('POST', '/checkout_sessions', offer);
    assert.equal((await live('PUT', `/subscriptions/${id}`, { items: items(1_000_001) })).status, 200);
    const path = `/checkout/${String(session.url).split('/').at(-1)}`;
    const { hidden } = await pages.open(path);
    const account = { method: 'au_becs_debit', account_name: 'Jo Nguyen', bsb: '062-000', account_number: '12345678' };
    const refused = await pages.post(path, { ...hidden, ...account, agreed: 'yes' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /What you have allowed for this account is less than one of the payments\./);
    assert.equal((await stage.db.sql`select from mandates where biller_id = ${stage.keys.biller.id}`).length, 0);
  });
});
