// The steps of a debit: the hand-over to the bank at the cut-off, the result, and what comes back later. Each step is
// committed before the processor is asked, and nothing is guessed: if an answer was lost, the processor is asked what
// became of the payment before it may be charged again.

import { type BankDebitRow, countWithdrawn, updateDebit } from '../../db/bank-debits.ts';
import { lockMandate, type MandateRow } from '../../db/mandates.ts';
import { markSubmitted } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, updateDebitedIntent } from '../../db/payment-intents.ts';
import { lockPaymentMethod, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { selectReservation } from '../../db/payment-reservations.ts';
import { tenantOf } from '../../db/tenant.ts';
import { dateIn } from '../../domain/calendar.ts';
import { type DeclineCode, declined, unattended } from '../../domain/charge-outcome.ts';
import { addMs, type CustomerInstant } from '../../domain/instants.ts';
import { debitDates, hasMissedCutOff } from '../../domain/schemes/bank-debit.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { traced } from '../../platform/tracing.ts';
import type { PaymentProcessor, ProcessorState, Submitted } from '../../processors/processor.ts';
import { pass } from '../crash-points.ts';
import { clockToleranceMs, instantOf, type WorkflowTime } from '../customer-time.ts';
import { evidenceOf, noteDebit } from '../mandates/mandates.ts';
import { type Charging, orUnavailable, processorFor, reserves } from '../payments/charge.ts';
import { chargeOf } from '../payments/charge-records.ts';
import { BeforeItsDate } from '../payments/due-date.ts';
import { chargeReserved, type RequestedCharge, requestUnder, reservePayment } from '../payments/reserved-charge.ts';
import { type DebitReport, type LockedDebit, lockDebit, type ReportRecord, recordReport } from './debit-reports.ts';

/** How long to wait when a bank has not reported at the expected time, in milliseconds. */
const askAgainAfterMs = 3_600_000;

/** A step of a debit that is committed, and what the processor is asked next. */
export interface DebitStep {
  debit: BankDebitRow;
  charge: RequestedCharge;
  /**
   * `reserve`: it must be handed over once it is reserved. `charge`: it is handed over. `recover`: it was, and the
   * processor's answer is not known. `inquire`: the bank has it.
   */
  ask: 'reserve' | 'charge' | 'recover' | 'inquire';
  at: CustomerInstant;
}

/** Real time, and whether the debit's own workflow takes the step. */
type StepOrigin = Pick<ReportRecord, 'now' | 'isOwnStep' | 'requestId'>;

/** Returns the origin of a step that the workflow of a debit, or of what it pays, takes on its own. */
export function ownStep(now: RealInstant): StepOrigin {
  return { now, isOwnStep: true, requestId: null };
}

/**
 * Takes the step of a debit that is due at `at`, if there is one. In real time the database's clock decides whether it
 * is due (see `instantOf`).
 * @throws ProcessorNotConfigured; ProcessorUnavailable; WorkflowClockAhead if it is due by the workflow's clock only.
 */
export async function takeDebitStep(
  sql: Db,
  charging: Charging,
  attemptId: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<void> {
  const origin = ownStep(now);
  const step = await atomically(sql, async (tx) => {
    const [locked, databaseTime] = await pipelined(tx, [lockDebit(tx, attemptId, charging.hook), databaseNow(tx)]);
    const dueAt = locked?.debit.next_at ?? null;
    if (locked === null || dueAt === null) return null;
    const subject = { id: attemptId, isOnClock: locked.debit.test_clock_id !== null, dueAt };
    const at = instantOf(subject, time, databaseTime);
    return at === null ? null : openDebitStep(tx, charging, locked, at, origin);
  });
  if (step !== null) await finishDebitStep(sql, charging, step, origin);
}

/**
 * Opens the step of a locked debit that is due: hands an accepted debit over, or stops it, or finds what to ask about
 * one that the bank has. Returns what the processor is to be asked, or null if nothing is.
 * @throws BeforeItsDate when it is to be handed over before its cut-off.
 */
export async function openDebitStep(
  tx: Tx,
  charging: Charging,
  locked: LockedDebit,
  at: CustomerInstant,
  origin: StepOrigin,
): Promise<DebitStep | null> {
  const { debit, attempt, intent } = locked;
  const processor = processorFor(charging.processors, debit.livemode);
  const { method, mandate, withdrawn } = await lockParties(tx, locked);
  if (attempt.outcome === 'accepted') {
    const obstacle = obstacleOf(method, mandate, at);
    if (obstacle !== null) {
      await recordReport(tx, attempt.id, declined(obstacle), { ...origin, at, nextAt: null }, charging.hook);
      return null;
    }
    // Its next step is the hand-over, so `next_at` says the same, unless the row was changed by hand.
    if (debit.hand_over_at.getTime() - at.getTime() > clockToleranceMs) {
      throw new BeforeItsDate(`the debit is handed over at the cut-off of ${debit.charge_date}`, debit.hand_over_at);
    }
    if (hasMissedCutOff(debit.hand_over_at, at)) {
      await postpone(tx, debit, intent, at);
      return null;
    }
  }
  const charge = chargeOfDebit(locked, method, mandate, withdrawn);
  if (attempt.outcome !== 'accepted') {
    return { debit, charge, ask: debit.lodged_at === null ? 'recover' : 'inquire', at };
  }
  if (reserves(processor)) return { debit, charge, ask: 'reserve', at };
  await handOver(tx, debit, mandate, at);
  return { debit, charge, ask: 'charge', at };
}

/**
 * Asks the processor what a step is about, and records what it says.
 * @throws ProcessorUnavailable when it gave no answer. The step is then taken again.
 */
export async function finishDebitStep(sql: Db, charging: Charging, step: DebitStep, origin: StepOrigin): Promise<void> {
  const processor = processorFor(charging.processors, step.debit.livemode);
  const asked = await traced('debit', { kind: 'client', attributes: attributesOf(step) }, () =>
    orUnavailable('payment', askAbout(sql, charging, processor, step, origin)),
  );
  if (asked === null) return;
  pass('debit asked');
  await record(sql, charging, step, asked, origin);
  pass('debit recorded');
}

/** Reserves if it must, then charges, or asks for the state of the debit. Returns null if that is recorded already. */
async function askAbout(
  sql: Db,
  charging: Charging,
  processor: PaymentProcessor,
  step: DebitStep,
  origin: StepOrigin,
): Promise<(ProcessorState & { nextAt?: CustomerInstant | null }) | null> {
  const { charge, at } = step;
  const { request, attemptId } = charge;
  if (!reserves(processor)) {
    const key = request.idempotencyKey;
    if (step.ask === 'inquire') return processor.inquire(request, key, at);
    if (step.ask === 'charge') pass('debit handed over');
    // Also when the process that handed it over died before the processor answered: one key is charged once.
    return processor.charge(request, key);
  }
  if (step.ask === 'inquire' || step.ask === 'recover') {
    const reservation = await selectReservation(sql, attemptId);
    if (reservation === null) throw new Error(`the reservation of the debit of ${attemptId} is missing`);
    const { reference, number } = reservation;
    // Without a reference the processor has refused it: the attempt was given up.
    if (reference !== null) {
      const state = await processor.inquire(requestUnder(charge, number), reference, at);
      const isKnown = state.kind !== 'not_charged' && state.kind !== 'canceled';
      if (step.ask === 'inquire' || isKnown) return state;
    }
  }
  const payment = await reservePayment(sql, processor, charge);
  if (payment.kind === 'failed') return payment;
  if (step.ask === 'reserve') {
    const handover = await atomically(sql, (tx) => handOverReserved(tx, charging, step, origin));
    // Another worker that takes the same step charges this reservation.
    if (handover === 'stopped') await processor.cancel(payment.request, payment.reference);
    if (handover !== 'done') return null;
    pass('debit handed over');
  }
  return chargeReserved(sql, processor, charge, payment, () => at);
}

async function record(
  sql: Db,
  { hook }: Charging,
  { debit, at }: DebitStep,
  { nextAt, ...state }: ProcessorState & { nextAt?: CustomerInstant | null },
  origin: StepOrigin,
): Promise<void> {
  const { attempt_id: id } = debit;
  if (state.kind === 'submitted') return noteSubmitted(sql, id, state, at, hook);
  await recordReport(sql, id, reportOf(state, debit), { ...origin, at, nextAt: nextAt ?? null }, hook);
}

function reportOf(state: Exclude<ProcessorState, Submitted>, { attempt_id: id, lodged_at }: BankDebitRow): DebitReport {
  if (state.kind === 'requires_action') return unattended(state);
  if (state.kind !== 'canceled' && state.kind !== 'not_charged') return state;
  if (state.kind === 'canceled' && lodged_at === null) return declined('processor_rejected');
  throw new Error(`the processor had the debit of ${id}, and now says that it is ${state.kind}`);
}

/** The bank has the debit. It reports at the expected time; if it has not, it is asked again later. */
async function noteSubmitted(
  sql: Db,
  id: string,
  { expectedAt }: Submitted,
  at: CustomerInstant,
  hook: Charging['hook'],
): Promise<void> {
  await atomically(sql, async (tx) => {
    const locked = await lockDebit(tx, id, hook);
    if (locked?.attempt.outcome !== 'submitted') return;
    const { debit, intent } = locked;
    const nextAt = expectedAt > at ? expectedAt : addMs(at, askAgainAfterMs);
    const change = { lodged_at: debit.lodged_at ?? at, expected_result_at: expectedAt, next_at: nextAt };
    const resultDate = dateIn(expectedAt, schemes[debit.scheme].timeZone);
    await updateDebit(tx, debit, change);
    if (resultDate !== intent.expected_result_date) {
      await updateDebitedIntent(tx, { ...intent, expected_result_date: resultDate, updated_at: at });
    }
  });
}

/** Hands a reserved debit over, unless it was stopped, or another worker has handed it over meanwhile. */
async function handOverReserved(
  tx: Tx,
  { hook }: Charging,
  { debit: { attempt_id: id }, at }: DebitStep,
  origin: StepOrigin,
): Promise<'done' | 'done by another' | 'stopped'> {
  const locked = await lockDebit(tx, id, hook);
  if (locked?.attempt.outcome !== 'accepted') return locked?.debit.submitted_at == null ? 'stopped' : 'done by another';
  const { method, mandate } = await lockParties(tx, locked);
  const obstacle = obstacleOf(method, mandate, at);
  if (obstacle === null) await handOver(tx, locked.debit, mandate, at);
  else await recordReport(tx, id, declined(obstacle), { ...origin, at, nextAt: null }, hook);
  return obstacle === null ? 'done' : 'stopped';
}

/** Marks a debit as handed over. Once this is committed, nothing of ours stops it. */
async function handOver(tx: Tx, debit: BankDebitRow, mandate: MandateRow, at: CustomerInstant): Promise<void> {
  await pipelined(tx, [
    markSubmitted(tx, debit.attempt_id),
    updateDebit(tx, debit, { submitted_at: at }),
    noteDebit(tx, mandate, at),
  ]);
}

/** The cut-off was missed, because no worker ran. The debit goes with the next one. */
async function postpone(tx: Tx, debit: BankDebitRow, intent: LockedIntentRow, at: CustomerInstant): Promise<void> {
  const dates = debitDates(schemes[debit.scheme], at);
  if (dates === null) throw new Error(`attempt ${debit.attempt_id} can be charged on no day of its scheme`);
  const { chargeDate, handOverAt, resultAt, resultDate } = dates;
  const change = { charge_date: chargeDate, hand_over_at: handOverAt, expected_result_at: resultAt };
  await updateDebit(tx, debit, { ...change, next_at: handOverAt });
  await updateDebitedIntent(tx, { ...intent, expected_result_date: resultDate, updated_at: at });
}

/** Why an accepted debit must not be handed over, or null. Its amount was checked when it was accepted. */
function obstacleOf(
  method: PaymentMethodRow,
  { status, lapses_at }: MandateRow,
  at: CustomerInstant,
): DeclineCode | null {
  if (method.detached_at !== null) return 'payment_method_unavailable';
  return status !== 'active' || lapses_at === null || lapses_at <= at ? 'mandate_unavailable' : null;
}

/**
 * Locks the method and the mandate of a debit, and counts the attempts that were withdrawn before it. A method that was
 * detached and a mandate that has ended are found too.
 */
async function lockParties(tx: Tx, { debit, attempt }: LockedDebit) {
  const tenant = tenantOf(debit);
  const [method, mandate, withdrawn] = await pipelined(tx, [
    lockPaymentMethod(tx, tenant, attempt.payment_method_id ?? ''),
    lockMandate(tx, debit.mandate_id),
    countWithdrawn(tx, debit.payment_intent_id, attempt.number),
  ]);
  if (method === null || mandate === null) throw new Error(`attempt ${attempt.id} has no method or no mandate`);
  return { method, mandate, withdrawn };
}

/** The charge of a debit. Attempts that were withdrawn count for nothing, so its number leaves them out. */
function chargeOfDebit(
  { debit, attempt, intent }: LockedDebit,
  method: PaymentMethodRow,
  mandate: MandateRow,
  withdrawn: number,
): RequestedCharge {
  const { request, ...charge } = chargeOf(intent, method, attempt, {
    scheme: debit.scheme,
    chargeDate: debit.charge_date,
    mandateReference: mandate.reference,
    lodgementReference: debit.lodgement_reference,
    mandate: evidenceOf(mandate),
  });
  if (request === null) throw new TypeError(`attempt ${attempt.id} has no method`);
  // Its course takes days: an earlier try may have reserved it.
  return { ...charge, isReopened: true, request: { ...request, attempt: attempt.number - withdrawn } };
}

function attributesOf({ debit }: DebitStep) {
  return {
    payment_intent_id: debit.payment_intent_id,
    payment_plan_id: debit.payment_plan_id ?? undefined,
    subscription_id: debit.subscription_id ?? undefined,
    attempt_id: debit.attempt_id,
  };
}
