import { selectLastAttempt } from '../../db/payment-attempts.ts';
import { listOpenPeriods } from '../../db/subscription-periods.ts';
import { lockSubscription, selectClockOfSubscription } from '../../db/subscriptions.ts';
import { tenantOf } from '../../db/tenant.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { Period, SubscriptionWithPeriods } from '../../domain/subscriptions/course.ts';
import { respondTo } from '../../domain/subscriptions/requests.ts';
import type { SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import type { OperatorCommand } from '../../messages/operator-command.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type ChangeOrigin, type Changes, changesBetween, operator, recordAudit } from '../accounts/audit.ts';
import { CommandRefused, sameRetryMs } from '../command-refused.ts';
import { timeForWrite } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { transact } from '../events.ts';
import { withAllCreditCovered } from './covered-credit.ts';
import { type LockedSubscription, lockedSubscription, store } from './locked-subscription.ts';
import { retryOf, wrongSubscriptionDates } from './subscription-dates.ts';
import { subscriptionStatus } from './subscription-status.ts';

/**
 * Executes an operator command on a subscription and records it in the audit log. Returns a sentence about the result.
 * The subscription's workflow then does what has become due.
 * @throws CommandRefused if the command does nothing.
 */
export async function executeSubscriptionCommand(
  db: Db,
  id: string,
  command: OperatorCommand,
  now: RealInstant,
): Promise<string> {
  const origin = { by: operator(command.by), now };
  if (command.name === 'retryNow') return retryNow(db, id, origin);
  if (command.name !== 'recheck') {
    throw new CommandRefused('Nothing was done: a subscription has neither slots nor advances.');
  }
  const changes = await correctDates(db, id, now);
  const status = await subscriptionStatus(db, id);
  if (status.billerId === '') return 'Read again: it was deleted.';
  const { billerId, livemode } = status;
  const entry = { by: origin.by, at: now, tenant: { billerId, livemode }, subjectId: id, changes };
  await recordAudit(db, { ...entry, action: 'subscription.rechecked' });
  if (status.nextAt === null) return `Read again: ${status.state}; waits for ${status.story?.waitsFor}.`;
  return `Read again: ${status.state}; next is ${status.next}, at ${new Date(status.nextAt).toISOString()}.`;
}

/**
 * Sets the dates of the next steps to those that follow from the rows, if they are others, and withholds of the credit
 * what the payments do not hold. Charges nothing.
 */
async function correctDates(db: Db, id: string, now: RealInstant): Promise<Changes> {
  return transact(db, { requestId: null, now }, async (tx) => {
    const { locked: found, at } = await lockForCommand(tx, id, now);
    const locked = await withAllCreditCovered(tx, found, at);
    const { row, subscription } = locked;
    const creditOf = ({ credit_balance_cents }: typeof row) => ({ credit_balance_cents });
    const credit = changesBetween(creditOf(found.row), creditOf(row));
    if (wrongSubscriptionDates(row, subscription, [], at).length === 0) return credit;
    const { row: corrected } = await store(tx, locked, withRightRetries(subscription, at), at);
    const datesOf = ({ next_period_at, next_attempt_at, notice_at, resume_at }: typeof row) => ({
      next_period_at,
      next_attempt_at,
      notice_at,
      resume_at,
    });
    return { ...credit, ...changesBetween(datesOf(row), datesOf(corrected)) };
  }).catch((error: unknown) => {
    // Gone, or its clock is advancing: then its own loop looks at it.
    if (error instanceof InvalidState || error instanceof CommandRefused) return {};
    throw error;
  });
}

function withRightRetries({ owed, others }: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const dated = (period: Period) => ({ next_attempt_at: retryOf(period, at) });
  return {
    ...(owed === null ? {} : { owed: dated(owed) }),
    others: others.map((period) => ({ number: period.number, change: dated(period) })),
    happenings: [],
  };
}

/** Makes the next attempt of the unpaid period due now. It stays the next step of its series, only earlier. */
async function retryNow(db: Db, id: string, { by, now }: ChangeOrigin): Promise<string> {
  return transact(db, { requestId: null, now }, async (tx) => {
    const { locked, at } = await lockForCommand(tx, id, now);
    const { row, subscription } = locked;
    const { owed } = subscription;
    const change = respondTo({ name: 'retry_now' }, subscription, at);
    if ('refused' in change) throw new CommandRefused(`Nothing to retry: ${change.refused}`);
    const last = owed?.payment_intent_id ? await selectLastAttempt(tx, owed.payment_intent_id) : null;
    const agoMs = now.getTime() - (last?.settled_at ?? last?.opened_at ?? new Date(0)).getTime();
    if (agoMs < sameRetryMs) {
      const tried = `period ${owed?.number} was tried ${Math.round(agoMs / 1000)} s ago`;
      throw new CommandRefused(`Nothing was done: ${tried}. Send it again after a minute.`);
    }
    await store(tx, locked, change, at);
    const tenant = tenantOf(row);
    const dates = changesBetween({ next_attempt_at: owed?.next_attempt_at ?? null }, { next_attempt_at: at });
    const changes = Object.fromEntries(
      Object.entries(dates).map(([name, value]) => [`periods/${owed?.number}/${name}`, value]),
    );
    await recordAudit(tx, { action: 'subscription.retried_now', by, at: now, tenant, subjectId: id, changes });
    return `Period ${owed?.number} is being tried again, attempt ${(owed?.failures ?? 0) + 1}.`;
  }).catch((error: unknown) => {
    throw error instanceof InvalidState ? new CommandRefused(`Nothing was done: ${error.message}`) : error;
  });
}

async function lockForCommand(
  tx: Tx,
  id: string,
  now: RealInstant,
): Promise<{ locked: LockedSubscription; at: CustomerInstant }> {
  const clockId = await selectClockOfSubscription(tx, id);
  const at = clockId === undefined ? withoutClock(now) : await timeForWrite(tx, clockId, now);
  const [row, periods] = await pipelined(tx, [lockSubscription(tx, id), listOpenPeriods(tx, id)]);
  if (row === null) throw new CommandRefused('Nothing was done: the subscription was deleted.');
  return { locked: lockedSubscription(row, periods), at };
}
