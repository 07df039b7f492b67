import { hasNoRow } from '../../../db/lost-subjects.ts';
import { isUndispatched } from '../../../db/webhook-batches.ts';
import { entryTypes, type WorkflowType } from '../../../messages/workflow-types.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import { minute, type StuckKind } from '../reading/find-stuck.ts';
import { opsCommand } from '../reading/ops-command.ts';

/** An outbox entry that was not dispatched, and why. */
interface WaitingEntry {
  workflow_id: string;
  attempts: number;
  last_error: string | null;
}

/** SQL condition: the entry `i` is of a known type and waits for its dispatch. `delivery_backlog` has the others. */
function isWaiting(db: Db) {
  return db`(i.workflow_type = any(${entryTypes as string[]}::text[]) and ${isUndispatched(db)})`;
}

/** Subjects with outbox entries that were not dispatched. The outbox is the table `workflow_intents`. */
export const workflowIntentsWaiting: StuckKind<WaitingEntry> = {
  kind: 'workflow_intents_waiting',
  meaning: 'An outbox entry was not dispatched to Temporal.',
  after: minute,
  waitsForWrites: true,
  rows: (db, { before }) => db`
    select i.subject_id, null as biller_id, null::boolean as livemode, min(i.created_at) as since
    from workflow_intents i
    where i.created_at <= ${before} and ${isWaiting(db)}
    group by i.subject_id`,
  facts: (db) => db`
    select i.workflow_id, i.attempts, i.last_error
    from workflow_intents i
    where i.subject_id = f.subject_id and ${isWaiting(db)}
    order by id
    limit 1`,
  say: ({ workflow_id: workflowId, attempts, last_error: error }) => ({
    why: attempts === 0 ? 'no process dispatches it' : `tried ${attempts} times: ${error ?? 'its process ended'}`,
    remedy: 'Start Temporal, and an API or a worker: it is then dispatched within ten seconds.',
    workflowId,
  }),
};

/** An outbox entry of a type that this version does not know. No dispatcher of this version takes it. */
interface UnknownEntry {
  id: number;
  workflow_type: string;
}

export const workflowIntentUnknown: StuckKind<UnknownEntry> = {
  kind: 'workflow_intent_unknown',
  meaning: 'An outbox entry is of a type that this version does not know. It is set aside; all others continue.',
  after: 10,
  rows: (db, { before }) => db`
    select i.subject_id, null as biller_id, i.livemode, i.created_at as since, i.id as entry_id
    from workflow_intents i
    where i.created_at <= ${before} and i.workflow_type <> all(${entryTypes as string[]}::text[])`,
  facts: (db) => db`select id, workflow_type from workflow_intents where id = f.entry_id`,
  say: ({ subject_id: subjectId, id, workflow_type: type }) => ({
    why: `entry ${id} is for a workflow of the type ${JSON.stringify(type)}: written by a newer version, or changed by hand`,
    remedy:
      'If a newer version has written it, start its processes: they dispatch it. Otherwise ' +
      `${opsCommand('delete-entry', String(id))}, and, if the object is there, ${opsCommand('recheck', subjectId)}.`,
  }),
};

/** Plans, subscriptions and scheduled payments that had a workflow when their row was gone, and have none since. */
export const rowLost: StuckKind<{ workflow_type: WorkflowType }> = {
  kind: 'row_lost',
  meaning: 'The row of a plan, a subscription or a scheduled payment was deleted before it had ended.',
  after: 0,
  rows: (db) => db`
    select l.id as subject_id, null as biller_id, l.livemode, l.noted_at as since
    from lost_subjects l where ${hasNoRow(db)}`,
  facts: (db) => db`select workflow_type from lost_subjects where id = f.subject_id`,
  say: ({ subject_id: id }) => ({
    why:
      'its workflow ran, and it has no row, so nothing is charged for it. The service deletes such a row with its test clock ' +
      'only: a person or a program did, or PostgreSQL was restored from a back-up that is older',
    remedy:
      `Find out who deleted it. Restore its rows from a back-up; then ${opsCommand('recheck', id)}. If it is to stay ` +
      `deleted: delete from lost_subjects where id = '${id}'.`,
  }),
};

/** What a comparison of PostgreSQL with Temporal has found. */
interface Differences {
  missing: number;
  orphaned: number;
  stale: number;
  /** The first ones. */
  examples: string[];
}

/** The latest comparison, if it found anything. */
export const workflowsDiffer: StuckKind<Differences> = {
  kind: 'workflows_differ',
  meaning: 'The last comparison found workflows on which PostgreSQL and Temporal differ.',
  after: 0,
  rows: (db) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode, finished_at as since
    from (select * from reconciliations where finished_at is not null order by started_at desc limit 1) r
    where missing + orphaned + stale > 0`,
  facts: (db) => db`
    select missing, orphaned, stale, examples from reconciliations where finished_at = f.since limit 1`,
  say: ({ missing, orphaned, stale, examples }) => ({
    why:
      `${missing} missing, ${orphaned} orphaned, ${stale} stale: one of the two was lost or restored from a back-up, or rows ` +
      `were changed by hand${examples.length === 0 ? '' : ` (${examples.join('; ')})`}`,
    remedy:
      'They were repaired, except those that are not started: correct what they name. The next comparison, within five minutes, finds none; to compare now: npm run --silent reconcile.',
  }),
};

/** The latest comparison, if the next one is late. The pause after a comparison is nine times its duration. */
export const comparisonLate: StuckKind<Record<never, never>> = {
  kind: 'comparison_late',
  meaning: 'PostgreSQL was not compared with Temporal lately.',
  after: 15 * minute,
  waitsForWrites: true,
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, null::boolean as livemode, finished_at as since
    from (select * from reconciliations where finished_at is not null order by started_at desc limit 1) r
    where finished_at + 9 * (finished_at - started_at) <= ${before}`,
  facts: (db) => db`select`,
  say: () => ({
    why: 'no worker has finished a comparison: no worker runs, one of the two is away, or the database was restored from a back-up',
    remedy: 'Start a worker: npm run worker; or compare once: npm run --silent reconcile.',
  }),
};
