import type { Id } from '../domain/ids.ts';
import type { MinorUnits } from '../domain/units.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

export interface PaymentReservationRow {
  attempt_id: Id<'payment_attempt'>;
  /** From 1. The last one of an attempt counts; those before it were canceled. */
  number: number;
  livemode: boolean;
  /** Null if the attempt was given up: nothing is charged for it. */
  reference: string | null;
  /** By PostgreSQL's clock. */
  reserved_at: RealInstant;
  /** When the processor's list was seen to have it as charged. Null: not seen, or in the sandbox. */
  taken_at: RealInstant | null;
  /** What that list says was taken, in minor units. */
  taken_amount: number | null;
}

/** A reservation, and its age in milliseconds by PostgreSQL's clock. */
export type AgedReservation = PaymentReservationRow & { age_ms: number };

const columns = (db: Db) => db`
  *, (extract(epoch from clock_timestamp() - reserved_at) * 1000)::float8 as age_ms`;

/** The reservation of an attempt that counts, or null. */
export async function selectReservation(db: Db, attemptId: string): Promise<AgedReservation | null> {
  const [row] = await db<AgedReservation[]>`
    select ${columns(db)} from payment_reservations
    where attempt_id = ${attemptId}
    order by number desc
    limit 1`;
  return row ?? null;
}

/** What a reservation is made of. `amount` is what the payer pays. */
export type NewReservation = Omit<PaymentReservationRow, 'reserved_at' | 'taken_at' | 'taken_amount'> & {
  amount: MinorUnits;
  currency: string;
};

/**
 * Commits a reservation, or that the attempt is given up, unless live charging is held. If the processor has made a
 * charge of this attempt that the database had lost, the reference of that charge is taken instead; if that was of
 * another amount, nothing is written. Returns null if nothing was written: for these reasons, or because another
 * process has committed this reservation.
 */
export async function insertReservation(db: Db, reservation: NewReservation): Promise<AgedReservation | null> {
  const { attempt_id, number, livemode, reference, amount, currency } = reservation;
  const [row] = await db<AgedReservation[]>`
    with lost as (
      select reference, amount = ${amount} and currency = ${currency} as is_same
      from unknown_movements
      where ${livemode} and kind = 'charge' and subject_id = ${attempt_id}
      order by idempotency_key desc
      limit 1
    )
    insert into payment_reservations (attempt_id, number, livemode, reference)
    select ${attempt_id}, ${number}, ${livemode}, coalesce((select reference from lost), ${reference}::text)
    where (not ${livemode} or ${isLiveChargingOpen(db)}) and not exists (select from lost where not is_same)
    on conflict (attempt_id, number) do nothing
    returning ${columns(db)}`;
  return row ?? null;
}

/**
 * Gives an attempt up: nothing is charged for it. `number` is that of its next reservation. Returns false if
 * another process has committed that one.
 */
export async function insertGivenUp(
  tx: Tx,
  { attempt_id, number, livemode }: Pick<PaymentReservationRow, 'attempt_id' | 'number' | 'livemode'>,
): Promise<boolean> {
  const rows = await tx`
    insert into payment_reservations ${tx({ attempt_id, number, livemode })}
    on conflict (attempt_id, number) do nothing
    returning number`;
  return rows.length > 0;
}

/** Writes the reservation of an attempt whose rows were lost. @throws if another payment has the reference. */
export async function restoreReservation(
  tx: Tx,
  reservation: Pick<PaymentReservationRow, 'attempt_id' | 'number' | 'livemode' | 'reference'>,
): Promise<void> {
  await tx`insert into payment_reservations ${tx(reservation)}`;
}

/** Whether an attempt of this mode has the reference. */
export async function hasReference(db: Db, livemode: boolean, reference: string): Promise<boolean> {
  const rows = await db`
    select from payment_reservations where livemode = ${livemode} and reference = ${reference}`;
  return rows.length > 0;
}

/**
 * Condition: live charges may be made. An operator can hold them, and so does what a comparison with the processor
 * found. They are also held an hour after the last comparison: the database may be a back-up. Before the first one they
 * may be made.
 */
function isLiveChargingOpen(db: Db) {
  return db`not exists (
    select from live_charging
    where held_at is not null or compared_at <= clock_timestamp() - interval '1 hour')`;
}

/**
 * What a refund depends on: the reference of the charge of an intent, or null if nothing was reserved for it; and
 * whether refunds may be made now.
 */
export async function selectRefundedCharge(
  db: Db,
  paymentIntentId: string,
  livemode: boolean,
): Promise<{ reference: string | null; is_open: boolean }> {
  const [row] = await db<[{ reference: string | null; is_open: boolean }]>`
    select (not ${livemode} or ${isLiveChargingOpen(db)}) as is_open, (
      select r.reference
      from payment_attempts a join payment_reservations r on r.attempt_id = a.id
      where a.payment_intent_id = ${paymentIntentId} and a.outcome = 'succeeded' and r.reference is not null
      order by r.number desc
      limit 1) as reference`;
  return row;
}
