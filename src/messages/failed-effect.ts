/**
 * Details of an effect that failed. The workflow needs them to know how to wait. Epoch milliseconds by the database's
 * clock. Entries in older histories lack these details.
 */
export interface FailedEffect {
  databaseTime: number;
  /** When the effect can be carried out, if known. */
  dueAt: number | null;
}
