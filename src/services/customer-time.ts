import type { LockedCustomerRow } from '../db/customers.ts';
import { selectClock, shareLockClock, type TestClockRow } from '../db/test-clocks.ts';
import { type CustomerInstant, customerInstant, withoutClock } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';
import { InvalidState } from './errors.ts';
import type { Tenant } from './request-context.ts';

/**
 * Returns the instant of a write about a customer: the frozen time of its test clock, or real time when it has no
 * clock. Takes a share lock on the clock, so its time stands still until the transaction ends.
 * @throws InvalidState when the clock was deleted; `test_clock_advancing` while it is advancing, because the write
 * would have no definite time.
 */
export async function timeForWrite(
  tx: Tx,
  testClockId: string | null,
  realTime: RealInstant,
): Promise<CustomerInstant> {
  if (testClockId === null) return withoutClock(realTime);
  const clock = await shareLockClock(tx, testClockId);
  if (clock === null) throw new InvalidState(`Test clock ${testClockId} has been deleted.`);
  return timeOnClock(clock);
}

/**
 * Like `timeForWrite`, for a customer that was locked together with its clock. Returns real time for null and for a
 * customer without a clock.
 * @throws InvalidState `test_clock_advancing` while the clock is advancing.
 */
export function timeOf(customer: LockedCustomerRow | null, realTime: RealInstant): CustomerInstant {
  if (customer?.test_clock_id == null || customer.clock_status === null || customer.frozen_time === null)
    return withoutClock(realTime);
  return timeOnClock({ id: customer.test_clock_id, status: customer.clock_status, frozen_time: customer.frozen_time });
}

/** Returns the customer's time for a reader: of the test clock that a plan or a subscription is on, or real time. */
export async function timeNow(
  db: Db,
  context: Tenant & { now: RealInstant },
  { test_clock_id: clockId }: { test_clock_id: string | null },
): Promise<CustomerInstant> {
  const clock = clockId === null ? null : await selectClock(db, context, clockId);
  return clock?.frozen_time ?? withoutClock(context.now);
}

/**
 * Returns the present time of a locked clock.
 * @throws InvalidState `test_clock_advancing` while it is advancing.
 */
export function timeOnClock({
  id,
  status,
  frozen_time,
}: Pick<TestClockRow, 'id' | 'status' | 'frozen_time'>): CustomerInstant {
  if (status !== 'advancing') return frozen_time;
  throw new InvalidState(
    `Test clock ${id} is advancing. Wait until it is ready, then try again.`,
    'test_clock_advancing',
  );
}

/**
 * In real time, how far a workflow's time may be ahead of the database's clock and still be believed, in milliseconds.
 * The clocks of machines kept by a time server differ by less. A payment is made at most this early.
 */
export const clockToleranceMs = 30_000;

/** When something happens: in the customer's time, and in real time. */
export interface Instants {
  at: CustomerInstant;
  now: RealInstant;
}

/** The time that a workflow acts at. */
export interface WorkflowTime {
  /** Customer time as the workflow has it: real time, or the time of a test clock. */
  at: CustomerInstant;
  /**
   * In real time, how far `at` may be ahead of the database's clock, in milliseconds. The default is 30 s. Tests whose
   * Temporal server skips real time set another value.
   */
  maxAheadMs?: number | undefined;
}

/** Returns the time of a workflow that acts at `at`, milliseconds since 1970. */
export function workflowTime(at: number, maxAheadMs: number | undefined): WorkflowTime {
  return { at: customerInstant(at), maxAheadMs };
}

/**
 * In real time, something is due by the workflow's clock but not by the database's. The workflow's clock is wrong, or
 * Temporal skipped time for this workflow. Nothing has changed. A retry can succeed once the database's clock has
 * reached `dueAt`.
 */
export class WorkflowClockAhead extends Error {
  readonly dueAt: CustomerInstant;

  constructor(
    subjectId: string,
    { at, dueAt, databaseTime }: { at: CustomerInstant; dueAt: CustomerInstant; databaseTime: RealInstant },
  ) {
    super(
      `the workflow’s clock is ${inUnits(at.getTime() - databaseTime.getTime())} ahead of the database’s. Nothing is charged ` +
        `before ${dueAt.toISOString()} by the database’s clock. If time skipping was switched on for this workflow, start it ` +
        `over: npm run --silent ops -- start-over ${subjectId}. If the clock of Temporal or PostgreSQL is wrong, correct it. ` +
        'The workflow then continues.',
    );
    this.dueAt = dueAt;
  }
}

/**
 * Returns the instant at which a subject does what is due at `dueAt`, or null when it is not due yet. On a test clock,
 * the instant is the workflow's time. In real time it is the database's time, or the workflow's when that is at most
 * `maxAheadMs` ahead. The reason: anyone who can write to Temporal can move a workflow's clock, and money must not
 * follow it.
 * @throws WorkflowClockAhead when it is due by the workflow's clock only.
 */
export function instantOf(
  subject: { id: string; isOnClock: boolean; dueAt: CustomerInstant },
  { at, maxAheadMs = clockToleranceMs }: WorkflowTime,
  databaseTime: RealInstant,
): CustomerInstant | null {
  const { id, isOnClock, dueAt } = subject;
  if (isOnClock) return dueAt <= at ? at : null;
  const present = withoutClock(databaseTime);
  const isBelieved = at > present && at.getTime() - present.getTime() <= maxAheadMs;
  const instant = isBelieved ? at : present;
  if (dueAt <= instant) return instant;
  if (dueAt <= at) throw new WorkflowClockAhead(id, { at, dueAt, databaseTime });
  return null;
}

/** Formats a duration in the unit that an operator would use. */
function inUnits(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return `${Math.round(ms / 1000)} seconds`;
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}
