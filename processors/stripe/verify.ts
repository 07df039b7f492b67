// What an account can and cannot do, asked of Stripe without moving money.
import Stripe from 'stripe';
import type { For } from './protocol.ts';
import type { StripeClient } from './stripe-client.ts';

/** One thing that was looked at. `unknown`: Stripe gave no answer, or does not tell. */
export interface Finding {
  what: string;
  is: 'right' | 'wrong' | 'unknown';
  says: string;
}

/** A clock that differs by more makes signatures of notices invalid (docs.stripe.com/webhooks: five minutes). */
const mostSkewMs = 60_000;

/** Rights that the adapter needs, each with a call that shows it. A write is asked for in a way that cannot succeed. */
const rights: readonly [string, (stripe: StripeClient) => Promise<unknown>][] = [
  ['read payment intents', (stripe) => stripe.paymentIntents.list({ limit: 1 })],
  ['write payment intents', (stripe) => stripe.paymentIntents.cancel('pi_none')],
  ['read charges', (stripe) => stripe.charges.list({ limit: 1 })],
  ['read refunds', (stripe) => stripe.refunds.list({ limit: 1 })],
  ['write refunds', (stripe) => stripe.refunds.create({ payment_intent: 'pi_none', amount: 1 })],
  ['read disputes', (stripe) => stripe.disputes.list({ limit: 1 })],
  ['read payment methods', (stripe) => stripe.paymentMethods.retrieve('pm_none')],
  ['write payment methods', (stripe) => stripe.paymentMethods.attach('pm_none', { customer: 'cus_none' })],
  ['write customers', (stripe) => stripe.customers.update('cus_none', { metadata: {} })],
  ['write setup intents', (stripe) => stripe.setupIntents.cancel('seti_none')],
  ['read balance transactions', (stripe) => stripe.balanceTransactions.list({ limit: 1 })],
  ['read payouts', (stripe) => stripe.payouts.retrieve('po_none')],
];

/** Only pages need it: without it, they take no card, and all else goes on. */
const rightOfPages = 'write setup intents';

/** Only the books need them: without them, there are no fees, dates and payouts, and all else goes on. */
const rightsOfBooks = ['read balance transactions', 'read payouts'];

/** Returns what Stripe says of an account, one finding for each thing. Never throws what Stripe says. */
export async function verifyAccount(
  stripe: StripeClient,
  { livemode }: For,
  publishableKey: string | null = null,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const own = await answerOf(() => stripe.accounts.retrieveCurrent());
  // Stripe has taken a key that lacks a right.
  const isTaken = own.is === 'right' || own.status === 403;
  findings.push({
    what: 'key',
    is: isTaken ? 'right' : own.is,
    says: isTaken ? `Stripe takes it, for ${livemode ? 'live' : 'test'} mode` : own.says,
  });
  if (own.is === 'right') findings.push(...profileOf(own.value));
  else findings.push({ what: 'payments, country and clock', is: 'unknown', says: 'the account could not be read' });
  for (const [what, call] of rights) {
    const answer = await answerOf(call.bind(null, stripe));
    const isAllowed = answer.is === 'right' || answer.status === 400 || answer.status === 404;
    if (isAllowed) findings.push({ what: `right to ${what}`, is: 'right', says: 'yes' });
    else if (what === rightOfPages && publishableKey === null)
      findings.push({ what: `right to ${what}`, is: 'unknown', says: `not needed without a publishable key` });
    else if (rightsOfBooks.includes(what) && answer.status === 403)
      findings.push({
        what: `right to ${what}`,
        is: 'unknown',
        says: `missing, so the books have no fees and payouts`,
      });
    else findings.push({ what: `right to ${what}`, is: answer.is, says: answer.says });
  }
  findings.push({
    what: 'publishable key',
    is: publishableKey === null ? 'unknown' : 'right',
    says: publishableKey ?? 'missing, so pages take no card: rotate with --publishable-key',
  });
  findings.push({
    what: 'mails to payers',
    is: 'unknown',
    says: 'Stripe does not tell: look at "Customer emails" in its settings. This service sends payers no mail',
  });
  return findings;
}

function profileOf(account: Stripe.Response<Stripe.Account>): Finding[] {
  const { country, default_currency: currency, charges_enabled: takes, capabilities, lastResponse } = account;
  const capability = (name: 'card_payments' | 'au_becs_debit_payments', what: string): Finding => {
    const state = capabilities?.[name];
    return { what, is: state === 'active' ? 'right' : 'unknown', says: state ?? 'not requested' };
  };
  // The library's type has a record; with fetch there is an object of its own.
  const date = Date.parse(new Headers(lastResponse.headers).get('date') ?? '');
  const skewMs = Number.isNaN(date) ? null : Math.abs(date - Date.now());
  return [
    {
      what: 'payments',
      is: takes ? 'right' : 'wrong',
      says: takes ? 'Stripe takes payments for it' : 'Stripe takes none yet: finish its onboarding',
    },
    {
      what: 'country and currency',
      is: 'right',
      says: `${country ?? 'unknown'}, ${currency?.toUpperCase() ?? 'unknown'}`,
    },
    capability('card_payments', 'cards'),
    capability('au_becs_debit_payments', 'BECS debits'),
    {
      what: 'clock of this machine',
      is: skewMs === null ? 'unknown' : skewMs <= mostSkewMs ? 'right' : 'wrong',
      says: skewMs === null ? 'Stripe sent no date' : `${Math.round(skewMs / 1000)} s from Stripe’s`,
    },
  ];
}

type Answered<T> =
  | { is: 'right'; value: T; status: 200; says: '' }
  | { is: 'wrong' | 'unknown'; status: number; says: string };

/** Makes a call, and returns what Stripe says. Throws what is not Stripe's. */
export async function answerOf<T>(call: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { is: 'right', value: await call(), status: 200, says: '' };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode: status = 0, type } = error;
    if (status === 401) return { is: 'wrong', status, says: 'Stripe refuses the key' };
    if (status === 403) return { is: 'wrong', status, says: 'the key lacks it: give it in Stripe’s dashboard' };
    return {
      is: 'unknown',
      status,
      says: status === 0 ? 'Stripe gave no answer' : `Stripe responded ${status} (${type})`,
    };
  }
}
