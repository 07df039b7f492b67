// The simple payment of a plan in fewer statements, as `optimistic-charge.ts` does it for one that is confirmed: a plan
// without anything unpaid, its next payment, a method that is charged at once. It is read without locks and decided by
// the same rules. Then one statement opens it, and one records that it was paid, each on the condition that nothing has
// changed since. The steps and their commits are those of `collectDuePayment`, which continues from any of them.

import {
  type OpenedPayment,
  openPaymentWhere,
  planChange,
  type SimplePlan,
  selectSimplePlan,
  slotPaid,
} from '../../db/optimistic-collection.ts';
import { isStillOpen } from '../../db/optimistic-payments.ts';
import { attemptCompletion } from '../../db/payment-attempts.ts';
import { intentOutcome, type PaymentIntentRow } from '../../db/payment-intents.ts';
import { tenantOf } from '../../db/tenant.ts';
import { laterInstant } from '../../domain/calendar.ts';
import type { ChargeOutcome } from '../../domain/charge-outcome.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { awaitedAt } from '../../domain/plans/apply.ts';
import { collected, openNext } from '../../domain/plans/steps.ts';
import { sameVersion } from '../../platform/postgres/conditional-insert.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { unlessLocked } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { recordEventsWhere } from '../events.ts';
import { askAndRecord, processorFor } from '../payments/ask-processor.ts';
import { type Charging, recordOutcome } from '../payments/charge.ts';
import {
  chargeOf,
  completed,
  emitCompleted,
  emitOpened,
  nextAttempt,
  outcomeEvent,
} from '../payments/charge-records.ts';
import { recurringIntent } from '../payments/new-intent.ts';
import { wrongDates } from './plan-dates.ts';
import { wrongTerms } from './plan-terms.ts';
import { changedBy, type LockedPlan, withSlots } from './store.ts';

/** A payment that one statement has opened. */
interface Opened extends OpenedPayment {
  /** The plan with the slot of the payment. */
  after: LockedPlan;
  /** The version of the rows of plan and intent. As long as it lasts, nothing has happened to them. */
  version: string;
}

/**
 * Collects the next payment of a plan, if it is due at `at` and simple. Returns false if it is not, or if something
 * changes meanwhile: then nothing has changed here, and `collectDuePayment` decides.
 * @throws as `collectDuePayment`.
 */
export async function collectOptimistically(
  sql: Pool,
  charging: Charging,
  planId: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<boolean> {
  const found = await selectSimplePlan(sql, planId);
  if (found === null || !isSimple(found) || isAheadOfClock(found, time)) return false;
  const { plan, databaseTime } = found;
  const { next_due_at: dueAt, test_clock_id: clockId, frozen_time: clockTime } = plan;
  if (dueAt === null || wrongDates(plan, [], time.at).length > 0 || wrongTerms(plan).length > 0) return false;
  const workflowTime = { ...time, at: laterInstant(time.at, clockTime ?? time.at) };
  const at = instantOf({ id: planId, isOnClock: clockId !== null, dueAt }, workflowTime, databaseTime);
  if (at === null) return true;
  processorFor(charging.processors, plan.livemode);
  const opened = await open(sql, found, at, now);
  if (opened === null) return false;
  const charge = chargeOf(opened.intent, found.method, opened.attempt);
  await askAndRecord(sql, charging.processors, charge, 'collection', async (outcome) => {
    if (await recordPaid(sql, opened, outcome, now)) return;
    await recordOutcome(sql, charge, { outcome, requestId: null, now }, charging.hook);
  });
  return true;
}

/** A bank account may have a mandate, and so be debited later. */
function isSimple({ method: { detached_at: detachedAt, instrument } }: SimplePlan): boolean {
  return detachedAt === null && instrument.type !== 'au_becs_debit';
}

/** Whether the workflow is ahead of its clock, because the database was restored from a back-up. */
function isAheadOfClock({ clockLimit }: SimplePlan, { at }: WorkflowTime): boolean {
  return clockLimit !== null && at > clockLimit;
}

async function open(sql: Pool, found: SimplePlan, at: CustomerInstant, now: RealInstant): Promise<Opened | null> {
  const { plan, method, hasOpenedPayment } = found;
  const locked = withSlots(plan, []);
  const change = openNext(locked, plan.collected_amount_cents === 0 && !hasOpenedPayment);
  if ((change.skips ?? []).length > 0) return null;
  const purpose = { payment_plan_id: plan.id, payment_plan_slot: change.opens.slot };
  const created = recurringIntent(plan, purpose, change.opens.amount, method, at);
  const { after, changed } = changedBy(locked, change, at, { intentId: created.id });
  if (changed === null) return null;
  const how = { source: 'plan', at, now, dueAt: awaitedAt(plan), testClockId: plan.test_clock_id } as const;
  const attempt = nextAttempt(created, method.id, how);
  const intent: PaymentIntentRow = { ...created, status: 'processing', attempt_count: attempt.number };
  const opened = { intent, attempt, slot: change.opens, plan: changed };
  const version = await unlessLocked(openPaymentWhere(sql, found, opened));
  if (version === null) return null;
  emitOpened(intent, how);
  return { ...opened, after, version };
}

/** Records in one statement that the payment was made. Returns false, and has changed nothing, if that is not all. */
async function recordPaid(
  sql: Pool,
  { intent, attempt, after: locked, version }: Opened,
  outcome: ChargeOutcome,
  now: RealInstant,
): Promise<boolean> {
  const [slot] = locked.slots;
  if (outcome.kind !== 'succeeded' || slot === undefined) return false;
  const { at } = attempt;
  const { id: planId, test_clock_id: testClockId } = locked.plan;
  const { completion, updated } = completed(intent, attempt, outcome, { at, now });
  const { changed, events } = changedBy(locked, collected(locked, slot, intent.amount), at);
  if (changed === null) return false;
  const origin = { ...tenantOf(intent), requestId: null, now };
  const paid = outcomeEvent(updated, { testClockId, at }, attempt.number, null);
  const eventIds = await unlessLocked(
    recordEventsWhere(
      sql,
      origin,
      [paid, ...events],
      [
        sameVersion('payment_plans', { id: planId, version }, 'no key update skip locked'),
        isStillOpen({ id: intent.id, version }, attempt.id),
        // It comes before all that is written: a slot that damage has changed stops the whole statement.
        slotPaid(planId, intent.id),
        planChange(planId, changed),
        attemptCompletion(attempt.id, 'processing', completion),
        intentOutcome(updated),
      ],
    ),
  );
  if (eventIds === null) return false;
  emitCompleted(updated, attempt, outcome, { testClockId, requestId: null, eventIds, openedAt: attempt.opened_at });
  return true;
}
