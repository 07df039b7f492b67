import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { lockPaymentMethod } from '../../db/payment-methods.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { Processors } from '../../processors/processor.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { debitUnderMandate } from '../mandates/debits.ts';
import { askProcessor, processorFor } from './ask-processor.ts';
import { openCharge, recordOutcome, reopenCharge, type UnattendedCharge, unlessRefused } from './charge.ts';

/**
 * Charges a scheduled payment when it is due, in the same three steps as a plan's payment. `at` is customer time. Does
 * nothing when a confirm or a cancel has already ended the schedule. In real time the database's clock decides whether
 * the payment is due (see `instantOf`).
 * @param now real time.
 * @throws WorkflowClockAhead when the payment is due by the workflow's clock only. Nothing has changed then.
 */
export async function collectScheduledPayment(
  sql: Db,
  processors: Processors,
  intentId: string,
  { now, ...time }: WorkflowTime & { now: Date },
): Promise<void> {
  const charge = await atomically(sql, async (tx) => {
    const opened = await openScheduled(tx, processors, intentId, time, now);
    return opened && unlessRefused(tx, opened, now, null);
  });
  if (charge === null) return;
  pass('scheduled payment opened');
  const outcome = await askProcessor(processors, charge);
  pass('scheduled payment charged');
  await recordOutcome(sql, charge, { outcome, requestId: null, now }, null);
  pass('scheduled payment completed');
}

async function openScheduled(
  tx: Tx,
  processors: Processors,
  intentId: string,
  time: WorkflowTime,
  now: Date,
): Promise<UnattendedCharge | null> {
  const [intent, databaseTime] = await pipelined(tx, [lockPaymentIntent(tx, intentId), databaseNow(tx)]);
  if (intent === null) return null;
  const tenant = { billerId: intent.biller_id, livemode: intent.livemode };
  if (intent.scheduled_at === null) {
    const attempt = await selectAttemptInFlight(tx, intentId);
    if (attempt?.source !== 'schedule' || attempt.outcome !== 'processing') return null;
    return { charge: await reopenCharge(tx, intent, attempt), refusal: null };
  }
  const subject = { id: intentId, isOnClock: intent.test_clock_id !== null, dueAt: intent.scheduled_at };
  const at = instantOf(subject, time, databaseTime);
  if (at === null) return null;
  processorFor(processors, intent.livemode);
  const found = intent.payment_method_id && (await lockPaymentMethod(tx, tenant, intent.payment_method_id));
  const method = found && found.detached_at === null ? found : null;
  // A payment scheduled for today is due when it is created, not when the day began.
  const dueAt = new Date(Math.max(Number(intent.created_at), Number(intent.scheduled_at)));
  const refusal = method && (await debitUnderMandate(tx, method, { amount: intent.total_amount, at }));
  const newCharge = { source: 'schedule' as const, at, now, dueAt, testClockId: intent.test_clock_id };
  return { charge: await openCharge(tx, intent, method, newCharge), refusal };
}
