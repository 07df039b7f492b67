// A payment: reserved as an unconfirmed PaymentIntent, charged by confirming it, and judged by what Stripe has of it.
import Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import {
  expectedAt,
  isDebit,
  judgeDebit,
  mandateOf,
  methodOfAccount,
  permissionOf,
  rememberMandate,
} from './debits.ts';
import { cancelIntent, type Judgement, judge, settle, withCharge } from './intents.ts';
import { customerOf } from './methods.ts';
import { chargeMovement, recordMovements } from './movement-list.ts';
import { type Answer, type ChargeBody, noOutcome, type PrepareBody, type ReferenceBody } from './protocol.ts';
import {
  decideReservation,
  findReservation,
  insertReservation,
  markCollected,
  type Reservation,
  readAgain,
  reservationUnder,
  returnUrlIn,
} from './reservations.ts';
import { isRefusal } from './stripe-errors.ts';

/** Stripe forgets a key after 24 h (docs.stripe.com/api/idempotent_requests). An hour is left for what is under way. */
const keyLifeMs = 23 * 3_600_000;
/** Stripe's id of a payment method. Other tokens are not asked for: `..` would be another path at Stripe. */
const isMethod = /^pm_\w{1,250}$/;
/** How far back a reservation is looked for whose key Stripe still knows and this database does not: 25 hours. */
const lookBackSeconds = 25 * 3_600;

/** Reserves a payment: the same one for each call under a key. No money moves. */
export async function prepare(db: Db, stripe: Stripe, key: string, body: PrepareBody): Promise<Answer> {
  const { payment_method: method, amount, currency } = body;
  const isCard = method.type === 'card' && method.token !== null;
  if (!(isCard || isDebit(body)) || (method.token !== null && !isMethod.test(method.token))) return rejected(key);
  const known = await reservationUnder(db, body, key);
  try {
    const reservation = known ?? (await reserve(db, stripe, key, body));
    const isSame = reservation.amount === amount && reservation.currency === currency;
    if (!isSame) return noOutcome(400, 'the key has reserved another amount');
    return { status: 200, body: { idempotency_key: key, outcome: 'reserved', reference: reservation.reference } };
  } catch (error) {
    if (isRefusal(error)) return rejected(key);
    throw error;
  }
}

async function reserve(db: Db, stripe: Stripe, key: string, body: PrepareBody): Promise<Reservation> {
  const { amount, currency, debit } = body;
  const token = body.payment_method.token ?? (await methodOfAccount(db, stripe, body));
  const customer = await customerOf(db, stripe, body, token);
  const mandate = debit === undefined ? null : await mandateOf(db, body, debit.mandate_reference);
  const created = await stripe.paymentIntents
    .create(
      {
        amount,
        currency: currency.toLowerCase(),
        customer,
        payment_method: token,
        ...(debit === undefined ? kindsFor(body) : forDebits),
        metadata: {
          ...{ attempt: key, payment_intent: body.payment_intent_id, biller: body.account },
          ...(debit === undefined ? {} : { mandate_reference: debit.mandate_reference }),
        },
      },
      { idempotencyKey: key },
    )
    .catch(async (error: unknown) => {
      // This database does not know the key any more, and Stripe knows it with other members.
      if (!(error instanceof Stripe.errors.StripeIdempotencyError) || error.statusCode !== 400) throw error;
      const earlier = await findByAttempt(stripe, key);
      if (earlier === null) throw error;
      return earlier;
    });
  const reserved = { ...body, amount: created.amount, currency: created.currency.toUpperCase() };
  return insertReservation(db, reserved, key, created, mandate);
}

/** The method is named. Without this, Stripe wants an address to come back to from all kinds. */
function kindsFor(body: PrepareBody) {
  if (returnUrlIn(body) !== '') return { payment_method_types: ['card'] };
  return { automatic_payment_methods: { enabled: true, allow_redirects: 'never' as const } };
}
/** So that the mandate of the first debit serves for later ones too. */
const forDebits = { payment_method_types: ['au_becs_debit'], setup_future_usage: 'off_session' } as const;

/** Lists are read, because Stripe's search lags behind. */
async function findByAttempt(stripe: Stripe, attempt: string): Promise<Stripe.PaymentIntent | null> {
  const gte = Math.floor(Date.now() / 1000) - lookBackSeconds;
  for await (const intent of stripe.paymentIntents.list({ created: { gte }, limit: 100 })) {
    if (intent.metadata.attempt === attempt) return intent;
  }
  return null;
}

/** Takes the money of a reservation: once, however often and under whatever key it is asked. */
export async function charge(db: Db, stripe: Stripe, key: string, body: ChargeBody): Promise<Answer> {
  const found = await findReservation(db, stripe, body);
  if (found === null) return noSuchReference;
  const isSame = found.amount === body.amount && found.currency === body.currency;
  if (!isSame || found.idempotency_key !== key) return noOutcome(400, 'the reference is that of another payment');
  const shown = (state: Judgement) => told(found, state, { idempotency_key: key });
  if (found.outcome !== null) return shown(decided(found));
  const before = await stripe.paymentIntents.retrieve(found.reference, withCharge);
  const state = await settled(stripe, found, before);
  if (state.kind === 'canceled') return rejected(key, found.reference);
  if (state.kind !== 'not_charged') return shown(await decide(db, found, state));
  if (found.age_ms > keyLifeMs) return rejected(key, found.reference);
  const isRefused = await confirm(stripe, found, body);
  const after = await stripe.paymentIntents.retrieve(found.reference, withCharge);
  const outcome = await settled(stripe, found, after);
  if (outcome.kind === 'not_charged' && !isRefused) return noOutcome(503, 'Stripe has not decided yet');
  if (outcome.kind === 'not_charged' || outcome.kind === 'canceled') return rejected(key, found.reference);
  return shown(await decide(db, found, outcome));
}

