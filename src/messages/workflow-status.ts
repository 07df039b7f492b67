import { defineQuery } from '@temporalio/workflow';

/**
 * What a workflow reports about its subject: to programs as the query `status`, to operators on its page. Instants are
 * epoch milliseconds. Reader and workflow may be of different versions: add fields, but change none.
 */
export interface WorkflowStatus {
  /** The subject's state, such as "active". Null before the first read. */
  state: string | null;
  /** Why the workflow cannot do what is due. Null if it can. */
  stalled: Stall | null;
  /** What it waits for, as a noun phrase. Null when it has ended. */
  waitsFor: string | null;
  /** When it entered this state, in the customer's time. Null if that is not known. */
  since: number | null;
  /** When it does something next on its own, in the customer's time. Null if it does not. */
  nextAt: number | null;
  /** When the next slot of the calendar is due, in the customer's time. */
  nextDueAt: number | null;
  /** The last operator command and its result, as a sentence. */
  lastCommand: string | null;
}

/** An effect that cannot be carried out. */
export interface Stall {
  /** Why, for an operator. */
  reason: string;
  /** Since when, in real time by the database's clock. Null if the database could not be asked. */
  since: number | null;
}

/** Every workflow handles it. */
export const statusQuery = defineQuery<WorkflowStatus>('status');
