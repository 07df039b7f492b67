import { type DueSubject, dueOnClock } from '../../db/due-on-clock.ts';
import { countExpiredLinks } from '../../db/payment-links.ts';
import {
  type ClockAdvanceRow,
  countEffects,
  finishAdvance,
  lockClock,
  noteReached,
  selectClockById,
  updateClock,
} from '../../db/test-clocks.ts';
import { laterInstant } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import { mayRunAhead } from '../../messages/subject-kinds.ts';
import type { ClockSubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import { afterCommit } from '../../platform/postgres/transaction.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import type { EffectsManifest } from '../../resources/test-clock.ts';
import { pass } from '../crash-points.ts';
import { clockEvent, record, transact } from '../events.ts';
import { postEventsOfClock } from '../ledger/payouts.ts';
import { emit } from '../telemetry.ts';
import { type CollectingSubject, expireOnClock, isCollecting } from './expiry.ts';

/** How an advance is carried out. */
export interface AdvanceSteps {
  /** Runs a step in the database, with its retries. */
  step: <T>(work: () => Promise<T>) => Promise<T>;
  /** Moves a subject with a workflow. Returns the reason if it does not get there, and null if it does. */
  moveSubject: (subject: CollectingSubject, advance: ClockAdvanceRow, move: Move) => Promise<string | null>;
}

/** From one time of the clock to another. */
interface Move {
  from: CustomerInstant;
  to: CustomerInstant;
  /** This advance has moved the subject there before, and something is still due. */
  again: boolean;
}

/** How often the same step is tried before the advance fails. */
const tries = 3;

/**
 * Carries out an accepted advance. Its subjects move one after the other, in the order of their instants, so that one
 * advance tells the same story as many short ones: a bank's report about one payment can end a mandate, continue a plan
 * or complete a link. The clock becomes ready only when nothing up to the target is due; otherwise it fails.
 */
export async function executeAdvance(db: Pool, advance: ClockAdvanceRow, steps: AdvanceSteps): Promise<void> {
  pass('advance found');
  const failure = await moveAll(db, advance, steps);
  pass('advance moved all');
  // When the clock is ready, its books are complete: the rows of the last payouts too.
  await steps.step(() => postEventsOfClock(db, advance.test_clock_id));
  await steps.step(() =>
    failure === null ? completeAdvance(db, advance, realNow()) : failAdvance(db, advance, failure, realNow()),
  );
  pass('advance completed');
}

/**
 * Moves what is due first, until nothing is. What cannot be moved is left out, and the others still move. Returns the
 * first reason; null if all has moved.
 */
async function moveAll(db: Pool, advance: ClockAdvanceRow, steps: AdvanceSteps): Promise<string | null> {
  const failures = new Map<string, string>();
  const move = movesInTurn(db, advance, steps);
  const findDue = dueWithPayouts(db, advance, steps);
  let timesTried = 0;
  let lastStep = '';
  for (;;) {
    const failed = [...failures.keys()];
    const [first, next] = await findDue(failed);
    if (first === undefined) return [...failures.values()][0] ?? null;
    const step = `${first.id} ${first.at?.getTime()}`;
    timesTried = step === lastStep ? timesTried + 1 : 1;
    lastStep = step;
    const failure =
      timesTried > tries
        ? `${first.id} is due and was not collected`
        : isCollecting(first)
          ? await move(first, next)
          : await steps.step(() => expireOnClock(db, advance, failed, realNow()));
    if (failure !== null) failures.set(first.id, failure);
  }
}

/**
 * Returns a function that finds what is due first, and what is due after it. A payout is made of all that was posted
 * before its instant, and money that moves can be paid out on a later day at the earliest: so the ledger is posted once
 * for each instant at which something is due.
 */
function dueWithPayouts(
  db: Pool,
  { test_clock_id: clockId, target_time: target }: ClockAdvanceRow,
  steps: AdvanceSteps,
) {
  let postedBefore: CustomerInstant | null = null;
  return async (failed: readonly string[]): Promise<DueSubject[]> => {
    const find = () => steps.step(() => dueOnClock(db, clockId, target, { limit: 2, except: failed }));
    const due = await find();
    const at = due[0] === undefined ? target : due[0].at;
    if (at !== null && postedBefore !== null && at <= postedBefore) return due;
    await steps.step(() => postEventsOfClock(db, clockId));
    postedBefore = at ?? postedBefore;
    return find();
  };
}

/**
 * Returns a function that moves a subject which is due first; `next` is what is due after it. It returns the reason if
 * the subject does not get there. It knows what it has moved before, and how far the clock has come.
 */
function movesInTurn(db: Db, advance: ClockAdvanceRow, { step, moveSubject }: AdvanceSteps) {
  const { test_clock_id: clockId, from_time: start, target_time: target } = advance;
  const moves = new Map<string, Move>();
  let reached = start;
  return async (subject: CollectingSubject, next: DueSubject | undefined): Promise<string | null> => {
    // It became due at an instant that has passed: it acts at the time that the clock has reached.
    if (subject.at !== null && subject.at < reached) await step(() => noteReached(db, clockId, reached));
    reached = laterInstant(reached, subject.at ?? start);
    const last = moves.get(subject.id);
    const to = targetOf(subject, next, advance);
    const again = last?.to.getTime() === to.getTime();
    const move = { from: (again ? last?.from : last?.to) ?? start, to, again };
    moves.set(subject.id, move);
    const failure = await moveSubject(subject, advance, move);
    // Once an operator has freed it, it may go up to the target.
    if (failure !== null) await moveSubject(subject, advance, { from: move.from, to: target, again: true });
    return failure;
  };
}

/**
 * How far a subject moves: to its own instant. One that `mayRunAhead` moves until the next other subject is due. A plan
 * and a subscription may: nothing that they do on their own makes another one due earlier. A payment that is accepted
 * as a debit does.
 */
function targetOf(
  { kind, at }: CollectingSubject,
  next: DueSubject | undefined,
  { from_time: start, target_time: target }: ClockAdvanceRow,
): CustomerInstant {
  const own = laterInstant(at ?? start, start);
  if (!mayRunAhead(kind)) return own;
  if (next === undefined) return target;
  return laterInstant(own, customerInstant(Number(next.at) - 1));
}

/** Returns the status of a clock for its workflow. If the clock was deleted, its `expiresAt` is null. */
export async function clockStatus(db: Db, id: string): Promise<ClockSubjectStatus> {
  const clock = await selectClockById(db, id);
  return {
    id,
    billerId: clock?.biller_id ?? '',
    status: clock?.status ?? 'deleted',
    frozenTime: clock?.frozen_time.getTime() ?? 0,
    expiresAt: clock?.expires_at.getTime() ?? null,
    failureReason: clock?.failure_reason ?? null,
  };
}

/**
 * Completes an advance whose effects are all committed. The clock shows the target, and `test_clock.ready` reports what
 * was done. Does nothing if the advance is closed already, or its clock was deleted.
 */
export async function completeAdvance(db: Db, advance: ClockAdvanceRow, now: RealInstant): Promise<void> {
  await closeAdvance(db, advance, now, async (tx) => {
    const manifest = await countedManifest(tx, advance.test_clock_id, advance.from_time, advance.target_time);
    await finishAdvance(tx, advance.id, { manifest }, now);
    const clock = await updateClock(tx, advance.test_clock_id, {
      status: 'ready',
      frozen_time: advance.target_time,
      target_time: null,
      last_advanced_at: now,
    });
    record(tx, clockEvent('test_clock.ready', clock, { effects_manifest: manifest }));
    emitEnd(tx, advance, clock.biller_id, 'ready', now);
  });
}

/** Returns the counts of what was done after `from` up to `target`, in the clock's time. */
export async function countedManifest(
  tx: Tx,
  clockId: string,
  from: CustomerInstant,
  target: CustomerInstant,
): Promise<EffectsManifest> {
  const { intents, plans, subscriptions } = await countEffects(tx, clockId, from, target);
  const links = await countExpiredLinks(tx, clockId, from, target);
  return {
    payment_intents_enqueued: intents,
    links_expired: links,
    subscriptions_rolled: subscriptions,
    plans_recalculated: plans,
  };
}

/**
 * Closes an advance that could not be carried out. The clock is marked as failed, with the reason. What was committed
 * stays.
 */
export async function failAdvance(db: Db, advance: ClockAdvanceRow, reason: string, now: RealInstant): Promise<void> {
  await closeAdvance(db, advance, now, async (tx) => {
    await finishAdvance(tx, advance.id, { failureReason: reason }, now);
    const changes = { status: 'failed' as const, target_time: null, failure_reason: reason };
    const clock = await updateClock(tx, advance.test_clock_id, changes);
    emitEnd(tx, advance, clock.biller_id, 'failed', now);
  });
}

function emitEnd(
  tx: Tx,
  advance: ClockAdvanceRow,
  billerId: Id<'biller'>,
  outcome: 'ready' | 'failed',
  now: RealInstant,
): void {
  afterCommit(tx, () =>
    emit({
      kind: 'advance ended',
      testClockId: advance.test_clock_id,
      billerId,
      requestId: advance.request_id,
      outcome,
      seconds: secondsBetween(advance.requested_at, now),
    }),
  );
}

async function closeAdvance(
  db: Db,
  advance: ClockAdvanceRow,
  now: RealInstant,
  close: (tx: Tx) => Promise<void>,
): Promise<void> {
  await transact(db, { requestId: advance.request_id, now }, async (tx) => {
    const clock = await lockClock(tx, advance.test_clock_id);
    if (clock?.status !== 'advancing' || clock.target_time?.getTime() !== advance.target_time.getTime()) return;
    await close(tx);
  });
}
