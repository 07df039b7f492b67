// A card that is saved in Stripe's own fields: a SetupIntent for later charges, off session.
import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { readAccount } from './accounts.ts';
import { type Answer, type For, noOutcome, type SetupReferenceBody, type TokenBody } from './protocol.ts';
import { isRefusal } from './stripe-errors.ts';

/** Where Stripe's script is: it must come from Stripe itself (docs.stripe.com/js/including). */
const stripeScript = 'https://js.stripe.com/v3/';

/**
 * Begins a setup: one under a key, for as long as Stripe keeps keys. The card that it saves belongs to a customer of
 * its own. Without a publishable key, an account has no fields: 404.
 */
export async function beginSetup(
  db: Db,
  stripe: Stripe,
  key: string,
  place: For,
  stripeApiUrl: string | null,
): Promise<Answer> {
  const { publishable_key } = await readAccount(db, place);
  if (publishable_key === null) return noOutcome(404, 'the account has no publishable key: pages take no card');
  const metadata = { setup: key, biller: place.account };
  const customer = await stripe.customers.create({ metadata }, { idempotencyKey: `customer-setup-${key}` });
  const setup = await stripe.setupIntents.create(
    { customer: customer.id, usage: 'off_session', allowed_payment_method_types: ['card'], metadata },
    { idempotencyKey: `setup-${key}` },
  );
  const { id: reference, client_secret } = setup;
  const script_url = stripeApiUrl === null ? stripeScript : new URL('/js.stripe.com/v3/', stripeApiUrl).href;
  const page = { client_secret, publishable_key, script_url };
  return { status: 200, body: { idempotency_key: key, outcome: 'open', reference, ...page } };
}

/** Tells what Stripe has of a setup. One of another biller is 404, also if both share a Stripe account. */
export async function inquireSetup(stripe: Stripe, { account, reference }: SetupReferenceBody): Promise<Answer> {
  const setup = await unlessRefused(stripe.setupIntents.retrieve(reference));
  if (setup?.object !== 'setup_intent' || setup.metadata?.biller !== account) {
    return noOutcome(404, 'the reference is not known');
  }
  const { status, payment_method: method, last_setup_error: error } = setup;
  if (status === 'succeeded' && method !== null) {
    const token = typeof method === 'string' ? method : method.id;
    return { status: 200, body: { reference, outcome: 'succeeded', token } };
  }
  const hasFailed = status === 'requires_payment_method' && error != null;
  const outcome = status === 'canceled' ? 'canceled' : hasFailed ? 'failed' : 'open';
  return { status: 200, body: { reference, outcome } };
}

/** Tells what Stripe knows of a card. A method of another Stripe account, and one that is no card, is 404. */
export async function describeMethod(stripe: Stripe, { token }: TokenBody): Promise<Answer> {
  const method = await unlessRefused(stripe.paymentMethods.retrieve(token));
  if (method?.card === undefined) return noOutcome(404, 'the token is not known');
  const { brand, networks, funding, last4, exp_month, exp_year, country, fingerprint } = method.card;
  const told = {
    ...{ brand, network: networks?.preferred ?? networks?.available[0] ?? null, funding, last_four: last4 },
    ...{ expiry_month: exp_month, expiry_year: exp_year, country, fingerprint },
  };
  return { status: 200, body: { token, outcome: 'found', ...told } };
}

async function unlessRefused<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (isRefusal(error)) return null;
    throw error;
  });
}
