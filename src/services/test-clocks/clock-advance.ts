import { countExpiredLinks } from '../../db/payment-links.ts';
import {
  type ClockAdvanceRow,
  countEffects,
  finishAdvance,
  lockClock,
  selectClockById,
  updateClock,
} from '../../db/test-clocks.ts';
import type { ClockSubjectStatus } from '../../messages/subject-status.ts';
import { pass } from '../../platform/crash-points.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { afterCommit, atomically } from '../../platform/postgres/transaction.ts';
import { realNow } from '../../platform/real-time.ts';
import { emit, secondsBetween } from '../../platform/telemetry.ts';
import type { EffectsManifest } from '../../resources/test-clock.ts';
import { clockEvent, recordEvents } from '../events.ts';
import { expireMandatesOnClock } from '../mandates/expiry.ts';
import { type DueSubject, dueOnClock, firstDue } from './due-subjects.ts';
import { type Expiring, expireOnClock } from './link-expiry.ts';

/**
 * Advances one subject of a clock from one time of the clock to another. Returns the reason if it does not get there.
 * `again` means that this advance has moved the subject there before, and something is still due.
 */
export type MoveSubject = (
  subject: DueSubject,
  advance: ClockAdvanceRow,
  move: { from: Date; to: Date; again: boolean },
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

/** How often the subjects of an advance are looked at: a subject may become due while the others are moved. */
const rounds = 3;

/**
 * Carries out an accepted advance. Its subjects move in parallel, each straight to the target, except those of a
 * customer that has given a mandate: see `moveInOrder`. Links and sessions expire one after the other. The clock
 * becomes ready only when nothing up to the target is due any more; otherwise it fails.
 */
export async function carryOutAdvance(db: Db, advance: ClockAdvanceRow, carrying: Carrying): Promise<void> {
  const { moveSubject, step } = carrying;
  const { test_clock_id: clockId, from_time: from, target_time: to } = advance;
  pass('advance found');
  const listDue = () => step(() => dueOnClock(db, clockId, to));
  let failure: string | null = null;
  let due = await listDue();
  for (let round = 0; round < rounds && due.length > 0 && failure === null; round++) {
    const customers = new Set(due.flatMap(({ customerInOrder }) => customerInOrder ?? []));
    const independent = due.filter(({ customerInOrder }) => customerInOrder === null);
    const moved = await Promise.all([
      ...(independent.some(expires) ? [expireAll(db, advance, { customerId: null, to }, carrying)] : []),
      ...independent
        .filter((subject) => !expires(subject))
        .map((subject) => moveSubject(subject, advance, { from, to, again: round > 0 })),
      ...[...customers].map((customer) => moveInOrder(db, listDue, due, customer, advance, carrying)),
    ]);
    failure = moved.find((move) => move.failure !== null)?.failure ?? null;
    if (failure === null) due = await listDue();
  }
  const [left] = due;
  const reason = failure ?? (left === undefined ? null : `${left.id} is due and was not collected`);
  pass('advance moved all');
  await step(() =>
    reason === null ? completeAdvance(db, advance, realNow()) : failAdvance(db, advance, reason, realNow()),
  );
  pass('advance completed');
}

/** Whether a subject has no workflow: the advance lets it expire. */
function expires({ workflowType }: DueSubject): boolean {
  return workflowType === 'paymentLink' || workflowType === 'checkoutSession';
}

/** Lets links and sessions expire up to an instant. Returns the reason if one cannot be ended. */
function expireAll(
  db: Db,
  advance: ClockAdvanceRow,
  expiring: Expiring,
  { tryStep }: Carrying,
): Promise<{ failure: string | null }> {
  return tryStep(async () => {
    while (await expireOnClock(db, advance, expiring, realNow()));
  });
}

/**
 * Moves the subjects of one customer in the order of their instants: the bank's word about one can change the others.
 * So the first one moves to its instant, and then all are looked at again. A single one moves straight to the target,
 * and so do links and sessions if nothing else is due.
 */
async function moveInOrder(
  db: Db,
  listDue: () => Promise<DueSubject[]>,
  dueAtFirst: DueSubject[],
  customer: string,
  advance: ClockAdvanceRow,
  carrying: Carrying,
): Promise<{ failure: string | null }> {
  const { from_time: start, target_time: target } = advance;
  const ofCustomer = (due: DueSubject[]) => due.filter(({ customerInOrder }) => customerInOrder === customer);
  const reached = new Map<string, Date>();
  let due = ofCustomer(dueAtFirst);
  for (let triesLeft = rounds; ; ) {
    const subject = firstDue(due);
    if (subject === null) return { failure: null };
    if (triesLeft === 0) return { failure: `${subject.id} is due and was not collected` };
    const from = reached.get(subject.id) ?? start;
    const isAlone = due.length === 1 || due.every(expires);
    const to = isAlone ? target : latest(subject.at ?? start, start);
    const again = reached.get(subject.id)?.getTime() === to.getTime();
    const moved = expires(subject)
      ? await expireAll(db, advance, { customerId: customer, to }, carrying)
      : await carrying.moveSubject(subject, advance, { from, to, again });
    if (moved.failure !== null) return moved;
    reached.set(subject.id, to);
    due = ofCustomer(await listDue());
    const next = due.find(({ id }) => id === subject.id);
    triesLeft = next !== undefined && Number(next.at) === Number(subject.at) ? triesLeft - 1 : rounds;
  }
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
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
 * @param now real time.
 */
export async function completeAdvance(db: Db, advance: ClockAdvanceRow, now: Date): Promise<void> {
  await closeAdvance(db, advance, async (tx) => {
    const manifest = await countedManifest(tx, advance.test_clock_id, advance.from_time, advance.target_time);
    await finishAdvance(tx, advance.id, { manifest }, now);
    const clock = await updateClock(tx, advance.test_clock_id, {
      status: 'ready',
      frozen_time: advance.target_time,
      target_time: null,
      last_advanced_at: now,
    });
    const origin = { billerId: clock.biller_id, livemode: false, requestId: advance.request_id, now };
    // Debits that were due before a mandate lapsed have used it by now, and so moved its lapse.
    await expireMandatesOnClock(tx, clock.id, advance.target_time, origin);
    await recordEvents(tx, origin, [clockEvent('test_clock.ready', clock, { effects_manifest: manifest })]);
    emitEnd(tx, advance, clock.biller_id, 'ready', now);
  });
}

/** Returns the counts of what was done after `from` up to `target`, in the clock's time. */
export async function countedManifest(tx: Tx, clockId: string, from: Date, target: Date): Promise<EffectsManifest> {
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
export async function failAdvance(db: Db, advance: ClockAdvanceRow, reason: string, now: Date): Promise<void> {
  await closeAdvance(db, advance, async (tx) => {
    await finishAdvance(tx, advance.id, { failureReason: reason }, now);
    const changes = { status: 'failed' as const, target_time: null, failure_reason: reason };
    const clock = await updateClock(tx, advance.test_clock_id, changes);
    emitEnd(tx, advance, clock.biller_id, 'failed', now);
  });
}

function emitEnd(tx: Tx, advance: ClockAdvanceRow, billerId: string, outcome: 'ready' | 'failed', now: Date): void {
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

async function closeAdvance(db: Db, advance: ClockAdvanceRow, close: (tx: Tx) => Promise<void>): Promise<void> {
  await atomically(db, async (tx) => {
    const clock = await lockClock(tx, advance.test_clock_id);
    if (clock?.status !== 'advancing' || clock.target_time?.getTime() !== advance.target_time.getTime()) return;
    await close(tx);
  });
}
