// A charge at a processor that reserves payments: reserve, commit the reference, charge, and read the outcome by the
// reference. No outcome is ever guessed, and no charge is made without a committed reference.

import { type AgedReservation, insertReservation, selectReservation } from '../../db/payment-reservations.ts';
import { type ChargeFailure, type ChargeOutcome, declined } from '../../domain/charge-outcome.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import {
  type ChargeRequest,
  OutcomeUnknown,
  type PaymentProcessor,
  type ProcessorState,
  RequestRefused,
  type Submitted,
} from '../../processors/processor.ts';
import { pass } from '../crash-points.ts';
import type { Charge } from './charge-records.ts';

/** A processor that reserves. */
export type ReservingProcessor = PaymentProcessor & { prepare: NonNullable<PaymentProcessor['prepare']> };

/** A charge with its request. */
export type RequestedCharge = Charge & { request: ChargeRequest };

/** A payment that the processor has reserved and whose reference is committed. */
export interface ReservedPayment {
  kind: 'reserved';
  reference: string;
  /** The request under the key of this reservation. */
  request: ChargeRequest;
  number: number;
  /** Whether it may be charged without asking first: no other process can have charged it before. */
  isNew: boolean;
  ageMs: number;
}

/**
 * Processors forget keys, some after 24 hours (docs.stripe.com/api/idempotent_requests). A charge is repeated only
 * under a key that is younger than this; an hour is left for what is under way.
 */
const keyLifeMs = 23 * 3_600_000;

/**
 * Reserves the payment of a charge and commits the reference. A charge that was opened before keeps the reservation
 * that it has.
 * @returns a failure if the processor does not take the request: nothing was taken then, and nothing will be.
 * @throws OutcomeUnknown when the processor does not respond, or when live charging is held.
 */
export async function reservePayment(
  db: Db,
  processor: ReservingProcessor,
  charge: RequestedCharge,
): Promise<ReservedPayment | ChargeFailure> {
  const found = charge.isReopened ? await selectReservation(db, charge.attemptId) : null;
  return found === null ? reserve(db, processor, charge, 1) : reserved(charge, found, false);
}

/**
 * Takes the money of a reserved payment, and returns the outcome. If another try may have charged it, the processor is
 * asked first. It is charged only if the processor says that it was not, and under a key that is younger than 23 hours.
 * An older reservation is canceled, and the payment is reserved anew. If the processor refuses the charge, the
 * reservation is canceled, and the attempt is given up.
 * @param at as of when the processor reports the state of the payment. The default is for live mode, without clocks.
 * @throws OutcomeUnknown when the processor gives no outcome.
 */
export async function chargeReserved(
  db: Db,
  processor: ReservingProcessor,
  charge: RequestedCharge,
  first: ReservedPayment,
  at: () => CustomerInstant = () => withoutClock(realNow()),
): Promise<ChargeOutcome | Submitted> {
  for (let payment: ReservedPayment | ChargeFailure = first; ; ) {
    if (payment.kind === 'failed') return payment;
    const { request, reference, number } = payment;
    const state = payment.isNew ? notCharged : await processor.inquire(request, reference, at());
    const known = outcomeIn(state);
    if (known !== null) return known;
    if (state.kind === 'not_charged' && payment.ageMs < keyLifeMs) {
      const outcome = await chargeOnce(processor, payment, at);
      if (outcome !== null) return outcome;
      const charged = await giveUp(processor, payment, at);
      if (charged !== null) return charged;
      payment = await commit(db, charge, number + 1, null);
    } else {
      const charged = state.kind === 'canceled' ? null : await giveUp(processor, payment, at);
      if (charged !== null) return charged;
      payment = await reserve(db, processor, charge, number + 1);
    }
  }
}

const notCharged: ProcessorState = { kind: 'not_charged' };

async function reserve(
  db: Db,
  processor: ReservingProcessor,
  charge: RequestedCharge,
  number: number,
): Promise<ReservedPayment | ChargeFailure> {
  const prepared = await processor.prepare(requestUnder(charge, number));
  pass('charge prepared');
  return commit(db, charge, number, prepared.kind === 'failed' ? null : prepared.reference);
}

/**
 * Commits the next reservation of an attempt, or (null) that it is given up. Of several processes one decides, and the
 * others follow it: none may charge what another has given up.
 */
async function commit(
  db: Db,
  charge: RequestedCharge,
  number: number,
  reference: string | null,
): Promise<ReservedPayment | ChargeFailure> {
  const { attemptId, livemode, request } = charge;
  const { totalAmount: amount, currency } = request;
  const written = await insertReservation(db, { attempt_id: attemptId, number, livemode, reference, amount, currency });
  // The first key of an attempt may have been used by a try that this database does not know.
  const isNew = written?.reference === reference && !(charge.isReopened && number === 1);
  const row = written ?? (await selectReservation(db, attemptId));
  if (row === null || row.number < number) {
    throw new OutcomeUnknown(`${chargingIsHeld}; or the processor knows this charge with another amount`);
  }
  return reserved(charge, row, isNew);
}

export const chargingIsHeld =
  'live charging is held, because this database may lack what the processor has done (ops stuck)';

function reserved(charge: RequestedCharge, row: AgedReservation, isNew: boolean): ReservedPayment | ChargeFailure {
  const { number, reference, age_ms: ageMs } = row;
  if (reference === null) return declined('processor_rejected');
  return { kind: 'reserved', reference, request: requestUnder(charge, number), number, isNew, ageMs };
}

/**
 * Returns the request of a reservation. Each reservation of an attempt has a key of its own: the processor may know an
 * earlier one as canceled.
 */
export function requestUnder({ attemptId, request }: RequestedCharge, number: number): ChargeRequest {
  return { ...request, idempotencyKey: number === 1 ? attemptId : `${attemptId}.${number}` };
}

/** Charges. If the response is lost, asks once for the outcome. Returns null if the processor refuses. */
async function chargeOnce(
  processor: ReservingProcessor,
  { request, reference }: ReservedPayment,
  at: () => CustomerInstant,
): Promise<ChargeOutcome | Submitted | null> {
  pass('charge reserved');
  try {
    return await processor.charge(request, reference);
  } catch (error) {
    if (error instanceof RequestRefused) return null;
    if (!(error instanceof OutcomeUnknown)) throw error;
    const state = await processor.inquire(request, reference, at()).catch(() => null);
    const outcome = state && outcomeIn(state);
    if (outcome === null) throw error;
    return outcome;
  }
}

/**
 * Gives a reservation up. Returns null when it is canceled, so that it can no longer be charged. Returns the outcome
 * if it was charged before.
 * @throws OutcomeUnknown when neither is sure.
 */
async function giveUp(
  processor: ReservingProcessor,
  { request, reference }: ReservedPayment,
  at: () => CustomerInstant,
): Promise<ChargeOutcome | Submitted | null> {
  await processor.cancel(request, reference);
  const state = await processor.inquire(request, reference, at());
  if (state.kind === 'canceled') return null;
  const outcome = outcomeIn(state);
  if (outcome === null) throw new OutcomeUnknown('the processor has not canceled the payment, and has not made it');
  return outcome;
}

/** The outcome that a state tells; null if the payment was not charged. */
function outcomeIn(state: ProcessorState): ChargeOutcome | Submitted | null {
  if (state.kind === 'not_charged' || state.kind === 'canceled') return null;
  if (state.kind === 'returned') throw new OutcomeUnknown('the payment was made, and has been taken back since');
  return state;
}
