import { type BankDebitRow, noteChallenge, selectFirstDebitOf } from '../../db/bank-debits.ts';
import { selectAttemptInFlight } from '../../db/payment-attempts.ts';
import { listOpenPeriods, updatePeriod } from '../../db/subscription-periods.ts';
import { lockSubscription } from '../../db/subscriptions.ts';
import { allOwed } from '../../domain/subscriptions/course.ts';
import { announceTrialEnd, type Change, type Means, passBoundary, resume } from '../../domain/subscriptions/steps.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import { instantOf, type WorkflowTime } from '../customer-time.ts';
import { lockDebit } from '../debits/debit-reports.ts';
import { type DebitStep, finishDebitStep, openDebitStep } from '../debits/debit-steps.ts';
import { type NewEvent, recordEvents } from '../events.ts';
import { processorFor } from '../payments/ask-processor.ts';
import { endChallenge } from '../payments/challenge-completion.ts';
import { type Charge, type Charging, reopenCharge } from '../payments/charge.ts';
import { chargeWay } from '../payments/charge-way.ts';
import { openUnattended, unlessRefused } from '../payments/debit-acceptance.ts';
import { chargeableMethod, finishCollection } from '../payments/recurring-intent.ts';
import { withoutCharges } from './end.ts';
import { endOpenChange } from './open-change.ts';
import { lockIntentOfPeriod, openPeriod, takeEffect } from './opening.ts';
import { type LockedSubscription, situationOf, store } from './situation.ts';
import { assertSubscriptionDates } from './subscription-dates.ts';
import { subscriptionHook } from './subscription-hook.ts';

/**
 * Does the next thing that is due for a subscription at `at` (the customer's time): a period begins and is charged, a
 * retry is made, a debit takes a step, a trial's end is announced, a grace or a pause ends, or the subscription itself.
 * As for a plan, each step is committed before the next, so a repetition after a crash continues, and no payment is
 * taken twice. The database's clock decides what is due in real time (see `instantOf`).
 * @param charging with the hook for payments of every kind: a debit's result may end its mandate, and so stop others.
 * @param now real time.
 * @throws ProcessorNotConfigured for a live subscription while no live processor is configured; WorkflowClockAhead if
 * something is due by the workflow's clock only; SubscriptionInconsistent if a date is not one that its calendar or
 * dunning gives. In all cases nothing has changed.
 */
export async function collectDueSubscription(
  sql: Db,
  charging: Charging,
  id: string,
  { now, ...time }: WorkflowTime & { now: Date },
): Promise<void> {
  const opened = await atomically(sql, (tx) => takeDueStep(tx, charging, id, time, now));
  if (opened === null) return;
  if ('ask' in opened) return finishDebitStep(sql, charging, opened, ownStep(now));
  await finishCollection(sql, charging, opened, now);
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
  now: Date,
): Promise<Charge | DebitStep | null> {
  // The statements after the lock see everything committed before it was granted.
  const [row, periods, databaseTime] = await pipelined(tx, [
    lockSubscription(tx, id),
    listOpenPeriods(tx, id),
    databaseNow(tx),
  ]);
  if (row === null) return null;
  const locked = situationOf(row, periods);
  const interrupted = await findInterrupted(tx, locked);
  if (interrupted !== null) return interrupted;
  const isOnClock = row.test_clock_id !== null;
  assertSubscriptionDates(locked, isOnClock || time.at > databaseTime ? time.at : databaseTime);
  const due = firstDue(row);
  const at = due && instantOf({ id, isOnClock, dueAt: due.at }, time, databaseTime);
  if (due === null || at === null) return null;
  const step = { tx, charging, locked, at, now, dueAt: due.at, before: [] };
  switch (due.kind) {
    case 'debit':
      return takeStepUnderWay(step);
    case 'notice':
      return save(step, announceTrialEnd());
    case 'grace':
      return save(step, { happenings: [] });
    case 'retry':
      return openRetry(step);
    case 'resume':
      return save(step, resume(locked.situation, at));
    case 'period':
      return passEnd(step);
  }
}

interface Step {
  tx: Tx;
  charging: Charging;
  locked: LockedSubscription;
  /** Customer time. */
  at: Date;
  /** Real time. */
  now: Date;
  /** When the step was due, in customer time. */
  dueAt: Date;
  /** Events of what has happened before it, in the same transaction. */
  before: NewEvent[];
}

type DueKind = 'debit' | 'notice' | 'grace' | 'retry' | 'resume' | 'period';

/**
 * What is due first. At the same instant the bank speaks first, and a retry comes before the period that its payment
 * may lead to.
 */
function firstDue(row: LockedSubscription['row']): { kind: DueKind; at: Date } | null {
  const dates: [DueKind, Date | null][] = [
    ['debit', row.next_debit_at],
    ['notice', row.notice_at],
    ['grace', row.grace_ends_at],
    ['retry', row.next_attempt_at],
    ['resume', row.resume_at],
    ['period', row.next_period_at],
  ];
  const known = dates.flatMap(([kind, at]) => (at === null ? [] : [{ kind, at }]));
  return known.toSorted((a, b) => Number(a.at) - Number(b.at))[0] ?? null;
}

