import type { PaymentAttemptRow } from '../../db/payment-attempts.ts';
import { selectAttemptByReference } from '../../db/payment-attempts.ts';
import { type ProcessorNoticeRow, removeNotice, takeDueNotices } from '../../db/processor-notices.ts';
import { unattended } from '../../domain/charge-outcome.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { pass } from '../crash-points.ts';
import { lockDebit } from '../debits/debit-reports.ts';
import { finishDebitStep, openDebitStep } from '../debits/debit-steps.ts';
import { type Charging, orUnavailable, processorFor, recordOutcome, reopenAttempt } from '../payments/charge.ts';
import { wakeAfterOutcome } from '../payments/payment-confirmation.ts';
import { settleChallenge } from '../payments/processor-challenge.ts';
import { settleRefundsOf } from '../payments/refunds.ts';
import { requestUnder } from '../payments/reserved-charge.ts';
import { endMandateAtProcessor } from './ended-mandates.ts';

/**
 * Asks the live processor about what its notices name, and records what it says. A notice about which it gives no
 * outcome stays, and is due again after a pause: 10 seconds at first, 5 minutes at most.
 * @returns how many notices were due.
 * @throws AggregateError with every failure, after all that are due were tried.
 */
export async function settleNotices(sql: Pool, charging: Charging): Promise<number> {
  const due = await takeDueNotices(sql);
  const results = await Promise.allSettled(
    due.map(async (notice) => {
      await settleNotice(sql, charging, notice);
      pass('notice settled');
      await removeNotice(sql, notice);
    }),
  );
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} notices could not be settled`);
  return due.length;
}

async function settleNotice(sql: Pool, charging: Charging, notice: ProcessorNoticeRow): Promise<void> {
  const { kind, reference } = notice;
  // By the database's clock: a process whose own clock is wrong must not date an outcome.
  const now = await databaseNow(sql);
  if (kind === 'mandate') return endMandateAtProcessor(sql, charging.processors, notice, now);
  if (kind === 'refund') return settleRefundsOf(sql, charging.processors, reference, now);
  const found = await selectAttemptByReference(sql, reference);
  if (found === null) return;
  const { attempt, reservation } = found;
  if (attempt.outcome === 'processing') return settleCharge(sql, charging, { attempt, reservation, reference, now });
  if (attempt.outcome === 'requires_action') {
    await settleChallenge(sql, charging, attempt.payment_intent_id, { now, requestId: null, giveUp: 'if_due' });
    return;
  }
  if (attempt.outcome === 'submitted' || attempt.outcome === 'succeeded')
    await settleDebit(sql, charging, attempt, now);
}

/**
 * Records the outcome of an attempt, if its charge has one. A hint never makes a charge: one that was not made stays
 * with the request, the workflow or the housekeeping that makes it.
 */
async function settleCharge(
  sql: Pool,
  { processors, hook }: Charging,
  of: { attempt: PaymentAttemptRow; reservation: number; reference: string; now: RealInstant },
): Promise<void> {
  const { attempt, reservation, reference, now } = of;
  const charge = await atomically(sql, (tx) => reopenAttempt(tx, attempt));
  if (charge === null || charge.request === null) return;
  const request = requestUnder({ ...charge, request: charge.request }, reservation);
  const processor = processorFor(processors, charge.livemode);
  const state = await orUnavailable('payment', processor.inquire(request, reference, withoutClock(now)));
  if (state.kind !== 'succeeded' && state.kind !== 'failed' && state.kind !== 'requires_action') return;
  const outcome = charge.unattended ? unattended(state) : state;
  await atomically(sql, async (tx) => {
    await recordOutcome(tx, charge, { outcome, requestId: null, now }, hook);
    await wakeAfterOutcome(tx, attempt, charge, now);
  });
}

/**
 * Asks about a debit that the bank has, or has collected: it may have its result, or have come back. One that the bank
 * may not have is left to its workflow, which may have to hand it over again.
 */
async function settleDebit(sql: Pool, charging: Charging, { id }: PaymentAttemptRow, now: RealInstant): Promise<void> {
  const origin = { now, isOwnStep: false, requestId: null };
  const step = await atomically(sql, async (tx) => {
    const locked = await lockDebit(tx, id, charging.hook);
    const { outcome } = locked?.attempt ?? {};
    if (locked === null || (outcome !== 'submitted' && outcome !== 'succeeded')) return null;
    return openDebitStep(tx, charging, locked, withoutClock(now), origin);
  });
  if (step?.ask === 'inquire') await finishDebitStep(sql, charging, step, origin);
}
