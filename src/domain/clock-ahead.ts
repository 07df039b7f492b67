/**
 * How far the time of a workflow may be ahead of the database's clock and still be believed, in milliseconds, where no test
 * clock sets it. More than the clocks of well-kept machines differ by; the wait for a due date is ended at most this early.
 */
export const clockToleranceMs = 30_000;

/** The type of the failure that a workflow gets when its time is too far ahead of the database's for what it asks. */
export const workflowClockAhead = 'WorkflowClockAhead';

/** What that failure says beside its message. Epoch milliseconds, by the database's clock. */
export interface ClockAhead {
  /** When the workflow asked. */
  databaseTime: number;
  /** When what it asked for may be done. */
  dueAt: number;
}
