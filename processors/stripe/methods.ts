import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import type { For } from './protocol.ts';

/**
 * Returns the Stripe customer of a payment method. Stripe charges a method without a customer once and never again
 * (docs.stripe.com/payments/payment-methods#reuse), so one without gets a customer of its own.
 */
export async function customerOf(db: Db, stripe: Stripe, place: For, token: string): Promise<string> {
  const { account, livemode } = place;
  const [known] = await db<{ customer: string }[]>`
    select customer from processor_stripe.methods
    where account = ${account} and livemode = ${livemode} and token = ${token}`;
  if (known !== undefined) return known.customer;
  const method = await stripe.paymentMethods.retrieve(token);
  const { customer: owner } = method;
  const customer = owner === null ? await attach(stripe, token) : typeof owner === 'string' ? owner : owner.id;
  await db`
    insert into processor_stripe.methods (account, livemode, token, customer)
    values (${account}, ${livemode}, ${token}, ${customer}) on conflict do nothing`;
  return customer;
}

/** The keys are made from the method: two processes at once make one customer. */
async function attach(stripe: Stripe, token: string): Promise<string> {
  const customer = await stripe.customers.create(
    { metadata: { payment_method: token } },
    { idempotencyKey: `customer-${token}` },
  );
  await stripe.paymentMethods.attach(token, { customer: customer.id }, { idempotencyKey: `attach-${token}` });
  return customer.id;
}
