// What a bank reports about a debit, or what stops it before the bank has it: on the attempt, its course, the intent,
// the mandate and, by the hook, on what the payment is for.

import {
  type BankDebitRow,
  hasOwnWorkflow,
  listAcceptedDebits,
  selectDebit,
  updateDebit,
} from '../../db/bank-debits.ts';
import { completeAttempt, lockAttempt, type PaymentAttemptRow } from '../../db/payment-attempts.ts';
import {
  type LockedIntentRow,
  lockPaymentIntent,
  type PaymentIntentRow,
  updateDebitedIntent,
} from '../../db/payment-intents.ts';
import { type ChargeFailure, type DeclineCode, declined } from '../../domain/charge-outcome.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { returnableAfter } from '../../domain/schemes/bank-debit.ts';
import { isReturnReason } from '../../domain/schemes/scheme-profile.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import { afterCommit, pipelined, queued } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type EventPosition, positionHere, transact } from '../events.ts';
import { endMandateAfterReturn } from '../mandates/mandate-ends.ts';
import type { ChargeHook, ChargeRecorder, CompletedAttempt } from '../payments/charge.ts';
import {
  emitCompleted,
  isRestricted,
  outcomeEvent,
  payerFailuresAfter,
  restrictionEvents,
} from '../payments/charge-records.ts';
import { recordReturned } from '../payments/returns.ts';
import { wake } from '../wake.ts';

/** What a bank says about a debit. `returned`: it was collected, and the payer has it back. */
export type DebitReport =
  | { kind: 'succeeded' }
  | ChargeFailure
  | { kind: 'returned'; code: DeclineCode; message: string; bankCode: string | null };

/** How a report is recorded. */
export interface ReportRecord {
  at: CustomerInstant;
  now: RealInstant;
  requestId: string | null;
  /** When the bank is asked again about a collected debit. Null: nothing more is expected. */
  nextAt: CustomerInstant | null;
  /** Whether the workflow that drives the debit records this, and so looks again on its own. */
  isOwnStep: boolean;
}

/** A debit whose rows are locked: its plan or subscription, its intent, its attempt, in this order. */
export interface LockedDebit {
  debit: BankDebitRow;
  attempt: PaymentAttemptRow;
  intent: LockedIntentRow;
  recorder: ChargeRecorder | null;
}

/**
 * Records what a bank has said about a debit, with its events. Idempotent: if the debit is past that, nothing changes.
 * A debit that the bank took back before its success was recorded gets both.
 * @returns the intent as it is now, or null when it was deleted meanwhile.
 */
export async function recordReport(
  db: Writer,
  attemptId: string,
  report: DebitReport,
  record: ReportRecord,
  hook: ChargeHook,
): Promise<PaymentIntentRow | null> {
  return transact(db, record, async (tx) => {
    const locked = await lockDebit(tx, attemptId, hook);
    if (locked === null) return null;
    const intent = await recordUnderLock(tx, locked, report, record, hook);
    if (!record.isOwnStep) await wakeDebit(tx, locked.debit, record.now);
    return intent;
  });
}

/** Locks the rows of a debit. Returns null if it was deleted. */
export async function lockDebit(tx: Tx, attemptId: string, hook: ChargeHook): Promise<LockedDebit | null> {
  const found = await selectDebit(tx, attemptId);
  if (found === null) return null;
  const { payment_intent_id: paymentIntentId, payment_plan_id: paymentPlanId } = found;
  // The statements after the locks see everything committed before they were granted.
  const [recorder, intent, attempt, debit] = await pipelined(tx, [
    hook(tx, { paymentIntentId, paymentPlanId }),
    lockPaymentIntent(tx, paymentIntentId),
    lockAttempt(tx, attemptId),
    selectDebit(tx, attemptId),
  ]);
  return debit === null || intent === null || attempt === null ? null : { debit, attempt, intent, recorder };
}

