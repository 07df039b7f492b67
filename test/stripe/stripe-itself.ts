// `STRIPE_TEST_KEY=sk_test_… npm run test:stripe`: asks Stripe itself. In no suite: it needs a network, and a key of
// Stripe's test mode.
import { checkMode } from '../../processors/stripe/accounts.ts';
import { againstStripe } from './against-stripe.ts';

againstStripe('Stripe itself, in its test mode,', async () => {
  const key = process.env.STRIPE_TEST_KEY?.trim() ?? '';
  if (key === '')
    throw new Error('STRIPE_TEST_KEY is not set. Give a key of Stripe’s test mode (sk_test_ or rk_test_).');
  checkMode(key, false);
  return { key };
});
