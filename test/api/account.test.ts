import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { changeBillerProfile, changeCheckoutOrigins } from '../../src/services/accounts/biller-profile.ts';
import { InvalidState, ValidationFailed } from '../../src/services/errors.ts';
import { tester } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';

const profile = {
  display_name: 'Harbour Gym',
  support_email: 'help@gym.example',
  support_phone: '+61 2 5550 1234',
  address: '1 Harbour Street, Sydney',
  tax_id: 'ABN 51 824 753 556',
  brand_color: '#0B7285',
};

describe('the account as payers see it', () => {
  const stage = useStage();
  const by = () => ({ by: tester, now: realNow() });
  const get = async () => (await stage.request('GET', '/account')).body;

  it('has its name alone until an operator says more', async () => {
    const { biller } = stage.keys;
    const { id, name, ...rest } = await get();
    assert.deepEqual([id, name], [biller.id, biller.name]);
    const { checkout_origins: origins, time_zone, ...texts } = rest;
    assert.equal(time_zone, 'UTC');
    assert.deepEqual([new Set(Object.values(texts)), origins], [new Set([null]), []]);
  });

  it('has each field that an operator sets, and loses it again, with an audit entry for each change', async () => {
    const { biller } = stage.keys;
    await changeBillerProfile(stage.db.sql, biller.id, profile, by());
    const { id: _id, name: _name, ...shown } = await get();
    assert.deepEqual(shown, {
      ...{ ...profile, brand_color: '#0b7285', checkout_origins: [] },
      ...{ time_zone: 'UTC', country: null, tax: null },
    });
    await changeBillerProfile(stage.db.sql, biller.id, { tax_id: null }, by());
    assert.deepEqual([(await get()).tax_id, (await get()).address], [null, profile.address]);
    const [last, first] = await listAudit(stage.db.sql, { limit: 2, billerId: biller.id });
    assert.deepEqual([first?.action, last?.action], ['biller.updated', 'biller.updated']);
    assert.deepEqual(last?.changes, { tax_id: { from: profile.tax_id, to: null } });
  });

  it('has the origins that an operator registers, sorted, and loses those that are removed', async () => {
    const { id } = stage.keys.biller;
    const shop = 'https://shop.example.com';
    const local = 'http://localhost:3000';
    await changeCheckoutOrigins(stage.db.sql, id, { add: [shop, local, shop] }, by());
    assert.deepEqual((await get()).checkout_origins, [local, shop]);
    await changeCheckoutOrigins(stage.db.sql, id, { remove: [local] }, by());
    assert.deepEqual((await get()).checkout_origins, [shop]);
    const [last] = await listAudit(stage.db.sql, { limit: 1, billerId: id });
    assert.deepEqual(last?.changes, { checkout_origins: { from: [local, shop], to: [shop] } });
  });

  it('refuses an origin with a path, a wildcard, a mark of a policy or another scheme, and the 21st', async () => {
    const { id } = (await stage.stranger()).keys.biller;
    const change = (add: string[], remove: string[] = []) =>
      changeCheckoutOrigins(stage.db.sql, id, { add, remove }, by());
    for (const text of [
      'https://shop.example.com/',
      'https://shop.example.com/pay',
      'https://*.example.com',
      'https://shop.example.com;',
      "https://shop.example.com,'self'",
      'https://shop.example.com:443',
      'https://SHOP.example.com',
      'https://user@shop.example.com',
      'ftp://shop.example.com',
      'shop.example.com',
      '*',
      'null',
      '',
    ]) {
      await assert.rejects(change([text]), ValidationFailed, text);
    }
    await assert.rejects(change([], ['https://unknown.example.com']), ValidationFailed);
    await change(Array.from({ length: 20 }, (_, n) => `https://shop${n}.example.com`));
    await assert.rejects(change(['https://one-more.example.com']), ValidationFailed);
    await change(['https://one-more.example.com'], ['https://shop0.example.com']);
  });

  it('is that of the key’s own biller', async () => {
    const other = await stage.stranger();
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, profile, by());
    const read = (key: string) => stage.api.send('GET', '/api/v1/account', { key });
    assert.equal((await read(stage.keys.liveSecret)).body.display_name, 'Harbour Gym');
    assert.equal((await read(other.keys.sandboxSecret)).body.display_name, null);
  });

  it('tells its time zone and country, which an operator changes while nothing is scheduled, with an audit entry', async () => {
    const { id } = stage.keys.biller;
    const { clock, payer } = await stage.merchant.payerOnClock('2028-01-31T20:00:00Z');
    const done = await stage.merchant.plan({ customer_id: payer.id, start_date: '2028-02-01' });
    await stage.merchant.move(done.id, 'close');
    await changeBillerProfile(stage.db.sql, id, { timeZone: 'Australia/Sydney', country: 'AU' }, by());
    const { time_zone, country } = await get();
    assert.deepEqual([time_zone, country], ['Australia/Sydney', 'AU']);
    const [last] = await listAudit(stage.db.sql, { limit: 1, billerId: id });
    assert.deepEqual(last?.changes, {
      time_zone: { from: 'UTC', to: 'Australia/Sydney' },
      country: { from: null, to: 'AU' },
    });
    // It is the first of February in Sydney.
    const early = await stage.merchant.plan({ customer_id: payer.id, start_date: '2028-02-01' });
    await stage.merchant.move(early.id, 'activate');
    await stage.collectAll(early.id, clock.frozen_time);
    assert.equal((await stage.merchant.payments(early.id))[0]?.status, 'paid');
    await assert.rejects(
      changeBillerProfile(stage.db.sql, id, { timeZone: 'Sydney' }, by()),
      (error) => error instanceof ValidationFailed && error.fieldErrors[0]?.path === '/time_zone',
    );
  });

  it('keeps its time zone while a plan, a subscription or a payment is scheduled, and the refusal names them', async () => {
    const { id } = stage.keys.biller;
    const change = (timeZone: string) => changeBillerProfile(stage.db.sql, id, { timeZone, country: 'NZ' }, by());
    const assertRefused = (subject: string, state: string) =>
      assert.rejects(
        change('Pacific/Auckland'),
        (error) =>
          error instanceof InvalidState &&
          error.code === 'invalid_state' &&
          error.message.includes(`${subject} (${state})`),
      );
    const { payer } = await stage.merchant.payerOnClock('2028-01-01T00:00:00Z');
    const plan = await stage.merchant.plan({ customer_id: payer.id, start_date: '2028-03-01' });
    await assertRefused(plan.id, 'pending');
    await stage.merchant.move(plan.id, 'activate');
    await assertRefused(plan.id, 'active');
    await stage.merchant.move(plan.id, 'suspend');
    await assertRefused(plan.id, 'suspended');
    await stage.merchant.move(plan.id, 'close');
    const { client } = stage.merchant;
    const terms = { customer_id: payer.id, currency: 'AUD', name: 'Membership', frequency_type: 'monthly' } as const;
    const items = [{ name: 'Membership', unit_amount_cents: 4900 }];
    const subscription = await client.subscriptions.create({ ...terms, items });
    await assertRefused(subscription.id, 'pending');
    await client.subscriptions.cancel(subscription.id);
    const { id: scheduled } = await stage.merchant.intent({
      ...{ customer_id: payer.id, payment_method: await stage.merchant.card(payer.id) },
      scheduled_payment_date: '2028-02-01',
    });
    await assertRefused(scheduled, '2028-02-01');
    assert.deepEqual([(await get()).time_zone, (await get()).country], ['UTC', null]);
    await change('UTC'); // the same
    await client.paymentIntents.cancel(scheduled);
    assert.equal((await change('Pacific/Auckland')).time_zone, 'Pacific/Auckland');
  });

  it('keeps its time zone if something is scheduled while it is changed', async () => {
    const { id } = stage.keys.biller;
    const { sql } = stage.db;
    let refused: Promise<unknown> | undefined;
    const payer = await stage.merchant.payer();
    const card = await stage.merchant.card(payer.id);
    const { id: payment } = await stage.merchant.intent({ customer_id: payer.id, payment_method: card });
    await sql.begin(async (tx) => {
      // As a request that has inserted and not committed: it holds a share of the biller's key.
      await tx`select from billers where id = ${id} for key share`;
      refused = changeBillerProfile(sql, id, { timeZone: 'Pacific/Auckland' }, by()).then(
        () => 'changed',
        (error: unknown) => error,
      );
      await tx`select pg_sleep(0.2)`;
      await tx`
        update payment_intents set scheduled_payment_date = '2030-03-01', scheduled_at = '2030-03-01'
        where id = ${payment}`;
    });
    assert.ok((await refused) instanceof InvalidState, String(await refused));
    assert.equal((await get()).time_zone, 'UTC');
  });

  it('refuses a colour, an address for mail or a logo that is none, and names each', async () => {
    const { id } = stage.keys.biller;
    const fields = (error: unknown) => error instanceof ValidationFailed && error.fieldErrors.map(({ path }) => path);
    const wrong = {
      brand_color: 'red',
      support_email: 'me',
      support_phone: 'call me',
      tax_id: '',
      logo: Buffer.from('<svg/>'),
    };
    await assert.rejects(changeBillerProfile(stage.db.sql, id, wrong, by()), (error) => {
      assert.deepEqual(fields(error), ['/support_email', '/support_phone', '/tax_id', '/brand_color', '/logo']);
      return true;
    });
  });
});
