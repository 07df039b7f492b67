// A refund: given once under its key, for ever. Stripe forgets a key after a day; a table here and the key in the
// metadata of Stripe's refund do not.
import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { recordMovements, refundMovement } from './movement-list.ts';
import { type Answer, noOutcome, type RefundBody } from './protocol.ts';
import { findReservation } from './reservations.ts';
import { isRefusal } from './stripe-errors.ts';

type Outcome = 'succeeded' | 'failed';

/** Gives money back. */
export async function refund(db: Db, stripe: Stripe, key: string, body: RefundBody): Promise<Answer> {
  const { charge_reference: reference, amount } = body;
  if (reference === null) return rejected(key);
  const known = await refundUnder(db, body, key);
  if (known !== null) {
    const isSame = known.amount === amount && known.currency === body.currency;
    return isSame ? told(key, known.outcome) : noOutcome(400, 'the key has refunded another amount');
  }
  // A Stripe account may be another biller's too.
  if ((await findReservation(db, stripe, { ...body, reference })) === null) return rejected(key);
  const earlier = await findAtStripe(stripe, body.account, reference, key);
  if (earlier !== null) return decide(db, key, body, earlier);
  try {
    const made = await stripe.refunds.create(
      {
        payment_intent: reference,
        amount,
        metadata: { refund: key, payment_intent: body.payment_intent_id, biller: body.account },
      },
      { idempotencyKey: key },
    );
    return await decide(db, key, body, made);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return rejected(key);
  }
}

/** Tells the state of a refund. */
export async function inquireRefund(db: Db, stripe: Stripe, key: string, body: RefundBody): Promise<Answer> {
  const known = await refundUnder(db, body, key);
  if (known !== null) return told(key, known.outcome);
  const { charge_reference: reference } = body;
  const found = reference === null ? null : await findAtStripe(stripe, body.account, reference, key);
  return found === null ? told(key, 'not_found') : decide(db, key, body, found);
}

async function refundUnder(
  db: Db,
  { account, livemode }: RefundBody,
  key: string,
): Promise<{ outcome: Outcome; amount: number; currency: string } | null> {
  const [row] = await db<{ outcome: Outcome; amount: number; currency: string }[]>`
    select outcome, amount, currency from processor_stripe.refunds
    where account = ${account} and livemode = ${livemode} and idempotency_key = ${key}`;
  return row ?? null;
}

/** The refund of a payment that an account has made under a key, or null. An unknown payment has none. */
async function findAtStripe(
  stripe: Stripe,
  account: string,
  reference: string,
  key: string,
): Promise<Stripe.Refund | null> {
  try {
    for await (const found of stripe.refunds.list({ payment_intent: reference, limit: 100 })) {
      if (found.metadata?.refund === key && found.metadata.biller === account) return found;
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return null;
}

/** Stores an outcome before it is told. Stripe may take days for a refund: until then it is pending. */
async function decide(db: Db, key: string, body: RefundBody, made: Stripe.Refund): Promise<Answer> {
  const outcome = outcomeOf(made);
  if (outcome === null) return told(key, 'pending');
  if (outcome === 'succeeded') {
    await recordMovements(db, body, [refundMovement(made, { key, reference: body.charge_reference })]);
  }
  const { account, livemode, charge_reference: reference } = body;
  const currency = made.currency.toUpperCase();
  await db`
    insert into processor_stripe.refunds (account, livemode, idempotency_key, refund, reference, amount, currency, outcome)
    values (${account}, ${livemode}, ${key}, ${made.id}, ${reference}, ${made.amount}, ${currency}, ${outcome})
    on conflict do nothing`;
  return told(key, outcome);
}

function outcomeOf({ status }: Stripe.Refund): Outcome | null {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : null;
}

function rejected(key: string): Answer {
  return { status: 422, body: { idempotency_key: key, outcome: 'rejected' } };
}

function told(key: string, outcome: Outcome | 'pending' | 'not_found'): Answer {
  return { status: 200, body: { idempotency_key: key, outcome } };
}
