import { hasNoRow } from '../../../db/lost-subjects.ts';
import { type WorkflowType, workflowTypes } from '../../../messages/workflow-types.ts';
import type { StuckQuery } from './query.ts';

/** An outbox entry that was not dispatched, and why. */
export interface WaitingEntry {
  workflow_type: WorkflowType;
  attempts: number;
  last_error: string | null;
}

const known = workflowTypes as string[];

/** Subjects with outbox entries that were not dispatched. The outbox is the table `workflow_intents`. */
export const waitingEntries: StuckQuery<WaitingEntry> = {
  rows: (db, { before }) => db`
    select i.subject_id, null as biller_id, null::boolean as livemode, min(i.created_at) as since
    from workflow_intents i
    where i.created_at <= ${before} and i.workflow_type = any(${known}::text[])
    group by i.subject_id`,
  facts: (db) => db`
    select workflow_type, attempts, last_error
    from workflow_intents
    where subject_id = f.subject_id and workflow_type = any(${known}::text[])
    order by id
    limit 1`,
};

/** Plans, subscriptions and scheduled payments that had a workflow when their row was gone, and have none since. */
export const lostSubjects: StuckQuery<{ workflow_type: WorkflowType }> = {
  rows: (db) => db`
    select l.id as subject_id, null as biller_id, l.livemode, l.noted_at as since
    from lost_subjects l where ${hasNoRow(db)}`,
  facts: (db) => db`select workflow_type from lost_subjects where id = f.subject_id`,
};

/** An outbox entry of a type that this version does not know. No dispatcher of this version takes it. */
export interface UnknownEntry {
  id: number;
  workflow_type: string;
}

export const unknownEntries: StuckQuery<UnknownEntry> = {
  rows: (db, { before }) => db`
    select i.subject_id, null as biller_id, i.livemode, i.created_at as since, i.id as entry_id
    from workflow_intents i
    where i.created_at <= ${before} and i.workflow_type <> all(${known}::text[])`,
  facts: (db) => db`select id, workflow_type from workflow_intents where id = f.entry_id`,
};

/** What a comparison of PostgreSQL with Temporal has found. */
export interface Differences {
  missing: number;
  orphaned: number;
  stale: number;
  /** The first ones. */
  examples: string[];
}

/** The latest comparison, if it found anything. */
export const foundDifferences: StuckQuery<Differences> = {
  rows: (db) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode, finished_at as since
    from (select * from reconciliations where finished_at is not null order by started_at desc limit 1) r
    where missing + orphaned + stale > 0`,
  facts: (db) => db`
    select missing, orphaned, stale, examples from reconciliations where finished_at = f.since limit 1`,
};

/** The latest comparison, if the next one is late. The pause after a comparison is nine times its duration. */
export const lateComparison: StuckQuery<Record<never, never>> = {
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode, finished_at as since
    from (select * from reconciliations where finished_at is not null order by started_at desc limit 1) r
    where finished_at + 9 * (finished_at - started_at) <= ${before}`,
  facts: (db) => db`select`,
};
