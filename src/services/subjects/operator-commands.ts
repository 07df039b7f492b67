import { insertAdvance, lockClock, selectOpenAdvance, type TestClockRow } from '../../db/test-clocks.ts';
import { namedId, newId } from '../../domain/ids.ts';
import type { OperatorCommand } from '../../messages/operator-command.ts';
import { type SubjectKind, subjectKinds } from '../../messages/subject-kinds.ts';
import type { SubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type AuditAction, type ChangeOrigin, type Changes, operator, recordAudit } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { scheduledPaymentStatus } from '../payments/scheduled-payments.ts';
import { retryPlanNow } from '../plans/plan-operations.ts';
import { skipPlanSlot } from '../plans/plan-slot-skipping.ts';
import { planStatus } from '../plans/plan-status.ts';
import { correctSubscriptionDates, retrySubscriptionNow } from '../subscriptions/operator-commands.ts';
import { subscriptionStatus } from '../subscriptions/subscription-status.ts';

/**
 * Executes an operator command on a plan and records it in the audit log. Returns a sentence about the result. The
 * plan's workflow then does what has become due.
 * @throws CommandRefused if the command does nothing.
 */
export async function executePlanCommand(
  db: Db,
  planId: string,
  command: OperatorCommand,
  now: RealInstant,
): Promise<string> {
  const origin = { by: operator(command.by), now };
  switch (command.name) {
    case 'recheck':
      return recheck(db, 'payment_plan.rechecked', planId, await planStatus(db, planId), origin);
    case 'retryNow':
      return retryPlanNow(db, planId, origin);
    case 'skipSlot':
      return skipPlanSlot(db, planId, command.slot, origin);
    case 'retryAdvance':
      throw new CommandRefused('Nothing was done: a plan has no advance. Use the command on its test clock.');
  }
}

/**
 * Executes an operator command on a subscription, like `executePlanCommand`. A recheck also corrects its dates and its
 * credit.
 */
export async function executeSubscriptionCommand(
  db: Db,
  id: string,
  command: OperatorCommand,
  now: RealInstant,
): Promise<string> {
  const origin = { by: operator(command.by), now };
  if (command.name === 'retryNow') return retrySubscriptionNow(db, id, origin);
  if (command.name !== 'recheck') {
    throw new CommandRefused('Nothing was done: a subscription has neither slots nor advances.');
  }
  const changes = await correctSubscriptionDates(db, id, now);
  return recheck(db, 'subscription.rechecked', id, await subscriptionStatus(db, id), origin, changes);
}

/**
 * Executes an operator command on a scheduled payment, like `executePlanCommand`. The payment is never made before its
 * date.
 */
export async function executeScheduledPaymentCommand(
  db: Db,
  intentId: string,
  command: OperatorCommand,
  now: RealInstant,
): Promise<string> {
  const origin = { by: operator(command.by), now };
  const status = await scheduledPaymentStatus(db, intentId);
  if (command.name === 'recheck') return recheck(db, 'payment_intent.rechecked', intentId, status, origin);
  if (command.name !== 'retryNow') {
    throw new CommandRefused('Nothing was done: a scheduled payment has neither slots nor advances.');
  }
  if (status.nextAt === null) {
    throw new CommandRefused('Nothing to retry: the payment was made, confirmed or canceled.');
  }
  if (status.nextAt > (status.clockTime ?? now.getTime())) {
    const dueAt = new Date(status.nextAt).toISOString();
    throw new CommandRefused(`Nothing to retry: the payment is due at ${dueAt}, and not made before.`);
  }
  await recordCommand(db, 'payment_intent.retried_now', intentId, status, origin);
  return 'The payment is tried again now.';
}

/**
 * Returns how operator commands are executed on a kind of subject that takes no step before its time: a debit's steps
 * are those of the bank, and a link never expires early. `what` is its name in a sentence.
 */
