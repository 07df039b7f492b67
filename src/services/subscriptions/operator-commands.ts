import { selectLastAttempt } from '../../db/payment-attempts.ts';
import { tenantOf } from '../../db/tenant.ts';
import { selectClockIdOf } from '../../db/test-clocks.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { respondTo } from '../../domain/subscriptions/requests.ts';
import type { SubscriptionStepChange } from '../../domain/subscriptions/steps.ts';
import { openPeriods, type Period, type SubscriptionWithPeriods } from '../../domain/subscriptions/subscription.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type ChangeOrigin, type Changes, changesBetween, recordAudit } from '../accounts/audit.ts';
import { assertNotJustTried, CommandRefused, refusedIfInvalid } from '../command-refused.ts';
import { timeForWrite } from '../customer-time.ts';
import { InvalidState } from '../errors.ts';
import { transact } from '../events.ts';
import {
  type LockedSubscription,
  lockWithPeriods,
  store,
  withAllCreditCovered,
  withToldCredit,
} from './locked-subscription.ts';
import { retryOf, wrongSubscriptionDates } from './subscription-dates.ts';

/**
 * Sets the dates of the next steps to those that follow from the rows, if they are others, and withholds of the credit
 * what the payments do not hold. An event tells what that changes. Charges nothing.
 */
export async function correctSubscriptionDates(db: Db, id: string, now: RealInstant): Promise<Changes> {
  return transact(db, { requestId: null, now }, async (tx) => {
    const { locked: found, at } = await lockForCommand(tx, id, now);
    const locked = await withAllCreditCovered(tx, found, at);
    const { row, subscription } = locked;
    const creditOf = ({ credit_balance_cents }: typeof row) => ({ credit_balance_cents });
    const credit = changesBetween(creditOf(found.row), creditOf(row));
    if (wrongSubscriptionDates(row, subscription, [], at).length === 0) {
      await withToldCredit(tx, locked, at);
      return credit;
    }
    const { row: corrected } = await store(tx, locked, withRightRetries(subscription, at), at);
    const datesOf = ({ next_period_at, next_attempt_at, notice_at, resume_at, lapses_at }: typeof row) => ({
      next_period_at,
      next_attempt_at,
      notice_at,
      resume_at,
      lapses_at,
    });
    return { ...credit, ...changesBetween(datesOf(row), datesOf(corrected)) };
  }).catch((error: unknown) => {
    // Gone, or its clock is advancing: then its own loop looks at it.
    if (error instanceof InvalidState || error instanceof CommandRefused) return {};
    throw error;
  });
}

function withRightRetries(subscription: SubscriptionWithPeriods, at: CustomerInstant): SubscriptionStepChange {
  const dated = (period: Period) => ({ next_attempt_at: retryOf(period, subscription.timeZone, at) });
  const periods = openPeriods(subscription).map((period) => ({ number: period.number, change: dated(period) }));
  return { periods, events: [] };
}

/**
 * Makes the next attempt of the unpaid period due now. It stays the next step of its series, only earlier. Within a
 * minute of an attempt, the command does not cause another one. Returns what was done, as a sentence.
 * @throws CommandRefused
 */
export async function retrySubscriptionNow(db: Db, id: string, { by, now }: ChangeOrigin): Promise<string> {
  const executed = transact(db, { requestId: null, now }, async (tx) => {
    const { locked, at } = await lockForCommand(tx, id, now);
    const { row, subscription } = locked;
    const [open] = openPeriods(subscription);
    const change = respondTo({ name: 'retry_now' }, subscription, at);
    if ('refused' in change) throw new CommandRefused(`Nothing to retry: ${change.refused}`);
    const last = open?.payment_intent_id ? await selectLastAttempt(tx, open.payment_intent_id) : null;
    assertNotJustTried(last, `period ${open?.number}`, now);
    await store(tx, locked, change, at);
    const tenant = tenantOf(row);
    const dates = changesBetween({ next_attempt_at: open?.next_attempt_at ?? null }, { next_attempt_at: at });
    const changes = Object.fromEntries(
      Object.entries(dates).map(([name, value]) => [`periods/${open?.number}/${name}`, value]),
    );
    await recordAudit(tx, { action: 'subscription.retried_now', by, at: now, tenant, subjectId: id, changes });
    return `Period ${open?.number} is being tried again, attempt ${(open?.failures ?? 0) + 1}.`;
  });
  return refusedIfInvalid(executed);
}

async function lockForCommand(
  tx: Tx,
  id: string,
  now: RealInstant,
): Promise<{ locked: LockedSubscription; at: CustomerInstant }> {
  const clockId = await selectClockIdOf(tx, 'subscriptions', id);
  const at = clockId === undefined ? withoutClock(now) : await timeForWrite(tx, clockId, now);
  const locked = await lockWithPeriods(tx, id);
  if (locked === null) throw new CommandRefused('Nothing was done: the subscription was deleted.');
  return { locked, at };
}
