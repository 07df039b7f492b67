import { type DueSubject, dueOnClock } from '../../db/due-on-clock.ts';
import { type ClockAdvanceRow, shareLockClock } from '../../db/test-clocks.ts';
import { laterInstant } from '../../domain/calendar.ts';
import { endsOnClock, isSubjectKind, type KindWhere } from '../../messages/subject-kinds.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { sandboxProcessor } from '../../processors/sandbox.ts';
import { pass } from '../crash-points.ts';
import type { Instants } from '../customer-time.ts';
import { transact } from '../events.ts';
import { takePayoutStep } from '../ledger/payouts.ts';
import { expireMandateOnClock } from '../mandates/mandate-ends.ts';
import { closeDispute } from '../payments/disputes.ts';
import { chargeHook } from '../subjects/charge-hook.ts';
import { subjects } from '../subjects/kinds.ts';

// A link, a session, a mandate, a payout or a dispute on a test clock waits for nothing but the clock. So it has no
// workflow: the advance itself takes its step, when it is its turn, many in one transaction.

/** How many expire in one transaction. Their events are committed together, and their rows are locked until then. */
const together = 100;

/** Clocks are of the sandbox. What expires asks no processor. */
const processors: Processors = { sandbox: sandboxProcessor, live: null };

/** How often it is tried to let them expire. */
const tries = 3;

/** A subject that collects: it has a workflow, which an advance moves. */
export type CollectingSubject = DueSubject<KindWhere<'moves'>>;

/** Whether an advance moves the workflow of a subject. Anything else has none on a test clock. */
export function isCollecting(subject: DueSubject): subject is CollectingSubject {
  return isSubjectKind(subject.kind) && !endsOnClock(subject.kind);
}

/**
 * Lets links, sessions and mandates on a clock expire and takes the steps of payouts, at most 100, as long as they are
 * due first, each at its own instant; or closes one dispute. Does nothing if the advance is no longer under way.
 * Returns the reason if something could not be ended even by the third try: nothing has changed then. Otherwise null.
 * @param except ids of what has failed in this advance.
 * @throws when PostgreSQL is not reachable.
 */
export async function expireOnClock(
  db: Db,
  advance: ClockAdvanceRow,
  except: readonly string[],
  now: RealInstant,
): Promise<string | null> {
  for (let tried = 1; ; tried++) {
    const failure = await expireTogether(db, advance, except, now);
    if (failure === null || tried === tries) return failure;
  }
}

async function expireTogether(
  db: Db,
  advance: ClockAdvanceRow,
  except: readonly string[],
  now: RealInstant,
): Promise<string | null> {
  let current = 'nothing';
  try {
    await transact(db, { requestId: null, now }, async (tx) => {
      // Until the commit the clock is not deleted, and the advance does not end.
      const clock = await shareLockClock(tx, advance.test_clock_id);
      if (clock?.status !== 'advancing' || Number(clock.target_time) !== Number(advance.target_time)) return;
      for (let count = 0, before = ''; count < together; count++) {
        const [next] = await dueOnClock(tx, clock.id, advance.target_time, { limit: 1, except });
        if (next === undefined || next.at === null || isCollecting(next)) return;
        if (next.kind === 'dispute' && count > 0) return;
        current = next.id;
        const step = `${next.id} ${next.at.getTime()}`;
        if (step === before) throw new Error('it is due and was not ended');
        await collectOnClock(tx, processors, next, { at: laterInstant(next.at, advance.from_time), now });
        // It locks what its payment is for, and a transaction locks one of them.
        if (next.kind === 'dispute') return;
        before = step;
      }
    });
    pass('advance moved a subject');
    return null;
  } catch (error) {
    if (isOutage(error)) throw error;
    return `${current}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Takes the step of a subject, a payout or a dispute that is due on a clock at this time, or lets a mandate lapse. */
export async function collectOnClock(
  db: Db,
  processors: Processors,
  { kind, id }: DueSubject,
  time: Instants,
): Promise<void> {
  if (isSubjectKind(kind)) return subjects[kind].collect(db, processors, id, time);
  await transact(db, { requestId: null, now: time.now }, async (tx) => {
    if (kind === 'mandate') return expireMandateOnClock(tx, id, time);
    if (kind === 'dispute') return closeDispute(tx, chargeHook, id, time);
    return takePayoutStep(tx, { kind, id, at: time.at });
  });
}