export function recheckOnly(kind: SubjectKind, what: string, read: (db: Db, id: string) => Promise<SubjectStatus>) {
  return async (db: Db, id: string, command: OperatorCommand, now: RealInstant): Promise<string> => {
    if (command.name !== 'recheck') throw new CommandRefused(`Nothing was done: ${what} can only be rechecked.`);
    const action = `${subjectKinds[kind].audited}.rechecked` as const;
    return recheck(db, action, id, await read(db, id), { by: operator(command.by), now });
  };
}

/**
 * Executes an operator command on a test clock, like `executePlanCommand`. A failed clock cannot be advanced again, not
 * even by an operator.
 */
export async function executeClockCommand(
  db: Db,
  clockId: string,
  command: OperatorCommand,
  now: RealInstant,
): Promise<string> {
  return atomically(db, async (tx) => {
    const clock = await lockClock(tx, clockId);
    if (clock === null) throw new CommandRefused('Nothing was done: the clock was deleted.');
    const by = operator(command.by);
    const entry = {
      by,
      at: now,
      tenant: { billerId: clock.biller_id, livemode: false },
      subjectId: clockId,
      changes: {},
    };
    const time = clock.frozen_time.toISOString();
    if (command.name === 'recheck') {
      await recordAudit(tx, { ...entry, action: 'test_clock.rechecked' });
      return `Read again: the clock is ${clock.status} at ${time}.`;
    }
    if (command.name !== 'retryAdvance') {
      throw new CommandRefused('Nothing was done: a clock collects nothing itself; its plans do.');
    }
    if (clock.status === 'failed') {
      throw new CommandRefused(
        `Nothing to advance: the clock has failed at ${time} and cannot be advanced again (${clock.failure_reason}). What was ` +
          'committed stays. Its biller can delete it and make another one.',
      );
    }
    const advance = await selectOpenAdvance(tx, clockId);
    if (advance === null && clock.status === 'advancing') return resumeLostAdvance(tx, clock, entry);
    if (advance === null) throw new CommandRefused(`Nothing to advance: the clock is ${clock.status} at ${time}.`);
    await recordAudit(tx, { ...entry, action: 'test_clock.advance_retried' });
    return `The advance from ${time} to ${advance.target_time.toISOString()} is resumed: finished work is not repeated.`;
  });
}

/** A clock that is advancing without the row of its advance, which someone has deleted, gets that row again. */
async function resumeLostAdvance(
  tx: Tx,
  clock: TestClockRow,
  entry: Omit<Parameters<typeof recordAudit>[1], 'action'>,
): Promise<string> {
  const { id, frozen_time: from, target_time: target } = clock;
  if (target === null) throw new CommandRefused('Nothing was done: the clock has no target. Its biller deletes it.');
  const advance = { id: newId('clock_advance'), test_clock_id: id, from_time: from, target_time: target };
  await insertAdvance(tx, { ...advance, request_id: newId('request'), requested_at: entry.at });
  await recordAudit(tx, { ...entry, action: 'test_clock.advance_retried' });
  return `The row of its advance was lost. The advance from ${from.toISOString()} to ${target.toISOString()} is resumed: finished work is not repeated.`;
}

async function recheck(
  db: Db,
  action: AuditAction,
  id: string,
  status: SubjectStatus,
  origin: ChangeOrigin,
  changes: Changes = {},
): Promise<string> {
  if (status.billerId === '') return 'Read again: it was deleted.';
  await recordCommand(db, action, id, status, origin, changes);
  if (status.nextAt === null) return `Read again: ${status.state}; waits for ${status.story?.waitsFor}.`;
  const charge = status.failedAttempts === 0 ? undefined : status.story?.unpaid?.nextCharge;
  const steps = [status.next, ...(charge === undefined ? [] : [`a charge of ${charge}`])];
  return `Read again: ${status.state}; next is ${steps.join(': ')}, at ${new Date(status.nextAt).toISOString()}.`;
}

async function recordCommand(
  db: Db,
  action: AuditAction,
  subjectId: string,
  { billerId, livemode }: SubjectStatus,
  { by, now }: ChangeOrigin,
  changes: Changes = {},
): Promise<void> {
  const tenant = { billerId: namedId('biller', billerId), livemode };
  await recordAudit(db, { action, by, at: now, tenant, subjectId, changes });
}