/**
 * Asks Stripe to take the money. The key is made from the reference, so two processes that confirm at once make one
 * charge. A decline and a refusal are not answered from here: the intent is read again.
 * @returns whether Stripe has refused.
 * @throws what Stripe says of a request that it has not decided.
 */
async function confirm(stripe: Stripe, found: Reservation, body: ChargeBody): Promise<boolean> {
  const { reference, amount } = found;
  const permission = found.mandate_reference === null ? presenceOf(found, body) : permissionOf(found, body.debit);
  try {
    await stripe.paymentIntents.confirm(
      reference,
      { ...permission, amount_to_confirm: amount },
      { idempotencyKey: `confirm-${reference}` },
    );
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeCardError || isRefusal(error))) throw error;
    return true;
  }
  return false;
}

/**
 * Whether the payer is there, and where a challenge leads back to: as it was reserved. Another process may not know,
 * and Stripe refuses other members under the key of the confirm.
 */
function presenceOf({ return_url: reserved }: Reservation, body: ChargeBody): Stripe.PaymentIntentConfirmParams {
  const returnUrl = reserved ?? returnUrlIn(body);
  return returnUrl === '' ? { off_session: true } : { return_url: returnUrl };
}

/** Tells the state of a payment. */
export async function inquire(db: Db, stripe: Stripe, body: ReferenceBody): Promise<Answer> {
  const found = await findReservation(db, stripe, body);
  if (found === null) return noSuchReference;
  if (found.outcome !== null) return told(found, decided(found));
  const intent = await stripe.paymentIntents.retrieve(found.reference, withCharge);
  return told(found, await decide(db, found, await settled(stripe, found, intent)));
}

/** Gives a reservation up, or tells the outcome of a charge that came first. */
export async function cancel(db: Db, stripe: Stripe, body: ReferenceBody): Promise<Answer> {
  const found = await findReservation(db, stripe, body);
  if (found === null) return noSuchReference;
  if (found.outcome !== null) return told(found, decided(found));
  const state = await judgedOn(stripe, found, judge(await cancelIntent(stripe, found.reference)));
  if (state.kind === 'not_charged') return noOutcome(503, 'Stripe has not canceled the payment');
  return told(found, await decide(db, found, state));
}

async function settled(stripe: Stripe, found: Reservation, intent: Stripe.PaymentIntent): Promise<Judgement> {
  return judgedOn(stripe, found, await settle(stripe, intent));
}

async function judgedOn(stripe: Stripe, found: Reservation, state: Judgement): Promise<Judgement> {
  return found.mandate_reference === null ? state : judgeDebit(stripe, found, state);
}

/** Stores an outcome before it is told. What is stored first stays: a late answer does not change it. */
async function decide(db: Db, found: Reservation, state: Judgement): Promise<Judgement> {
  const isDebited = found.mandate_reference !== null;
  if (state.kind === 'succeeded' || (state.kind === 'under_way' && isDebited)) {
    const { charge } = state;
    if (charge !== null) await recordMovements(db, found, [chargeMovement(charge, found)]);
    if (charge !== null && isDebited) await rememberMandate(db, found, charge);
  }
  if (state.kind === 'succeeded' && isDebited) {
    await markCollected(db, found);
  } else if (state.kind === 'succeeded') {
    await decideReservation(db, found, { outcome: 'succeeded', code: null, processorCode: null });
  } else if (state.kind === 'failed' || state.kind === 'returned') {
    await decideReservation(db, found, { ...state, outcome: state.kind });
    if (isDebited) return decided(await readAgain(db, found));
  }
  return state;
}

function decided({ outcome, code, processor_code: processorCode, decided_at: at }: Reservation): Judgement {
  if (outcome === 'succeeded') return { kind: 'succeeded', charge: null };
  if (outcome === 'returned') return { kind: 'returned', code: code ?? 'debit_disputed', processorCode, at };
  return { kind: 'failed', code: code ?? 'card_declined', processorCode };
}

function told(found: Reservation, state: Judgement, ids: { idempotency_key?: string } = {}): Answer {
  const { reference } = found;
  if (state.kind === 'under_way' && found.mandate_reference !== null) {
    const charged = state.charge === null ? new Date() : new Date(state.charge.created * 1000);
    const expected_at = expectedAt(charged).toISOString();
    return { status: 200, body: { ...ids, reference, outcome: 'submitted', expected_at } };
  }
  if (state.kind === 'under_way' || (state.kind === 'challenge' && state.url === null)) {
    return noOutcome(503, 'Stripe has not decided yet');
  }
  if (state.kind === 'challenge') {
    const next_action = { redirect_url: state.url };
    return { status: 200, body: { ...ids, reference, outcome: 'requires_action', next_action } };
  }
  // A charge has no such outcome: the service asks by the reference.
  if (state.kind === 'returned' && ids.idempotency_key !== undefined) {
    return noOutcome(503, 'the debit was made, and has been taken back since');
  }
  const isOver = state.kind === 'failed' || state.kind === 'returned';
  const members = isOver ? { code: state.code, processor_code: state.processorCode ?? undefined } : {};
  const when = state.kind === 'returned' ? { returned_at: (state.at ?? new Date()).toISOString() } : {};
  const status = state.kind === 'failed' && ids.idempotency_key !== undefined ? 402 : 200;
  return { status, body: { ...ids, reference, outcome: state.kind, ...members, ...when } };
}

function rejected(key: string, reference?: string): Answer {
  return { status: 422, body: { idempotency_key: key, reference, outcome: 'rejected' } };
}

const noSuchReference = noOutcome(404, 'this account has no such reference');