/** Makes the workflow look again that takes the steps of a debit. A plan's is woken with the plan's records. */
async function wakeDebit(tx: Tx, debit: BankDebitRow, now: RealInstant): Promise<void> {
  const { attempt_id: id, subscription_id: subscriptionId, livemode } = debit;
  if (hasOwnWorkflow(debit)) await wake.bankDebit(tx, { id, livemode }, now);
  if (subscriptionId !== null) await wake.subscription(tx, { id: subscriptionId, livemode }, now);
}

/**
 * Fails the debits that were accepted under mandates that end now, before the bank has them. Locks their plans and
 * payments.
 */
export async function stopAcceptedDebits(
  tx: Tx,
  filter: { mandateId: Id<'mandate'> } | { methodId: Id<'payment_method'> } | { customerId: Id<'customer'> },
  code: DeclineCode,
  record: Omit<ReportRecord, 'nextAt' | 'isOwnStep'>,
  hook: ChargeHook,
): Promise<void> {
  for (const { attempt_id: id } of await listAcceptedDebits(tx, filter)) {
    const locked = await lockDebit(tx, id, hook);
    if (locked?.attempt.outcome !== 'accepted') continue;
    await recordFailure(tx, locked, declined(code), { ...record, nextAt: null, isOwnStep: false });
    await wakeDebit(tx, locked.debit, record.now);
  }
}

async function recordUnderLock(
  tx: Tx,
  locked: LockedDebit,
  report: DebitReport,
  record: ReportRecord,
  hook: ChargeHook,
): Promise<PaymentIntentRow> {
  const { attempt, intent, debit } = locked;
  const isWaiting = attempt.outcome === 'accepted' || attempt.outcome === 'submitted';
  if (!isWaiting && attempt.outcome !== 'succeeded') return intent;
  if (report.kind === 'succeeded') {
    if (isWaiting) return recordSuccess(tx, locked, record);
    await updateDebit(tx, debit, { next_at: record.nextAt });
    return intent;
  }
  if (isWaiting && report.kind === 'failed') {
    const failed = await recordFailure(tx, locked, report, record);
    await endMandate(tx, debit, report.code, record, hook);
    return failed;
  }
  if (isWaiting) await recordSuccess(tx, locked, { ...record, nextAt: record.at });
  const present = isWaiting ? await lockDebit(tx, attempt.id, hook) : locked;
  if (present === null) throw new Error(`the debit of attempt ${attempt.id} no longer exists`);
  const returned = await recordReturn(tx, present, report, record);
  await endMandate(tx, debit, report.code, record, hook);
  return returned;
}

async function recordSuccess(tx: Tx, { debit, attempt, intent, recorder }: LockedDebit, record: ReportRecord) {
  const { at, now, nextAt } = record;
  const returnable = returnableAfter(schemes[debit.scheme], at);
  const updated: PaymentIntentRow = {
    ...intent,
    status: 'succeeded',
    returnable_until: returnable,
    collected_at: at,
    last_error_code: null,
    last_error_message: null,
    updated_at: at,
  };
  queued(tx, [
    completeAttempt(tx, attempt.id, waiting(attempt), { outcome: 'succeeded', code: null, message: null, now }),
    updateDebitedIntent(tx, updated),
    updateDebit(tx, debit, { result_at: at, returnable_until: returnable, next_at: nextAt }),
  ]);
  return recordedOutcome(tx, { debit, attempt, intent, recorder }, updated, { kind: 'succeeded' }, record);
}

async function recordFailure(
  tx: Tx,
  locked: LockedDebit,
  failure: ChargeFailure,
  record: ReportRecord,
): Promise<PaymentIntentRow> {
  const { debit, attempt, intent } = locked;
  const { code, message, bankCode = null } = failure;
  const { at, now } = record;
  const updated: PaymentIntentRow = {
    ...intent,
    status: 'failed',
    payer_failures: payerFailuresAfter(intent, attempt, failure),
    last_error_code: code,
    last_error_message: message,
    updated_at: at,
  };
  queued(tx, [
    completeAttempt(tx, attempt.id, waiting(attempt), { outcome: 'failed', code, message, now }),
    updateDebitedIntent(tx, updated),
    updateDebit(tx, debit, { result_at: at, bank_code: bankCode, next_at: null }),
  ]);
  return recordedOutcome(tx, locked, updated, failure, record);
}

