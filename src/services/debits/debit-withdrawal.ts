import { hasOwnWorkflow, listAcceptedDebits, updateDebit } from '../../db/bank-debits.ts';
import { completeAttempt, lockAttempt } from '../../db/payment-attempts.ts';
import { lockPaymentIntent, updateDebitedIntent } from '../../db/payment-intents.ts';
import { declined } from '../../domain/charge-outcome.ts';
import type { Id } from '../../domain/ids.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { Instants } from '../customer-time.ts';
import { record } from '../events.ts';
import { endSessionOf } from '../links/canceled-payment.ts';
import { outcomeEvent } from '../payments/charge-records.ts';
import { wake } from '../wake.ts';

/**
 * Withdraws the debits of a locked plan or subscription that the bank does not have yet, because it stops collecting.
 * They count as no attempt: neither for the retries nor in the sandbox's list of outcomes. Returns the ids of their
 * payments.
 * @param keep `by_hand` if what a payer or the biller has confirmed goes on: it stops because of a failure.
 */
export async function withdrawDebits(
  tx: Tx,
  owner: { planId: Id<'payment_plan'> } | { subscriptionId: Id<'subscription'> },
  { at, now, keep = 'nothing' }: Instants & { keep?: 'nothing' | 'by_hand' },
): Promise<string[]> {
  const withdrawn: string[] = [];
  for (const debit of await listAcceptedDebits(tx, owner)) {
    const [intent, attempt] = await pipelined(tx, [
      lockPaymentIntent(tx, debit.payment_intent_id),
      lockAttempt(tx, debit.attempt_id),
    ]);
    if (intent === null || attempt?.outcome !== 'accepted') continue;
    if (keep === 'by_hand' && attempt.source === 'confirm') continue;
    const { code, message } = declined('debit_withdrawn');
    const failed = { ...intent, last_error_code: code, last_error_message: message, updated_at: at };
    const updated = { ...failed, status: 'failed' as const };
    await pipelined(tx, [
      completeAttempt(tx, attempt.id, 'accepted', { outcome: 'failed', code, message, now }),
      updateDebitedIntent(tx, updated),
      updateDebit(tx, debit, { result_at: at, next_at: null }),
    ]);
    if (hasOwnWorkflow(debit)) await wake.bankDebit(tx, { id: attempt.id, livemode: debit.livemode }, now);
    withdrawn.push(intent.id);
    await endSessionOf(tx, intent, { at, now });
    record(tx, outcomeEvent(updated, { testClockId: intent.test_clock_id, at }, attempt.number, null));
  }
  return withdrawn;
}
