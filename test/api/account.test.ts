import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { changeBillerProfile, changeCheckoutOrigins } from '../../src/services/accounts/biller-profile.ts';
import { ValidationFailed } from '../../src/services/errors.ts';
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
    const { checkout_origins: origins, ...texts } = rest;
    assert.deepEqual([new Set(Object.values(texts)), origins], [new Set([null]), []]);
  });

  it('has each field that an operator sets, and loses it again, with an audit entry for each change', async () => {
    const { biller } = stage.keys;
    await changeBillerProfile(stage.db.sql, biller.id, profile, by());
    const { id: _id, name: _name, ...shown } = await get();
    assert.deepEqual(shown, { ...profile, brand_color: '#0b7285', checkout_origins: [] });
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
