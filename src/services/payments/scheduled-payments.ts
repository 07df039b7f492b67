import { selectBiller } from '../../db/billers.ts';
import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { lockPaymentIntent } from '../../db/payment-intents.ts';
import { lockPaymentMethod } from '../../db/payment-methods.ts';
import { ownerOf, selectScheduledPaymentStatus } from '../../db/subject-statuses.ts';
import { tenantOf } from '../../db/tenant.ts';
import { laterInstant } from '../../domain/calendar.ts';
import { deletedSubject, type SubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { transact } from '../events.ts';
import { processorFor, reopenCharge } from './charge.ts';
import type { Charge } from './charge-records.ts';
import { assertDateHasCome } from './due-date.ts';
import { lockAndChooseRail } from './rail.ts';
import { chargeAndRecord, failIfRefused, openRecurringCharge } from './recurring-charge.ts';
import { decideSurcharge, surchargingOf } from './surcharges.ts';

/** Returns the status of a scheduled payment. It counts as ended once it is made, confirmed, canceled or deleted. */
export async function scheduledPaymentStatus(db: Db, intentId: string): Promise<SubjectStatus> {
  const row = await selectScheduledPaymentStatus(db, intentId);
  if (row === null) return deletedSubject;
  const at = row.scheduled_at?.getTime() ?? null;
  return {
    ...ownerOf(row),
    ended: at === null,
    state: at === null ? 'settled' : 'scheduled',
    nextAt: at,
    nextDueAt: at,
    failedAttempts: 0,
    next: 'the scheduled payment',
    lastError: null,
    story: { waitsFor: 'the date of the payment', since: row.updated_at.getTime(), unpaid: null, lastFailure: null },
  };
}

/**
 * Charges a scheduled payment when it is due, in the same three steps as a plan's payment. A debit under a mandate is
 * only accepted: it has a workflow of its own. Does nothing when a confirm or a cancel has already ended the schedule.
 * In real time the database's clock decides whether the payment is due (see `instantOf`).
 * @throws WorkflowClockAhead when the payment is due by the workflow's clock only; BeforeItsDate when a row was changed
 * and its date has not come. Nothing has changed then.
 */
export async function collectScheduledPayment(
  sql: Db,
  processors: Processors,
  intentId: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<void> {
  const charge = await transact(sql, { requestId: null, now }, (tx) =>
    openScheduled(tx, processors, intentId, time, now),
  );
  if (charge === null) return;
  await chargeAndRecord(sql, { processors, hook: null }, charge, now, 'scheduled payment');
}

async function openScheduled(
  tx: Tx,
  processors: Processors,
  intentId: string,
  time: WorkflowTime,
  now: RealInstant,
): Promise<Charge | null> {
  const [intent, databaseTime] = await pipelined(tx, [lockPaymentIntent(tx, intentId), databaseNow(tx)]);
  if (intent === null) return null;
  const tenant = tenantOf(intent);
  if (intent.scheduled_at === null) {
    const attempt = await selectAttemptInFlight(tx, intentId);
    if (attempt?.source !== 'schedule' || attempt.outcome !== 'processing') return null;
    return reopenCharge(tx, intent, attempt);
  }
  const subject = { id: intentId, isOnClock: intent.test_clock_id !== null, dueAt: intent.scheduled_at };
  const at = instantOf(subject, time, databaseTime);
  if (at === null) return null;
  processorFor(processors, intent.livemode);
  const [biller, found] = await pipelined(tx, [
    selectBiller(tx, intent.biller_id),
    intent.payment_method_id === null ? null : lockPaymentMethod(tx, tenant, intent.payment_method_id),
  ]);
  if (biller === null) throw new Error(`biller ${intent.biller_id} does not exist`);
  assertDateHasCome(intent, biller.time_zone, at);
  const method = found && found.detached_at === null ? found : null;
  // A payment scheduled for today is due when it is created, not when the day began.
  const dueAt = laterInstant(intent.created_at, intent.scheduled_at);
  const decided = decideSurcharge(intent, method, surchargingOf({ ...biller, livemode: intent.livemode }), at);
  const rail = await lockAndChooseRail(tx, decided, method, at);
  const newCharge = { source: 'schedule' as const, at, now, dueAt, testClockId: intent.test_clock_id };
  return failIfRefused(tx, await openRecurringCharge(tx, decided, method, rail, newCharge), rail, now, null);
}
