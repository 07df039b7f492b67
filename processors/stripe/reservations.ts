import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import type { Code } from './decline-codes.ts';
import type { For, PrepareBody, ReferenceBody } from './protocol.ts';
import { isRefusal } from './stripe-errors.ts';

/** A PaymentIntent that the service has reserved. */
export interface Reservation extends For {
  idempotency_key: string;
  reference: string;
  payment_intent_id: string;
  amount: number;
  currency: string;
  /** Our mandate of a debit. Null: a card. */
  mandate_reference: string | null;
  /** Stripe's mandate, if Stripe had it when this was reserved. */
  mandate: string | null;
  /** Where the payer of a card comes back to. Empty: the payer is not there. Null: not known here. */
  return_url: string | null;
  /** When a debit was seen to be collected. It may be taken back: that is no outcome yet. */
  collected_at: Date | null;
  /** What never changes any more. */
  outcome: 'succeeded' | 'failed' | 'returned' | null;
  decided_at: Date | null;
  code: Code | null;
  /** Stripe's own code of the decline. */
  processor_code: string | null;
  reserved_at: Date;
  age_ms: number;
}

/** Returns the first reservation under a key, or null. */
export async function reservationUnder(db: Db, place: For, key: string): Promise<Reservation | null> {
  const [row] = await db<Reservation[]>`
    select *, ${ageOf(db)} from processor_stripe.reservations
    where account = ${place.account} and livemode = ${place.livemode} and idempotency_key = ${key}
    order by reserved_at, reference
    limit 1`;
  return row ?? null;
}

/** Returns the reservation of a reference; null if there is none, or if it is another account's. */
async function reservationOf(db: Db, place: For, reference: string): Promise<Reservation | null> {
  const [row] = await db<Reservation[]>`
    select *, ${ageOf(db)} from processor_stripe.reservations
    where reference = ${reference} and account = ${place.account} and livemode = ${place.livemode}`;
  return row ?? null;
}

function ageOf(db: Db) {
  return db`(extract(epoch from clock_timestamp() - reserved_at) * 1000)::float8 as age_ms`;
}

/**
 * Returns the reservation of a reference, or null if this account has none. What this database has lost since a
 * back-up is at Stripe, with its key and its biller: a reference is known for ever.
 */
export async function findReservation(db: Db, stripe: Stripe, body: ReferenceBody): Promise<Reservation | null> {
  const known = await reservationOf(db, body, body.reference);
  if (known !== null) return known;
  const intent = await stripe.paymentIntents.retrieve(body.reference).catch((error: unknown) => {
    if (isRefusal(error)) return null;
    throw error;
  });
  if (intent?.metadata.attempt === undefined || intent.metadata.biller !== body.account) return null;
  await restoreReservation(db, body, intent);
  return reservationOf(db, body, body.reference);
}

/** Stores a reservation. Of several under one key, the first stays; it is returned. */
export async function insertReservation(
  db: Db,
  body: PrepareBody,
  key: string,
  intent: { id: string; created: number },
  mandate: string | null = null,
): Promise<Reservation> {
  const { account, livemode, payment_intent_id, amount, currency, debit } = body;
  await db`
    insert into processor_stripe.reservations (account, livemode, idempotency_key, reference, payment_intent_id, amount,
      currency, mandate_reference, mandate, return_url, reserved_at)
    values (${account}, ${livemode}, ${key}, ${intent.id}, ${payment_intent_id}, ${amount}, ${currency},
      ${debit?.mandate_reference ?? null}, ${mandate}, ${returnUrlIn(body)}, least(now(), to_timestamp(${intent.created})))
    on conflict do nothing`;
  const row = await reservationUnder(db, body, key);
  if (row === null) throw new Error(`${intent.id} is reserved under another key`);
  return row;
}

/** Returns where the payer of an attended payment comes back to; empty if it is not attended. */
export function returnUrlIn({ attended, return_url: url }: Pick<PrepareBody, 'attended' | 'return_url'>): string {
  return attended ? (url ?? '') : '';
}

/**
 * Stores a reservation that this database has lost, as Stripe has it under its reference. Another one may have its key
 * since then; both stay.
 */
async function restoreReservation(db: Db, { account, livemode }: For, intent: Stripe.PaymentIntent): Promise<void> {
  const { attempt: key = '', payment_intent: of = '', mandate_reference: ours = null } = intent.metadata;
  await db`
    insert into processor_stripe.reservations (account, livemode, idempotency_key, reference, payment_intent_id, amount,
      currency, mandate_reference, reserved_at, found_again)
    values (${account}, ${livemode}, ${key}, ${intent.id}, ${of}, ${intent.amount}, ${intent.currency.toUpperCase()},
      ${ours}, least(now(), to_timestamp(${intent.created})), true)
    on conflict do nothing`;
}

/** Stores the outcome of a reservation. The first one stays. */
export async function decideReservation(
  db: Db,
  { reference }: Reservation,
  decision: {
    outcome: 'succeeded' | 'failed' | 'returned';
    code: Code | null;
    processorCode: string | null;
    /** When it came to that, if Stripe tells. */
    at?: Date | null;
  },
): Promise<void> {
  const { outcome, code, processorCode, at = null } = decision;
  await db`
    update processor_stripe.reservations
    set outcome = ${outcome}, code = ${code}, processor_code = ${processorCode}, decided_at = coalesce(${at}, now())
    where reference = ${reference} and outcome is null`;
}

/** Notes that a debit was collected. */
export async function markCollected(db: Db, { reference }: Reservation): Promise<void> {
  await db`
    update processor_stripe.reservations set collected_at = now()
    where reference = ${reference} and collected_at is null`;
}

/** Returns a reservation as it is now. */
export async function readAgain(db: Db, found: Reservation): Promise<Reservation> {
  return (await reservationOf(db, found, found.reference)) ?? found;
}
