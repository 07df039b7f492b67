import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
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
    assert.deepEqual(new Set(Object.values(rest)), new Set([null]));
  });

  it('has each field that an operator sets, and loses it again, with an audit entry for each change', async () => {
    const { biller } = stage.keys;
    await changeBillerProfile(stage.db.sql, biller.id, profile, by());
    const { id: _id, name: _name, ...shown } = await get();
    assert.deepEqual(shown, { ...profile, brand_color: '#0b7285' });
    await changeBillerProfile(stage.db.sql, biller.id, { tax_id: null }, by());
    assert.deepEqual([(await get()).tax_id, (await get()).address], [null, profile.address]);
    const [last, first] = await listAudit(stage.db.sql, { limit: 2, billerId: biller.id });
    assert.deepEqual([first?.action, last?.action], ['biller.updated', 'biller.updated']);
    assert.deepEqual(last?.changes, { tax_id: { from: profile.tax_id, to: null } });
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
