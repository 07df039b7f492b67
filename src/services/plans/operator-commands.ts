import { lockClock, selectOpenAdvance } from '../../db/test-clocks.ts';
import type { OperatorCommand } from '../../messages/operator-command.ts';
import type { SubjectStatus } from '../../messages/subject-status.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type AuditAction, operator, recordAudit } from '../accounts/audit.ts';
import { type Press, retryPlanNow } from './plan-operations.ts';
import { skipPlanSlot } from './plan-slot-skipping.ts';
import { planStatus, scheduledPaymentStatus } from './subject-status.ts';

/**
 * Executes an operator command on a plan and records it in the audit log. Returns a sentence about the result. The
 * plan's workflow then does what has become due.
 * @param now real time.
 */
export async function pressPlan(db: Db, planId: string, deed: OperatorCommand, now: Date): Promise<string> {
  const press = { by: operator(deed.by), now };
  switch (deed.name) {
    case 'recheck':
      return recheck(db, 'payment_plan.rechecked', planId, await planStatus(db, planId), press);
    case 'retryNow':
      return retryPlanNow(db, planId, press);
    case 'skipSlot':
      return skipPlanSlot(db, planId, deed.slot, press);
    case 'retryAdvance':
      return 'Nothing is done: a plan has no advance; its clock has.';
  }
}

/** Executes an operator command on a scheduled payment, like `pressPlan`. The payment is never made before its date. */
export async function pressScheduledPayment(
  db: Db,
  intentId: string,
  deed: OperatorCommand,
  now: Date,
): Promise<string> {
  const press = { by: operator(deed.by), now };
  const standing = await scheduledPaymentStatus(db, intentId);
  if (deed.name === 'recheck') return recheck(db, 'payment_intent.rechecked', intentId, standing, press);
  if (deed.name !== 'retryNow') return 'Nothing is done: a scheduled payment has neither slots nor advances.';
  if (standing.nextAt === null) return 'Nothing to retry: the payment was made, confirmed or canceled.';
  if (standing.nextAt > (standing.clockTime ?? now.getTime())) {
    return `Nothing to retry: the payment is due at ${new Date(standing.nextAt).toISOString()}, and not made before.`;
  }
  await noteLook(db, 'payment_intent.retried_now', intentId, standing, press);
  return 'The payment is tried again now.';
}

/**
 * Executes an operator command on a test clock, like `pressPlan`. A failed clock cannot be advanced again, not even by
 * an operator.
 */
export async function pressClock(db: Db, clockId: string, deed: OperatorCommand, now: Date): Promise<string> {
  return atomically(db, async (tx) => {
    const clock = await lockClock(tx, clockId);
    if (clock === null) return 'Nothing is done: the clock was deleted.';
    const by = operator(deed.by);
    const entry = {
      by,
      at: now,
      tenant: { billerId: clock.biller_id, livemode: false },
      subjectId: clockId,
      changes: {},
    };
    const time = clock.frozen_time.toISOString();
    if (deed.name === 'recheck') {
      await recordAudit(tx, { ...entry, action: 'test_clock.rechecked' });
      return `Looked afresh: the clock is ${clock.status} at ${time}.`;
    }
    if (deed.name !== 'retryAdvance') return 'Nothing is done: a clock collects nothing itself; its plans do.';
    if (clock.status === 'failed') {
      return (
        `Nothing to advance: the clock has failed at ${time} and cannot be advanced again (${clock.failure_reason}). What was ` +
        'committed stays. Its biller can delete it and make another one.'
      );
    }
    const advance = await selectOpenAdvance(tx, clockId);
    if (advance === null) return `Nothing to advance: the clock is ${clock.status} at ${time}.`;
    await recordAudit(tx, { ...entry, action: 'test_clock.advance_retried' });
    return `The advance from ${time} to ${advance.target_time.toISOString()} is taken up again: what is done is not done again.`;
  });
}

async function recheck(
  db: Db,
  action: AuditAction,
  id: string,
  standing: SubjectStatus,
  press: Press,
): Promise<string> {
  if (standing.billerId === '') return 'Looked afresh: it is gone.';
  await noteLook(db, action, id, standing, press);
  if (standing.nextAt === null) return `Looked afresh: ${standing.state}; waits for ${standing.story?.waitsFor}.`;
  return `Looked afresh: ${standing.state}; next is ${standing.next}, at ${new Date(standing.nextAt).toISOString()}.`;
}

async function noteLook(
  db: Db,
  action: AuditAction,
  subjectId: string,
  { billerId, livemode }: SubjectStatus,
  { by, now }: Press,
): Promise<void> {
  await recordAudit(db, { action, by, at: now, tenant: { billerId, livemode }, subjectId, changes: {} });
}
