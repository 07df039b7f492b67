/**
 * What an effect that could not be carried out says beside the reason, for the workflow to know how to wait. Epoch
 * milliseconds, by the database's clock. What an earlier version has recorded in a history lacks it.
 */
export interface FailedEffect {
  /** When it failed. */
  databaseTime: number;
  /** When it can be carried out, where that is known. */
  dueAt: number | null;
}
