// A BECS debit: by a bank account that becomes a Stripe payment method once, under a mandate that Stripe has once. Its
// result comes days later, and it may be taken back after that.
import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { codeOfDebit, codeOfDispute } from './decline-codes.ts';
import type { Judgement } from './intents.ts';
import { type Answer, type DebitBody, type For, type MandateBody, noOutcome, type PaymentBody } from './protocol.ts';
import type { Reservation } from './reservations.ts';

/** A result takes two business days (docs.stripe.com/payments/au-becs-debit); a day more counts for public holidays. */
const resultDays = 3;
const dayMs = 86_400_000;

/** Whether a payment is a debit that can be asked for: in its currency, under a mandate, of an account or a method. */
export function isDebit({ payment_method: method, debit, currency }: PaymentBody): boolean {
  const hasAccount = method.token !== null || method.bank_account !== undefined;
  return method.type === 'au_becs_debit' && debit !== undefined && currency === 'AUD' && hasAccount;
}

/**
 * Returns the Stripe payment method of a bank account that has no token: made once, and remembered. The key is made
 * from our method: two processes at once make one.
 */
export async function methodOfAccount(db: Db, stripe: Stripe, body: PaymentBody): Promise<string> {
  const { account, livemode, payment_method: method } = body;
  const { bank_account: bank } = method;
  if (bank === undefined) throw new TypeError('the payment has no bank account');
  const [known] = await db<{ token: string }[]>`
    select token from processor_stripe.bank_methods
    where account = ${account} and livemode = ${livemode} and payment_method = ${method.id}`;
  if (known !== undefined) return known.token;
  const { bsb_number, account_number, account_name: name, email } = bank;
  const { id: token } = await stripe.paymentMethods.create(
    {
      type: 'au_becs_debit',
      au_becs_debit: { bsb_number, account_number },
      billing_details: { name, ...(email === undefined ? {} : { email }) },
      metadata: { payment_method: method.id },
    },
    { idempotencyKey: `method-${account}-${method.id}` },
  );
  await db`
    insert into processor_stripe.bank_methods (account, livemode, payment_method, token)
    values (${account}, ${livemode}, ${method.id}, ${token}) on conflict do nothing`;
  return token;
}

/** Returns Stripe's mandate for one of ours, or null if Stripe was not told of it yet. */
export async function mandateOf(db: Db, { account, livemode }: For, reference: string): Promise<string | null> {
  const [row] = await db<{ mandate: string }[]>`
    select mandate from processor_stripe.debit_mandates
    where account = ${account} and livemode = ${livemode} and reference = ${reference}`;
  return row?.mandate ?? null;
}

/** Returns which of our mandates one of Stripe's is; null if it is none. */
export async function referenceOfMandate(db: Db, { account, livemode }: For, mandate: string): Promise<string | null> {
  const [row] = await db<{ reference: string }[]>`
    select reference from processor_stripe.debit_mandates
    where account = ${account} and livemode = ${livemode} and mandate = ${mandate} limit 1`;
  return row?.reference ?? null;
}

/** Answers `/mandates/inquire`: whether Stripe takes debits under a mandate. One that it has not seen is not known. */
export async function inquireMandate(db: Db, stripe: Stripe, body: MandateBody): Promise<Answer> {
  const { mandate_reference } = body;
  const id = await mandateOf(db, body, mandate_reference);
  if (id === null) return noOutcome(404, 'Stripe was not told of this mandate');
  const { status } = await stripe.mandates.retrieve(id);
  // A mandate that is pending becomes active with its first debit.
  return { status: 200, body: { mandate_reference, outcome: status === 'inactive' ? 'ended' : 'active' } };
}

/** Remembers under which mandate Stripe has made a debit. */
export async function rememberMandate(db: Db, found: Reservation, charge: Stripe.Charge): Promise<void> {
  const { account, livemode, mandate_reference: reference } = found;
  const mandate = charge.payment_method_details?.au_becs_debit?.mandate;
  if (reference === null || mandate === undefined) return;
  await db`
    insert into processor_stripe.debit_mandates (account, livemode, reference, mandate)
    values (${account}, ${livemode}, ${reference}, ${mandate}) on conflict do nothing`;
}

/** How a debit is confirmed: by the mandate that Stripe has, or with the evidence for a new one. */
export function permissionOf(
  { mandate }: Reservation,
  debit: DebitBody | undefined,
): Stripe.PaymentIntentConfirmParams {
  if (mandate !== null) return { mandate, off_session: true };
  if (debit === undefined) throw new TypeError('the debit has no mandate');
  const { accepted_at: at, type, ip_address, user_agent } = debit.mandate;
  const accepted = at === null ? {} : { accepted_at: Math.floor(Date.parse(at) / 1000) };
  const isOnline = type === 'online' && ip_address !== null && user_agent !== null;
  return {
    mandate_data: {
      customer_acceptance: isOnline
        ? { ...accepted, type: 'online', online: { ip_address, user_agent } }
        : { ...accepted, type: 'offline', offline: {} },
    },
  };
}

/** When the bank reports on a debit that was charged at an instant: some weekdays later, in the morning of Sydney. */
export function expectedAt(charged: Date): Date {
  const day = new Date(Math.floor(charged.getTime() / dayMs) * dayMs);
  for (let left = resultDays; left > 0; ) {
    day.setTime(day.getTime() + dayMs);
    if (day.getUTCDay() !== 0 && day.getUTCDay() !== 6) left -= 1;
  }
  return day;
}

/**
 * Judges a debit on from what its intent says: one that was collected may have been disputed, or have failed since.
 * Stripe then keeps the intent as succeeded.
 */
export async function judgeDebit(
  stripe: Stripe,
  { reference, collected_at: collectedAt }: Reservation,
  state: Judgement,
): Promise<Judgement> {
  const charge = 'charge' in state ? state.charge : null;
  if (state.kind === 'failed' && collectedAt !== null) {
    return { kind: 'returned', code: codeOfDebit(state.processorCode), processorCode: state.processorCode, at: null };
  }
  if (state.kind === 'failed') return { ...state, code: codeOfDebit(state.processorCode) };
  if (state.kind !== 'succeeded') return state;
  if (charge?.status === 'failed') {
    const processorCode = charge.failure_code;
    return { kind: 'returned', code: codeOfDebit(processorCode), processorCode, at: null };
  }
  if (charge?.disputed !== true) return state;
  const { data } = await stripe.disputes.list({ payment_intent: reference, limit: 100 });
  // An inquiry takes no money, and a dispute that was won has given it back.
  const lost = data.find(({ status }) => status !== 'won' && !status.startsWith('warning_') && status !== 'prevented');
  if (lost === undefined) return state;
  const at = new Date(lost.created * 1000);
  return { kind: 'returned', code: codeOfDispute(lost.reason), processorCode: lost.reason, at };
}
