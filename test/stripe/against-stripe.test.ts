import { after } from 'mocha';
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
});
