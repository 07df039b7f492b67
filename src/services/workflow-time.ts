/**
 * How far the time of a workflow may be ahead of the database's clock and still be believed in real time, in milliseconds:
 * more than the clocks of machines that are kept by a time server differ by. A payment is made at most this early.
 */
export const clockToleranceMs = 30_000;

/** The time that a workflow acts by. */
export interface WorkflowTime {
  /** The customer's time as the workflow has it: real time, or that of a test clock. */
  at: Date;
  /**
   * How far `at` may be ahead of the database's clock in real time, in milliseconds; 30 s unless a test says otherwise, whose
   * Temporal server skips real time.
   */
  maxAheadMs?: number | undefined;
}

/**
 * In real time something is due by the workflow's clock alone: that clock is wrong, or Temporal was told to skip time for
 * this workflow. Nothing has changed. Trying again helps once the database's clock has come to `dueAt`.
 */
export class WorkflowClockAhead extends Error {
  readonly dueAt: Date;

  constructor(subjectId: string, { at, dueAt, databaseTime }: { at: Date; dueAt: Date; databaseTime: Date }) {
    super(
      `the workflow’s clock is ${inUnits(at.getTime() - databaseTime.getTime())} ahead of the database’s. Nothing is done ` +
        `before ${dueAt.toISOString()} by the database’s clock. If time skipping was switched on for this workflow, start it ` +
        `over: npm run --silent ops -- start-over ${subjectId}. If a clock of Temporal or PostgreSQL is wrong, set it right: ` +
        'the workflow then goes on by itself.',
    );
    this.dueAt = dueAt;
  }
}

/**
 * The instant at which a subject does what is due at `dueAt`; null when that has not come. On a test clock it is the
 * workflow's time. In real time it is the database's, or the workflow's where that is a little ahead: who can write to
 * Temporal can move a workflow's clock, and money must not follow it.
 * @throws WorkflowClockAhead when it has come by the workflow's clock alone.
 */
export function instantOf(
  subject: { id: string; isOnClock: boolean; dueAt: Date },
  { at, maxAheadMs = clockToleranceMs }: WorkflowTime,
  databaseTime: Date,
): Date | null {
  const { id, isOnClock, dueAt } = subject;
  if (isOnClock) return dueAt <= at ? at : null;
  const isBelieved = at > databaseTime && at.getTime() - databaseTime.getTime() <= maxAheadMs;
  const instant = isBelieved ? at : databaseTime;
  if (dueAt <= instant) return instant;
  if (dueAt <= at) throw new WorkflowClockAhead(id, { at, dueAt, databaseTime });
  return null;
}

/** A span in the unit that an operator would use. */
function inUnits(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return `${Math.round(ms / 1000)} seconds`;
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}
