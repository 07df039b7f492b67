import type { Db } from '../db/connection.ts';
import { findAttemptInFlight } from '../db/payment-attempts.ts';
import { lockPaymentIntent } from '../db/payment-intents.ts';
import { lockPaymentMethod } from '../db/payment-methods.ts';
import { atomically } from '../db/transaction.ts';
import { pass } from '../domain/crash-points.ts';
import type { Processors } from '../processors/processor.ts';
import { askProcessor, type Charge, openCharge, processorFor, reopenCharge, settleCharge } from './charge.ts';

/**
 * Makes a scheduled payment when its instant has come (`at`, the customer's time), in the same three steps as a plan's.
 * Does nothing when somebody was faster: a confirm or a cancel ends the schedule.
 * @param now real time.
 */
export async function collectScheduledPayment(
  sql: Db,
  processors: Processors,
  intentId: string,
  { at, now }: { at: Date; now: Date },
): Promise<void> {
  const charge = await atomically(sql, (tx) => openScheduled(tx, processors, intentId, at, now));
  if (charge === null) return;
  pass('scheduled payment opened');
  const outcome = await askProcessor(processors, charge);
  pass('scheduled payment charged');
  await settleCharge(sql, charge, { outcome, requestId: null, now });
  pass('scheduled payment settled');
}

async function openScheduled(
  tx: Db,
  processors: Processors,
  intentId: string,
  at: Date,
  now: Date,
): Promise<Charge | null> {
  const intent = await lockPaymentIntent(tx, intentId);
  if (intent === null) return null;
  const tenant = { billerId: intent.biller_id, livemode: intent.livemode };
  if (intent.scheduled_at === null) {
    const attempt = await findAttemptInFlight(tx, intentId);
    if (attempt?.source !== 'schedule' || attempt.outcome !== 'processing') return null;
    return reopenCharge(tx, intent, attempt);
  }
  if (intent.scheduled_at > at) return null;
  processorFor(processors, intent.livemode);
  const found = intent.payment_method_id && (await lockPaymentMethod(tx, tenant, intent.payment_method_id));
  const method = found && found.detached_at === null ? found : null;
  // One for today is made as soon as it is asked for, though today has begun long before.
  const dueAt = new Date(Math.max(Number(intent.created_at), Number(intent.scheduled_at)));
  return openCharge(tx, intent, method, { source: 'schedule', at, now, dueAt, testClockId: intent.test_clock_id });
}
