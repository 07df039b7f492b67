import { completeAttempt, type PaymentAttemptRow } from '../../db/payment-attempts.ts';
import { type LockedIntentRow, type PaymentIntentRow, updateDebitedIntent } from '../../db/payment-intents.ts';
import type { DeclineCode } from '../../domain/charge-outcome.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { SchemeProfile } from '../../domain/schemes/scheme-profile.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { afterCommit, queued } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { intentEvent, positionHere } from '../events.ts';
import type { ChargeRecorder } from './charge.ts';
import { emitCompleted, retryOf } from './charge-records.ts';

/** How a payment came back. */
interface Return {
  code: DeclineCode;
  message: string;
  /** What came back, and what was refunded before and so did not. Minor units, together the total of the payment. */
  returned: MinorUnits;
  refundedBefore: MinorUnits;
  /** The scheme of a debit under a mandate. Null for any other payment. */
  scheme: SchemeProfile | null;
  /** Whether the loop of the plan or subscription that is paid takes this step, and so looks again on its own. */
  isOwnStep: boolean;
  at: CustomerInstant;
  now: RealInstant;
  requestId: string | null;
  /** Further members of the event. */
  told: {
    bank_code: string | null;
    dispute_id?: Id<'dispute'>;
    returned_amount?: MinorUnits;
    returned_tax_amount?: MinorUnits;
  };
}

/**
 * Records that a payment which had succeeded came back, with its event: on the attempt, on the intent and, through its
 * recorder, on what the payment is for. All are locked. Returns the intent as it is now.
 */
export async function recordReturned(
  tx: Tx,
  {
    attempt,
    intent,
    recorder,
  }: { attempt: PaymentAttemptRow; intent: LockedIntentRow; recorder: ChargeRecorder | null },
  { code, message, returned, refundedBefore, scheme, isOwnStep, at, now, requestId, told }: Return,
): Promise<PaymentIntentRow> {
  const updated: PaymentIntentRow = {
    ...intent,
    status: 'returned',
    total_returned_amount: intent.total_returned_amount + returned,
    refunded_before_dispute: intent.refunded_before_dispute + refundedBefore,
    last_error_code: code,
    last_error_message: message,
    updated_at: at,
  };
  queued(tx, [
    completeAttempt(tx, attempt.id, 'succeeded', { outcome: 'returned', code, message, now }),
    updateDebitedIntent(tx, updated),
  ]);
  const position = positionHere(tx);
  const nextAttemptAt = await recorder?.returned({ attempt, at, amount: intent.amount, code, now, isOwnStep, scheme });
  const testClockId = intent.test_clock_id;
  const about = { attempt: attempt.number, reason: code, returned_at: at.toISOString() };
  const retry = retryOf(nextAttemptAt ?? null);
  position.record(
    intentEvent('payment_intent.returned', updated, { testClockId, at }, { ...about, ...told, ...retry }),
  );
  // A bank takes days, so how long the attempt took says nothing.
  const more = { testClockId, requestId, eventIds: position.idsSince(), openedAt: null };
  afterCommit(tx, () => emitCompleted(updated, attempt, { kind: 'returned', code }, more));
  return updated;
}