async function findInterrupted(tx: Tx, { row, situation }: LockedSubscription): Promise<Charge | null> {
  for (const period of allOwed(situation)) {
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
  for (const period of allOwed(locked.situation)) {
    const { payment_intent_id: intentId, challenge_ends_at: endsAt } = period;
    if (period.status !== 'processing' || intentId === null || endsAt === null || endsAt > dueAt) continue;
    const payment = { paymentIntentId: intentId, paymentPlanId: null };
    if (await endChallenge(tx, step.charging.hook, payment, { at, now })) return null;
    // A former version has recorded how it ended.
    await updatePeriod(tx, locked.row.id, period.number, { challenge_ends_at: null });
  }
  await noteChallenge(tx, { subscriptionId: locked.row.id });
  return null;
}

async function openDebit({ tx, charging, at, now }: Step, debit: BankDebitRow): Promise<DebitStep | null> {
  const locked = await lockDebit(tx, debit.attempt_id, charging.hook);
  return locked && openDebitStep(tx, charging, locked, at, ownStep(now));
}

function ownStep(now: Date) {
  return { now, isOwnStep: true, requestId: null };
}

/**
 * A period ends. A change that waits for its challenge ends with it: its price was for the days that were left. Money
 * that is on its way for a change becomes credit.
 */
async function passEnd(step: Step): Promise<Charge | null> {
  const { tx, at, now } = step;
  const ended = await endOpenChange(tx, step.locked, { at, now, debitsToo: false });
  const locked = ended?.free ?? step.locked;
  const hasMethod = (await chargeableMethod(tx, locked.row)) !== null;
  const change = passBoundary(locked.situation, at, { hasMethod });
  const before = ended?.events ?? [];
  if (change.happenings.includes('canceled')) return end(step, locked, before, { hasMethod });
  const next = { ...step, locked, before };
  return change.begins === undefined ? save(next, change) : begin(next, change);
}

/** The subscription ends. What could still be charged of it is stopped. */
async function end(step: Step, locked: LockedSubscription, before: NewEvent[], means: Means): Promise<null> {
  const { tx, at, now } = step;
  const stopped = await withoutCharges(tx, locked, { at, now });
  const change = passBoundary(stopped.free.situation, at, means);
  return save({ ...step, locked: stopped.free, before: [...before, ...stopped.events] }, change);
}

async function save({ tx, locked, at, now, before }: Step, change: Change): Promise<null> {
  const { events } = await store(tx, locked, change, at);
  await recordEvents(tx, originOf(locked, now), [...before, ...events]);
  return null;
}

async function begin(step: Step, change: Change): Promise<Charge | null> {
  const { tx, charging, locked, at, now } = step;
  if (change.begins?.kind === 'paid') processorFor(charging.processors, locked.row.livemode);
  const opened = await openPeriod(tx, locked, change, at);
  const { payment } = opened;
  const charged = payment && (await openCharges(step, payment.intent, payment.method));
  const isDebitAccepted = charged !== null && charged.charge === null;
  const { events } = isDebitAccepted ? await takeEffect(tx, opened, at) : opened;
  await recordEvents(tx, originOf(locked, now), [...step.before, ...events]);
  return charged && unlessRefused(tx, charged.charge, charged.way, now, subscriptionHook);
}

async function openRetry(step: Step): Promise<Charge | null> {
  const { tx, charging, locked, at, now } = step;
  processorFor(charging.processors, locked.row.livemode);
  const intent = await lockIntentOfPeriod(tx, locked.row, locked.situation.owed);
  const method = await chargeableMethod(tx, locked.row);
  const underWay = { owed: { status: 'processing', next_attempt_at: null }, happenings: [] } as const;
  const { events } = await store(tx, locked, { ...underWay, happenings: [] }, at);
  const { charge, way } = await openCharges(step, intent, method);
  await recordEvents(tx, originOf(locked, now), events);
  return unlessRefused(tx, charge, way, now, subscriptionHook);
}

async function openCharges(
  { tx, locked, at, now, dueAt }: Step,
  intent: Parameters<typeof openUnattended>[1],
  method: Parameters<typeof openUnattended>[2],
) {
  const way = await chargeWay(tx, intent, method, at);
  const newCharge = { source: 'subscription' as const, at, now, dueAt, testClockId: locked.row.test_clock_id };
  return { way, charge: await openUnattended(tx, intent, method, way, newCharge) };
}

/** Returns the origin of the events of a step that the subscription makes itself. `now` is real time. */
export function originOf({ row }: LockedSubscription, now: Date) {
  return { billerId: row.biller_id, livemode: row.livemode, requestId: null, now };
}
