import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { sweepUnusedMethods } from '../../src/db/payment-methods.ts';
import { databaseNow } from '../../src/platform/postgres/database-clock.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { saveEnteredMethod } from '../../src/services/customers/payment-methods.ts';
import { useCheckout } from '../security/checkout.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const account = { method: 'au_becs_debit', account_name: 'Jo Nguyen', bsb: '000-000', account_number: '98765432' };
const cardForm = { method: 'tok_sandbox_visa_succeed' };

describe('a form of the pages that is refused', () => {
  const stage = useStage({ isAlone: true });
  const links = useLinks(stage);
  const pages = usePages(stage, { trustedProxies: ['127.0.0.1'] });
  let visitors = 0;

  /** A payer, from an address of its own, with the form of a session of this link. */
  async function sit(link: Parameters<typeof links.tokenOf>[0]) {
    visitors += 1;
    const from = { 'X-Forwarded-For': `198.51.100.${visitors}` };
    const path = `/pay/${links.tokenOf(link)}`;
    const begun = await pages.post(path, (await pages.open(path, from)).hidden, from);
    const session = String(begun.headers.get('location'));
    const { hidden } = await pages.open(session, from);
    return { session, send: (fields: Record<string, string>) => pages.post(session, { ...hidden, ...fields }, from) };
  }
  const methods = async () => {
    const [row] = await stage.db.sql<{ count: number }[]>`
      select count(*)::integer as count from payment_methods where biller_id = ${stage.keys.biller.id}`;
    return row?.count ?? 0;
  };
  const both = ['card', 'au_becs_debit'] as const;

  it('leaves no method behind when the customer can have no more, in both modes and for each way to pay', async () => {
    const { id } = await stage.merchant.customer();
    for (let n = 0; n < 50; n += 1) await stage.merchant.card(id);
    const paying = await links.link({ customer_id: id, payment_method_types: [...both], max_payments: null });
    const saving = await links.link({ mode: 'setup', customer_id: id, payment_method_types: [...both] });
    for (const link of [paying, saving]) {
      for (const fields of [cardForm, { ...account, agreed: 'yes' }]) {
        const { send } = await sit(link);
        assert.equal((await send(fields)).status, 400);
        assert.equal(await methods(), 50, JSON.stringify([link.mode, fields.method]));
      }
    }
  });

  it('leaves no method behind when the way to pay does not fit what it is for', async () => {
    const { id } = await stage.merchant.customer();
    const card = await stage.merchant.card(id);
    const inDollars = { currency: 'USD', start_date: '2099-01-01' } as const;
    const plan = await stage.merchant.activePlan({ customer_id: id, payment_instrument_id: card, ...inDollars });
    const link = await links.link({ mode: 'setup', customer_id: id, apply_to: { payment_plan_id: plan.id } });
    await stage.db.sql`update payment_links set payment_method_types = ${[...both]} where id = ${link.id}`;
    const before = await methods();
    const { send } = await sit(link);
    assert.equal((await send({ ...account, agreed: 'yes' })).status, 400);
    assert.equal(await methods(), before);
  });

  it('leaves one method behind, and one mandate, when it is sent many times at once', async () => {
    const { id } = await stage.merchant.customer();
    const { send } = await sit(await links.link({ customer_id: id, payment_method_types: [...both] }));
    await Promise.all(Array.from({ length: 10 }, () => send({ ...account, agreed: 'yes' })));
    const { data } = await stage.merchant.client.mandates.list({ customer_id: id });
    assert.deepEqual([await methods(), data.length], [1, 1]);
  });

  it('leaves none behind when the last payment of the link is being made elsewhere', async () => {
    const link = await links.link({ max_payments: 2 });
    const sittings = [await sit(link), await sit(link), await sit(link)];
    const details = { name: 'Jo Nguyen', email: 'jo@example.com' };
    const asksTheBank = { ...details, method: 'tok_sandbox_visa_3ds_required' };
    for (const { send } of sittings.slice(0, 2)) assert.equal((await send(asksTheBank)).status, 303);
    const before = await methods();
    const late = await sittings[2]?.send({ ...details, ...cardForm });
    assert.deepEqual([late?.status, await methods()], [409, before]);
  });

  it('counts towards the thirty a minute from one address when the last payment is being made elsewhere', async () => {
    const link = await links.link({ max_payments: 2 });
    const [first, second, late] = [await sit(link), await sit(link), await sit(link)];
    const details = { name: 'Jo Nguyen', email: 'jo@example.com' };
    for (const { send } of [first, second])
      assert.equal((await send({ ...details, method: 'tok_sandbox_visa_3ds_required' })).status, 303);
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 20_000) await new Promise((resume) => setTimeout(resume, left));
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) statuses.push((await late.send({ ...details, ...cardForm })).status);
    assert.deepEqual(statuses, [...Array(30).fill(409), 429]);
  }).timeout(60_000);
});

