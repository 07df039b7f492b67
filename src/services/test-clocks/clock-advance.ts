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
import { type KindThat, subjectKinds } from '../../messages/subject-kinds.ts';
import type { ClockSubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { afterCommit } from '../../platform/postgres/transaction.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import type { EffectsManifest } from '../../resources/test-clock.ts';
import { pass } from '../crash-points.ts';
import { clockEvent, record, transact } from '../events.ts';
import { emit } from '../telemetry.ts';
import { expireOnClock, expires } from './expiry.ts';

/** A subject that collects: it has a workflow, which an advance moves. */
export type CollectingSubject = DueSubject<KindThat<'moves'>>;

/**
 * Advances one subject of a clock from one time of the clock to another. Returns the reason if it does not get there.
 * `again` means that this advance has moved the subject there before, and something is still due.
 */
export type MoveSubject = (
  subject: CollectingSubject,
  advance: ClockAdvanceRow,
  move: { from: CustomerInstant; to: CustomerInstant; again: boolean },
) => Promise<{ failure: string | null }>;

/** How an advance is carried out. */
interface Carrying {
  /** For subjects with a workflow. */
  moveSubject: MoveSubject;
  /** Runs a step in the database, with its retries. */
  step: <T>(work: () => Promise<T>) => Promise<T>;
  /** As `step`. Returns the reason if retries do not help. */
  tryStep: (work: () => Promise<void>) => Promise<{ failure: string | null }>;
}

/** How often the same step is tried before the advance fails. */
const tries = 3;

/**
 * Carries out an accepted advance. Its subjects move one after the other, in the order of their instants, so that one
 * advance tells the same story as many short ones: a bank's report about one payment can end a mandate, continue a plan
 * or complete a link. The clock becomes ready only when nothing up to the target is due; otherwise it fails.
 */
export async function executeAdvance(db: Db, advance: ClockAdvanceRow, carrying: Carrying): Promise<void> {
  pass('advance found');
  const failure = await moveAll(db, advance, carrying);
  pass('advance moved all');
  await carrying.step(() =>
    failure === null ? completeAdvance(db, advance, realNow()) : failAdvance(db, advance, failure, realNow()),
  );
  pass('advance completed');
}

/**
 * Moves what is due first until nothing is due. If something cannot be moved, the others still are, and it may
 * go up to the target once an operator has freed it. Returns the first reason.
 */
async function moveAll(db: Db, advance: ClockAdvanceRow, { moveSubject, step, tryStep }: Carrying) {
  const { test_clock_id: clockId, from_time: start, target_time: target } = advance;
  const moves = new Map<string, { from: CustomerInstant; to: CustomerInstant }>();
  const failed: string[] = [];
  let reached = start;
  let reason: string | null = null;
  for (let triesLeft = tries, before = ''; ; ) {
    const [first, next] = await step(() => dueOnClock(db, clockId, target, { limit: 2, except: failed }));
    if (first === undefined) return reason;
    const present = `${first.id} ${first.at?.getTime()}`;
    triesLeft = present === before ? triesLeft - 1 : tries;
    before = present;
    let failure: string | null = null;
    if (triesLeft === 0) failure = `${first.id} is due and was not collected`;
    else if (expires(first)) ({ failure } = await tryStep(() => expireOnClock(db, advance, failed, realNow())));
    else {
      if (first.at !== null && first.at < reached) await step(() => noteReached(db, clockId, reached));
      reached = laterInstant(reached, first.at ?? start);
      const last = moves.get(first.id);
      const to = goalOf(first, next, advance);
      const again = last?.to.getTime() === to.getTime();
      const from = (again ? last?.from : last?.to) ?? start;
      ({ failure } = await moveSubject(first as CollectingSubject, advance, { from, to, again }));
      moves.set(first.id, { from, to });
      if (failure !== null) await moveSubject(first as CollectingSubject, advance, { from, to: target, again: true });
    }
    if (failure === null) continue;
    reason ??= failure;
    failed.push(first.id);
  }
}

/**
 * How far a subject moves: to its own instant. One that `movesOn` moves until the next other subject is due. A plan and
 * a subscription do: nothing that they do on their own makes another one due earlier. A payment that is accepted as a
 * debit does.
 */
function goalOf(
  first: DueSubject,
  next: DueSubject | undefined,
  { from_time: start, target_time: target }: ClockAdvanceRow,
) {
  const own = laterInstant(first.at ?? start, start);
  if (first.kind === 'mandate' || !subjectKinds[first.kind].movesOn) return own;
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
