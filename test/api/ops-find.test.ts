import assert from 'node:assert/strict';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { serve } from '../../src/api/http/server.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { send, testDeps, useApi } from '../support/api.ts';
import { useDebits } from '../support/debits.ts';
import { makeKeys } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import { useStage } from '../support/stage.ts';

const operatorKey = 'a-key-of-operators-that-is-long';
const inDays = (days: number) =>
  addMs(realNow(), days * 86_400_000)
    .toISOString()
    .slice(0, 10);
const today = () => inDays(0);

describe('/ops/find', () => {
  const stage = useStage({ isAlone: true });
  const debits = useDebits(stage);
  const operations = {
    key: null,
    webUis: { live: null, sandbox: null },
    findLatestRun: async () => null,
    findStuckWorkflows: async () => [],
  };
  const api = useApi(stage.db, undefined, () => ({ operations, forThisMachine: true }));
  const locked = useApi(stage.db, undefined, () => ({ operations: { ...operations, key: operatorKey } }));
  const find = (text: string, more = '') => send(`${api.url}/ops/find?q=${encodeURIComponent(text)}${more}`, 'GET', {});

  it('answers in one page why nothing was charged today, by the customer’s e-mail address, reference or id, or the plan’s', async () => {
    const { merchant } = stage;
    const reference = `member ${realNow().getTime()}`;
    const email = `${realNow().getTime()}@example.com`;
    const payer = await merchant.payer({ reference, email: email.toUpperCase() });
    const metadata = { _sandbox_outcome: 'decline' };
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: today(), metadata });
    await stage.collect(id, realNow());
    for (const text of [email, reference, payer.id, id, ` ${id} `]) {
      const { status, text: page } = await find(text);
      assert.equal(status, 200);
      assert.match(page, new RegExp(`<h2>${id}</h2>`), text);
      assert.match(page, /<dt>It is<\/dt><dd>active<\/dd>/);
      assert.match(page, /<dt>What is due<\/dt><dd>payment 1 \(slot 0\), due [\d-]+, attempt 2, at <time /);
      assert.match(
        page,
        /<dt>What happened<\/dt><dd><ul><li>.*attempt 1 of pi_sandbox_\w+: failed \(\w+\)<\/li><\/ul>/s,
      );
      assert.match(page, /<dt>What it waits for<\/dt><dd>\w/);
    }
    const { text: ofPayment } = await find((await merchant.payments(id))[0]?.payment_intent_id ?? '');
    assert.match(ofPayment, new RegExp(`<h2>${id}</h2>`), 'the payment leads to its plan');
  });

  it('shows what is stuck with it, and the command', async () => {
    const { merchant } = stage;
    const payer = await merchant.payer();
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: '2090-01-01' });
    const anHourAgo = new Date(realNow().getTime() - 3_600_000);
    await stage.db
      .sql`update payment_plans set activated_at = now() - interval '1 day', ${fallsDueAt(stage.db.sql, anHourAgo)} where id = ${id}`;
    // What is stuck is kept for ten seconds: another server has not looked yet.
    const app = await serve(createWebApp(testDeps(stage.db, { operations, forThisMachine: true }).deps), { port: 0 });
    const { text: page } = await send(`http://127.0.0.1:${app.port}/ops/find?q=${id}`, 'GET', {});
    await app.close();
    assert.match(page, new RegExp(`<dt>Stuck: plan_overdue</dt>.*ops -- recheck ${id}`, 's'));
    assert.match(page, /<dt>What happened<\/dt><dd>It was never attempted\.<\/dd>/);
  });

  it('shows a payment of its own, and that a customer has nothing to be charged', async () => {
    const { merchant } = stage;
    const payer = await merchant.payer();
    assert.match((await find(payer.id)).text, /Nothing was charged, and nothing is to be charged/);
    const intent = await merchant.client.paymentIntents.create({
      ...{
        amount: 1000,
        currency: 'AUD',
        customer_id: payer.id,
        payment_method: await merchant.card(payer.id),
        confirm: true,
      },
    });
    const { text: page } = await find(intent.id);
    assert.match(page, /10\.00 AUD, attempt 1 of pi_sandbox_\w+: succeeded/);
    assert.doesNotMatch(page, /What it waits for/, 'that is not known');
    assert.match((await find('cus_unknown')).text, /Nothing has this id/);
  });

  it('shows each payment of a customer, also two in one minute, a scheduled one and what a page has taken', async () => {
    const { merchant } = stage;
    const payer = await merchant.payer();
    const order = { amount: 4900, currency: 'AUD' as const, customer_id: payer.id };
    const paid = { ...order, payment_method: await merchant.card(payer.id) };
    const { paymentIntents, checkoutSessions } = merchant.client;
    const twice = [
      await paymentIntents.create({ ...paid, confirm: true }),
      await paymentIntents.create({ ...paid, confirm: true }),
    ];
    const waiting = await paymentIntents.create({ ...paid, scheduled_payment_date: inDays(3) });
    const open = await paymentIntents.create(order);
    await checkoutSessions.create({ payment_intent_id: open.id });
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: today() });
    await stage.collect(plan.id, realNow());
    const { text: page } = await find(payer.id);
    const shown = [...page.matchAll(/<h2>(?:<a[^>]*>)?(\w+)/g)].map(([, id]) => id);
    assert.deepEqual(shown.toSorted(), [...twice, waiting, open, plan].map(({ id }) => id).toSorted());
    assert.equal(page.match(/49\.00 AUD, attempt 1 of pi_sandbox_\w+: succeeded/g)?.length, 2);
  });

  it('says what the bank has, of a single payment and of a plan, and when the result is expected', async () => {
    const payer = await debits.payer();
    const single = await debits.debit(payer, 'settled', { amount: 12_000 });
    const plan = await debits.plan(payer, 'settled', { start_date: '2027-03-01' });
    await stage.advance(payer.clock, '2027-03-02T00:00:00Z');
    const { text: page } = await find(payer.customer);
    const cardOf = (id: string) => page.split('<section').find((part) => part.includes(`<h2>${id}`)) ?? '';
    assert.match(cardOf(single.id), /<dt>What the bank has<\/dt><dd>120\.00 AUD\. Its result is expected at <time /);
    assert.match(cardOf(single.id), /<dt>What it waits for<\/dt><dd>the result from the bank/);
    assert.match(cardOf(plan.id), /<dt>What the bank has<\/dt><dd>\d+\.00 AUD\./);
    await stage.advance(payer.clock, '2027-03-12T00:00:00Z');
    assert.doesNotMatch((await find(payer.customer)).text, /What the bank has/);
  });

  it('shows no other mode, no personal data, and nothing hostile as anything but text', async () => {
    const { merchant } = stage;
    const reference = `"><script>alert(1)</script>' or 1=1 -- ${realNow().getTime()}`;
    const payer = await merchant.payer({ reference, name: 'Grace <b>Hopper</b>', email: 'grace@example.com' });
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: '2090-01-01' });
    const { status, text: page, headers } = await find(reference);
    assert.equal(status, 200);
    assert.ok(page.includes(id));
    assert.doesNotMatch(page, /<script|Hopper|grace@/);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/);
    assert.deepEqual([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer']);
    for (const text of [reference, payer.id, id]) {
      const { text: live } = await find(text, '&mode=live');
      assert.doesNotMatch(live, new RegExp(`<h2>|Customers: <code>${payer.id}`), text);
    }
    assert.ok((await find(reference, '&mode=sandbox')).text.includes(id));
    for (const wildcard of ['%', '_', '*', 'cus_%']) assert.doesNotMatch((await find(wildcard)).text, new RegExp(id));
    for (const wrong of ['', ' ', 'a\u0000b', 'x'.repeat(201), 'a\nb'])
      assert.equal((await find(wrong)).status, 400, wrong);
    assert.equal((await send(`${api.url}/ops/find`, 'GET', {})).status, 400);
    assert.equal((await send(`${api.url}/ops/find?q=a&q=b`, 'GET', {})).status, 400);
  });

  it('shows what two billers have under one e-mail address, each under its own biller', async () => {
    const email = `both-${realNow().getTime()}@example.com`;
    const { sql } = stage.db;
    const payer = await stage.merchant.payer({ email });
    const { id: mine } = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2090-01-01' });
    const stranger = await makeKeys(sql);
    const other = createMerchant(api.url, stranger.sandboxSecret);
    const theirs = await other.activePlan({
      customer_id: (await other.payer({ email })).id,
      start_date: '2090-01-01',
    });
    const { text: page } = await find(email);
    const owners = await sql<{ id: string; biller_id: string }[]>`
      select id, biller_id from payment_plans where id in ${sql([mine, theirs.id])}`;
    assert.equal(new Set(owners.map(({ biller_id }) => biller_id)).size, 2);
    for (const { id, biller_id } of owners)
      assert.match(page, new RegExp(`<h2>${id}</h2>\\s*<p class="faint">sandbox, ${biller_id},`));
    assert.ok(!(await find(mine)).text.includes(theirs.id), 'an id finds no more than what it names');
  });

  it('says within seconds who holds the tables when nothing can be read', async () => {
    const { sql } = stage.db;
    const app = await serve(createWebApp(testDeps(stage.db, { operations, forThisMachine: true }).deps), { port: 0 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = sql.begin(async (tx) => {
      await tx`lock table customers in access exclusive mode`;
      await tx`select pg_sleep(5.5)`; // a lock is named after five seconds
      await released;
    });
    await new Promise((resolve) => setTimeout(resolve, 5_200));
    const begun = performance.now();
    const { status, text: page } = await send(`http://127.0.0.1:${app.port}/ops/find?q=cus_1`, 'GET', {});
    assert.ok(performance.now() - begun < 15_000);
    release();
    await held;
    await app.close();
    assert.equal(status, 200);
    assert.match(page, /It could not be read just now/);
    assert.match(page, /<dt>Stuck: database_locked<\/dt><dd>session \d+ .* holds a lock on customers/);
  }).timeout(60_000);

  it('takes the longest text, and changes nothing', async () => {
    const { sql } = stage.db;
    const counted = () =>
      sql`select (select count(*) from audit_log) as audit, (select count(*) from events) as events,
        (select count(*) from workflow_intents) as entries, (select count(*) from payment_attempts) as attempts`;
    const before = await counted();
    for (const text of ['💳'.repeat(200), '‮evil', `${'a'.repeat(190)}@x.test`, "'; drop table customers; --"]) {
      const { status, text: page } = await find(text);
      assert.equal(status, 200, text);
      assert.match(page, /Nothing has this id/);
    }
    assert.equal((await find('💳'.repeat(201))).status, 400);
    assert.deepEqual(await counted(), before);
  });

  it('asks for the operators’ key where there is one: no key of a biller opens it', async () => {
    const url = `${locked.url}/ops/find?q=cus_1`;
    const statusOf = async (headers: Record<string, string>) => (await send(url, 'GET', { headers })).status;
    assert.equal(await statusOf({}), 401);
    const { sandboxSecret, sandboxPublishable, liveSecret, livePublishable } = stage.keys;
    for (const key of [sandboxSecret, sandboxPublishable, liveSecret, livePublishable, `${operatorKey}x`, ''])
      assert.equal(await statusOf({ Authorization: `Bearer ${key}` }), 401, key);
    assert.equal(await statusOf({ Authorization: `Bearer ${operatorKey}` }), 200);
    assert.equal((await send(`${api.url}/ops/find?q=a`, 'POST', {})).status, 404);
    assert.equal(
      (await send(`${api.url}/ops/find?q=a`, 'GET', { headers: { 'X-Forwarded-For': '1.2.3.4' } })).status,
      404,
    );
  });
});