describe('a form of the widget that is refused for its fields', () => {
  const stage = useStage({ isAlone: true });
  const pages = usePages(stage);

  it('counts: thirty a minute from one address, on all pages together', async () => {
    const origin = 'https://shop.example';
    await stage.db.sql`
      insert into biller_profiles (biller_id, checkout_origins, updated_at)
      values (${stage.keys.biller.id}, ${[origin]}, now())`;
    const path = `/widget/frame?${new URLSearchParams({ key: stage.keys.sandboxPublishable, origin })}`;
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 10_000) await new Promise((resume) => setTimeout(resume, left));
    const { hidden, status } = await pages.open(path);
    assert.equal(status, 200);
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) statuses.push((await pages.post(path, { ...hidden, method: 'none' })).status);
    assert.deepEqual(statuses, [...Array(30).fill(400), 429]);
  }).timeout(30_000);
});

describe('a method that a payer has entered in a form', () => {
  const stage = useStage({ isAlone: true });
  const page = useCheckout(stage);
  const links = useLinks(stage);

  const bankAccount = {
    type: 'au_becs_debit' as const,
    payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' },
  };
  /** What a refusal after the form was taken leaves behind. */
  async function entered(): Promise<string> {
    const context = { ...(await links.call()), keyKind: 'publishable' as const };
    return (await atomically(stage.db.sql, (tx) => saveEnteredMethod(tx, stage.vault, context, bankAccount))).id;
  }
  const age = (hours: number) =>
    stage.db.sql`update payment_methods set created_at = now() - make_interval(hours => ${hours})`;
  const sweep = async () => sweepUnusedMethods(stage.db.sql, await databaseNow(stage.db.sql));
  const kept = async (id: string): Promise<string> => {
    const [row] = await stage.db.sql<{ detached: boolean; sealed: boolean }[]>`
      select detached_at is not null as detached, sealed_account_number is not null as sealed
      from payment_methods where id = ${id}`;
    return `${row?.detached ? 'detached' : 'usable'}, ${row?.sealed ? 'with its number' : 'without a number'}`;
  };

  it('is detached after a day in which nothing has used it, and its account number is deleted', async () => {
    const id = await entered();
    await age(23);
    assert.equal(await sweep(), 0);
    assert.equal(await kept(id), 'usable, with its number');
    await age(25);
    assert.equal(await sweep(), 1);
    assert.equal(await kept(id), 'detached, without a number');
    assert.equal(await sweep(), 0);
    assert.equal((await stage.request('GET', `/payment_methods/${id}`)).status, 200);
    const { id: intent } = await stage.merchant.intent();
    const refused = await stage.request('POST', `/payment_intents/${intent}/confirm`, { payment_method: id });
    assert.equal(refused.status, 400);
  });

  it('stays as it is once a customer has it, or a payment has used or carries it', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const attached = await entered();
    assert.equal((await stage.request('POST', `/payment_methods/${attached}/attach`, { customer_id })).status, 200);
    const bound = await entered();
    await page.confirm(await page.intent(), bound);
    const carried = await entered();
    await stage.merchant.intent({ payment_method: carried });
    await age(100);
    assert.equal(await sweep(), 0);
    for (const id of [attached, bound, carried]) assert.equal(await kept(id), 'usable, with its number');
  });

  it('is another one than what an API key or the widget has saved: that stays, used or not', async () => {
    const { body } = await page.send('POST', '/payment_methods', bankAccount);
    const { body: ours } = await stage.request('POST', '/payment_methods', bankAccount);
    await age(1_000);
    assert.equal(await sweep(), 0);
    for (const { payment_method: method } of [body, ours]) {
      assert.equal(await kept(method.id), 'usable, with its number');
    }
  });
});
