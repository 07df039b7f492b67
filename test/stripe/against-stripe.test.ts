import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import { type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { againstStripe } from './against-stripe.ts';

describe('npm run test:stripe, with servers in the place of Stripe,', () => {
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  let rig: StripeRig | undefined;
  after('end them', () => rig?.stop());

  againstStripe('is a run that works: the processor service', async () => {
    rig = await startStripeRig(folder.path);
    return { key: rigKey, url: rig.url, challenged: await rig.makeCard('challenge') };
  });

  describe('leaves', () => {
    it('no money at the servers, and no request that Stripe’s own document refuses', async () => {
      assert.ok(rig !== undefined);
      const { successes, refunded, takenForAttempt } = await rig.judge();
      assert.ok(successes.size > 10 && [...successes.values()].every((times) => times === 1));
      const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, each) => total + each, 0);
      assert.equal(sum(refunded.values()), sum(takenForAttempt.values()));
      assert.deepEqual(await rig.shadow.complaints(), []);
    });
  });
});
