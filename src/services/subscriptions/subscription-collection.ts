import { type BankDebitRow, noteChallenge, selectFirstDebitOf } from '../../db/bank-debits.ts';
import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { listOpenPeriods, updatePeriod } from '../../db/subscription-periods.ts';
import { lockSubscription } from '../../db/subscriptions.ts';
import { dateIn, laterInstant } from '../../domain/calendar.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { allOwed } from '../../domain/subscriptions/course.ts';
import { announceTrialEnd, giveUp, isOver, lapse, resume } from '../../domain/subscriptions/steps.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { lockDebit } from '../debits/debit-reports.ts';
import { type DebitStep, finishDebitStep, openDebitStep } from '../debits/debit-steps.ts';
import { transact } from '../events.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { type Charging, reopenCharge } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeAndRecord } from '../payments/recurring-charge.ts';
import { type LockedSubscription, lockedSubscription, store } from './locked-subscription.ts';
import { assertSubscriptionDates } from './subscription-dates.ts';
import { storeUnpaid } from './subscription-hook.ts';
import { openRetry, passEnd, type Step, save } from './subscription-steps.ts';
import { giveUpUnpaid, lockIntentOfPeriod } from './unpaid-payments.ts';

/**
 * Does the next thing that is due for a subscription at `at`: a period begins and is charged, a retry is made, a debit
 * takes a step, a trial's end is announced, a grace or a pause ends, or the subscription itself. As for a plan, each
 * step is committed before the next, so a repetition after a crash continues, and no payment is taken twice. The
 * database's clock decides what is due in real time (see `instantOf`).
 * @param charging with the hook for payments of every kind: a debit's result may end its mandate, and so stop others.
 * @throws ProcessorNotConfigured for a live subscription while no live processor is configured; WorkflowClockAhead if
 * something is due by the workflow's clock only; SubscriptionInconsistent if a date is not one that its calendar or
 * dunning gives. In all cases nothing has changed.
 */
export async function collectDueSubscription(
  sql: Db,
  charging: Charging,
  id: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<void> {
  const opened = await transact(sql, { requestId: null, now }, (tx) => takeDueStep(tx, charging, id, time, now));
  if (opened === null) return;
  if ('ask' in opened) return finishDebitStep(sql, charging, opened, ownStep(now));
  await chargeAndRecord(sql, charging, opened, now);
}

/**
 * An attempt that a dead worker left open comes first, in any state: the processor may have taken the money. Then comes
 * what has been due longest. At the same instant, that is the step of a debit, which is taken in any state.
 */
async function takeDueStep(
  tx: Tx,
  charging: Charging,
  id: string,
  time: WorkflowTime,
  now: RealInstant,
): Promise<Charge | DebitStep | null> {
  // The statements after the lock see everything committed before it was granted.
  const [row, periods, databaseTime] = await pipelined(tx, [
    lockSubscription(tx, id),
    listOpenPeriods(tx, id),
    databaseNow(tx),
  ]);
  if (row === null) return null;
  const locked = lockedSubscription(row, periods);
  const interrupted = await findInterrupted(tx, locked);
  if (interrupted !== null) return interrupted;
  const isOnClock = row.test_clock_id !== null;
  assertSubscriptionDates(locked, isOnClock ? time.at : laterInstant(time.at, withoutClock(databaseTime)));
  const due = firstDue(row);
  const at = due && instantOf({ id, isOnClock, dueAt: due.at }, time, databaseTime);
  if (due === null || at === null) return null;
  const step = { tx, charging, locked, at, now, dueAt: due.at };
  switch (due.kind) {
    case 'debit':
      return takeStepUnderWay(step);
    case 'notice':
      return save(step, announceTrialEnd());
    case 'grace':
      return save(step, { happenings: [] });
    case 'retry':
      return openRetry(step);
    case 'lapse':
      return takeLapse(step);
    case 'resume': {
      // A pause may end on the day on which the subscription does, or a worker may come late: then it ends.
      const how = { anchorDay: row.resume_anchor_day, unpaid: 'collect' } as const;
      return isOver(row, dateIn(at, row.time_zone)) ? passEnd(step) : save(step, resume(locked.subscription, at, how));
    }
    case 'period':
      return passEnd(step);
  }
}

type DueKind = 'debit' | 'notice' | 'grace' | 'retry' | 'lapse' | 'resume' | 'period';

/**
 * What is due first. At the same instant the bank speaks first, and a retry comes before the period that its payment
 * may lead to.
 */
function firstDue(row: LockedSubscription['row']): { kind: DueKind; at: CustomerInstant } | null {
  const dates: [DueKind, CustomerInstant | null][] = [
    ['debit', row.next_debit_at],
    ['notice', row.notice_at],
    ['grace', row.grace_ends_at],
    ['retry', row.next_attempt_at],
    ['lapse', row.lapses_at],
    ['resume', row.resume_at],
    ['period', row.next_period_at],
  ];
  const known = dates.flatMap(([kind, at]) => (at === null ? [] : [{ kind, at }]));
  return known.toSorted((a, b) => Number(a.at) - Number(b.at))[0] ?? null;
}

/** Dunning gives up after a final decline; or unpaid periods of a paused subscription are over, with their payments. */
async function takeLapse({ tx, locked, at, now, dueAt }: Step): Promise<null> {
  const { row, subscription } = locked;
  if (row.state === 'past_due') {
    await storeUnpaid(tx, locked, giveUp(subscription, dueAt), { at, now });
    return null;
  }
  await giveUpUnpaid(tx, locked, { at, now });
  await store(tx, locked, lapse(subscription, at), at);
  return null;
}

async function findInterrupted(tx: Tx, { row, subscription }: LockedSubscription): Promise<Charge | null> {
  for (const period of allOwed(subscription)) {
    if (period.status !== 'processing' || period.payment_intent_id === null) continue;
    const attempt = await selectAttemptInFlight(tx, period.payment_intent_id);
    if (attempt?.source !== 'subscription' || attempt.outcome !== 'processing') continue;
    return reopenCharge(tx, await lockIntentOfPeriod(tx, row, period), attempt);
  }
  return null;
}

/** A payment that is under way takes its next step: the bank's comes before the end of a payer's challenge. */
async function takeStepUnderWay(step: Step): Promise<DebitStep | null> {
  const { tx, locked, at, now, dueAt } = step;
  const debit = await selectFirstDebitOf(tx, { subscriptionId: locked.row.id });
  if (debit !== null && Number(debit.next_at) <= Number(dueAt)) return openDebit(step, debit);
  for (const period of allOwed(locked.subscription)) {
    const { payment_intent_id: intentId, challenge_ends_at: endsAt } = period;
    if (period.status !== 'processing' || intentId === null || endsAt === null || endsAt > dueAt) continue;
    const payment = { paymentIntentId: intentId, paymentPlanId: null };
    if (await endChallenge(tx, step.charging.hook, payment, { at, now })) return null;
    // Only a row that was changed by hand: without this, the workflow would wake for it again and again.
    await updatePeriod(tx, locked.row.id, period.number, { challenge_ends_at: null });
  }
  await noteChallenge(tx, { subscriptionId: locked.row.id });
  return null;
}

async function openDebit({ tx, charging, at, now }: Step, debit: BankDebitRow): Promise<DebitStep | null> {
  const locked = await lockDebit(tx, debit.attempt_id, charging.hook);
  return locked && openDebitStep(tx, charging, locked, at, ownStep(now));
}

function ownStep(now: RealInstant) {
  return { now, isOwnStep: true, requestId: null };
}
