import assert from 'node:assert/strict';
import { type Sandbox, startSandbox } from '@payments-service/sandbox';
import { after, before, describe, it } from 'mocha';
import { startShop } from '../renewal.ts';

describe('a membership', function () {
  this.timeout(120_000); // the service may have to start
  let sandbox: Sandbox;
  let shop: Awaited<ReturnType<typeof startShop>>;
  before(async () => {
    sandbox = await startSandbox();
    shop = await startShop(sandbox);
  });
  after(async () => {
    shop.close();
    await sandbox.stop();
  });

  it('is paid every week', async () => {
    const clock = await sandbox.clock({ at: '2028-01-03T09:00:00Z' });
    const member = await shop.signUp(clock.id, '2028-01-04');
    await clock.advance('2028-01-26T00:00:00Z'); // your receiver has received everything when this returns
    assert.equal(shop.paid.get(member), 4 * 2500);
  });
});
