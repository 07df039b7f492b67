import { noteChallenge, selectFirstDebitOf } from '../../db/bank-debits.ts';
import { updatePeriod } from '../../db/subscription-periods.ts';
import { dateIn, laterInstant } from '../../domain/calendar.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import { firstChallenge } from '../../domain/recurring/recurring-payment.ts';
import { announceTrialEnd, giveUp, isOver, lapse, resume } from '../../domain/subscriptions/steps.ts';
import { openPeriods } from '../../domain/subscriptions/subscription.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import type { DebitStep } from '../debits/debit-steps.ts';
import { endChallengeOf, findInterrupted, finishStep, openDebit } from '../debits/recurring-steps.ts';
import { transact } from '../events.ts';
import type { Charging } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { type LockedSubscription, lockWithPeriods, store } from './locked-subscription.ts';
import { giveUpUnpaid } from './stopped-payments.ts';
import { assertSubscriptionDates } from './subscription-dates.ts';
import { storeUnpaid } from './subscription-hook.ts';
import { endCurrentPeriod, openRetry, type Step, save } from './subscription-steps.ts';

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
  await finishStep(sql, charging, opened, now);
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
  const [locked, databaseTime] = await pipelined(tx, [lockWithPeriods(tx, id), databaseNow(tx)]);
  if (locked === null) return null;
  const { row } = locked;
  const interrupted = await findInterrupted(tx, openPeriods(locked.subscription), id);
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
      return save(step, { events: [] });
    case 'retry':
      return openRetry(step);
    case 'lapse':
      return takeLapse(step);
    case 'resume': {
      // A pause may end on the day on which the subscription does, or a worker may come late: then it ends.
      const how = { anchorDay: row.resume_anchor_day, unpaid: 'collect' } as const;
      return isOver(row, dateIn(at, row.time_zone))
        ? endCurrentPeriod(step)
        : save(step, resume(locked.subscription, at, how));
    }
    case 'period':
      return endCurrentPeriod(step);
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

/** A payment that is under way takes its next step: the bank's comes before the end of a payer's challenge. */
async function takeStepUnderWay({ tx, charging, locked, at, now, dueAt }: Step): Promise<DebitStep | null> {
  const { id } = locked.row;
  const debit = await selectFirstDebitOf(tx, { subscriptionId: id });
  if (debit !== null && Number(debit.next_at) <= Number(dueAt)) return openDebit(tx, charging, debit, at, now);
  const period = firstChallenge(locked.subscription.periods);
  if (period !== null && Number(period.challenge_ends_at) <= Number(dueAt)) {
    if (await endChallengeOf(tx, charging, period, { at, now })) return null;
    await updatePeriod(tx, id, period.number, { challenge_ends_at: null });
  }
  await noteChallenge(tx, { subscriptionId: id });
  return null;
}