/** Whether the loop of the plan or subscription that is paid takes this step, and so looks again on its own. */
function isStepOfOwner(debit: BankDebitRow, { isOwnStep }: ReportRecord): boolean {
  return isOwnStep && !hasOwnWorkflow(debit);
}

/** Records an outcome on what the payment is for, with the events. Returns the intent as it is now. */
async function recordedOutcome(
  tx: Tx,
  { debit, attempt, intent, recorder }: LockedDebit,
  updated: PaymentIntentRow,
  outcome: Extract<CompletedAttempt['outcome'], { kind: 'succeeded' | 'failed' }>,
  report: ReportRecord,
): Promise<PaymentIntentRow> {
  const { at, now } = report;
  const isOwnStep = isStepOfOwner(debit, report);
  const about = { attempt, at, amount: intent.amount, now, isOwnStep, scheme: schemes[debit.scheme] };
  const position = positionHere(tx);
  const nextAttemptAt = await recorder?.completed({
    ...{ ...about, outcome, isRestricted: isRestricted(updated) },
    challengeEndsAt: null,
  });
  const testClockId = intent.test_clock_id;
  position.record(
    outcomeEvent(updated, { testClockId, at }, attempt.number, nextAttemptAt ?? null),
    ...restrictionEvents(intent, updated, { testClockId, at }),
  );
  emitAfterCommit(tx, { intent: updated, attempt, testClockId }, outcome, report, position);
  return updated;
}

async function recordReturn(
  tx: Tx,
  locked: LockedDebit,
  { code, message, bankCode = null }: Exclude<DebitReport, { kind: 'succeeded' }>,
  record: ReportRecord,
): Promise<PaymentIntentRow> {
  const { debit, intent } = locked;
  const { at, now, requestId } = record;
  queued(tx, [updateDebit(tx, debit, { returned_at: at, bank_code: bankCode, next_at: null })]);
  return recordReturned(tx, locked, {
    code,
    message,
    returned: intent.total_amount,
    refundedBefore: 0,
    scheme: schemes[debit.scheme],
    isOwnStep: isStepOfOwner(debit, record),
    at,
    now,
    requestId,
    told: { bank_code: bankCode },
  });
}

/** Ends the mandate if the bank's reason does, and stops what was accepted under it and the bank does not have yet. */
async function endMandate(
  tx: Tx,
  { mandate_id: mandateId }: BankDebitRow,
  code: DeclineCode,
  record: ReportRecord,
  hook: ChargeHook,
): Promise<void> {
  if (!isReturnReason(code) || !(await endMandateAfterReturn(tx, mandateId, code, record.at))) return;
  await stopAcceptedDebits(tx, { mandateId }, 'mandate_unavailable', record, hook);
}

function emitAfterCommit(
  tx: Tx,
  about: { intent: PaymentIntentRow; attempt: PaymentAttemptRow; testClockId: Id<'test_clock'> | null },
  outcome: Parameters<typeof emitCompleted>[2],
  { requestId }: ReportRecord,
  position: EventPosition,
): void {
  const { intent, attempt, testClockId } = about;
  // A bank takes days, so how long the attempt took says nothing.
  const more = { testClockId, requestId, eventIds: position.idsSince(), openedAt: null };
  afterCommit(tx, () => emitCompleted(intent, attempt, outcome, more));
}

function waiting({ id, outcome }: PaymentAttemptRow): 'accepted' | 'submitted' {
  if (outcome === 'accepted' || outcome === 'submitted') return outcome;
  throw new Error(`attempt ${id} is ${outcome}; it does not wait for its bank`);
}
