import type { RealInstant } from '../real-time.ts';
import { currentTrace } from '../tracing.ts';
import { afterCommit } from './transaction.ts';
import type { Db, Tx } from './types.ts';

/**
 * The lanes of the outbox. Deliveries of webhooks have one of their own, so that a payment never waits behind them. All
 * other entries are for what moves money, or ends.
 */
export const lanes = ['subjects', 'deliveries'] as const;
export type Lane = (typeof lanes)[number];

/** An entry for Temporal: start the workflow, signal it, or both. */
export interface OutboxEntry {
  workflowType: string;
  workflowId: string;
  /** The resource that the workflow is for. */
  subjectId: string;
  /** The mode of the resource, and so of the Temporal that the entry is for. */
  livemode: boolean;
  /** Start the workflow if it is not running. If false and the workflow has ended, the entry has no effect. */
  start: boolean;
  signal?: string;
}

export interface ClaimedEntry {
  id: number;
  workflow_id: string;
  workflow_type: string;
  subject_id: string;
  start: boolean;
  signal: string | null;
  attempts: number;
  created_at: RealInstant;
  /** The trace to continue. Null when tracing is off. */
  traceparent: string | null;
}

/** For a batch: its workflow id, if nothing but its entries was committed. */
type Listener = (batchId: string | null) => void;

const listeners: Record<Lane, Set<Listener>> = { subjects: new Set(), deliveries: new Set() };

/**
 * Calls `listener` after each commit of this process that has outbox entries of this lane. Returns a function that
 * unsubscribes.
 */
export function onEntriesCommitted(lane: Lane, listener: Listener): () => void {
  listeners[lane].add(listener);
  return () => listeners[lane].delete(listener);
}

/**
 * Marks the transaction as having outbox entries of a lane, so that dispatch starts right after its commit. `batchId`
 * is the workflow of a batch if all of them are for it.
 */
export function noteEnqueued(tx: Tx, lane: Lane, batchId: string | null = null): void {
  if (batchId !== null) afterCommit(tx, () => notifyDeliveries(batchId));
  else afterCommit(tx, lane === 'subjects' ? notifySubjects : notifyDeliveries);
}

/** As `noteEnqueued` for deliveries, after a statement that was its own transaction. */
export function notifyDeliveries(batchId: string | null = null): void {
  for (const listener of listeners.deliveries) listener(batchId);
}

function notifySubjects(): void {
  for (const listener of listeners.subjects) listener(null);
}

/**
 * Adds entries to the outbox in the caller's transaction; the dispatcher sends them to Temporal after the commit. Only
 * the database's clock decides when an entry is available, here and below. Processes with different clocks share these
 * rows; one whose clock is an hour ahead must not hold up the others for an hour.
 */
export async function enqueue(tx: Tx, entries: OutboxEntry[], now: RealInstant): Promise<void> {
  if (entries.length === 0) return;
  for (const { workflowType } of entries)
    noteEnqueued(tx, workflowType === 'webhookDelivery' ? 'deliveries' : 'subjects');
  await tx`
    insert into workflow_intents (
      workflow_id, workflow_type, subject_id, livemode, start, signal, created_at, available_at, traceparent
    )
    select entry.*, ${now}::timestamptz, now(), ${currentTrace()?.traceparent ?? null} from unnest(
      ${entries.map(({ workflowId }) => workflowId)}::text[],
      ${entries.map(({ workflowType }) => workflowType)}::text[], ${entries.map(({ subjectId }) => subjectId)}::text[],
      ${entries.map(({ livemode }) => String(livemode))}::text[]::boolean[],
      ${entries.map(({ start }) => String(start))}::text[]::boolean[],
      ${entries.map(({ signal }) => signal ?? null)}::text[]
    ) as entry`;
}

/**
 * Claims up to `limit` entries of a mode (null: of both), oldest first, for `claimMs` milliseconds. If a process dies,
 * its claim expires after that. Concurrent callers get different entries. Entries of the other mode are passed over: a
 * backlog of 100,000 costs a claim 30 to 45 ms (measured on two busy cores). An index would cost every entry. So are
 * entries of another type than `types`: they stay, for a version that knows them, and hold up no others.
 * Deliveries are left out: see `claimDeliveries` and `listDue`.
 */
export async function claimBatch(
  db: Db,
  {
    limit,
    claimMs,
    livemode,
    types,
  }: { limit: number; claimMs: number; livemode: boolean | null; types: readonly string[] },
): Promise<ClaimedEntry[]> {
  return db<ClaimedEntry[]>`
    update workflow_intents
    set available_at = now() + ${inMs(db, claimMs)}, attempts = attempts + 1
    where id in (
      select id from workflow_intents
      where available_at <= now()
        and workflow_type not in ('webhookDelivery', 'webhookBatch') -- as in the index workflow_intents_of_subjects
        and workflow_type = any(${types as string[]}::text[])
        ${livemode === null ? db`` : db`and livemode = ${livemode}`}
      order by available_at, id
      limit ${limit}
      for update skip locked
    )
    returning id, workflow_id, workflow_type, subject_id, start, signal, attempts, created_at, traceparent`;
}

/** Deletes entries that Temporal has accepted. */
export async function deleteDispatched(db: Db, ids: number[]): Promise<void> {
  await db`delete from workflow_intents where id = any(${ids}::bigint[])`;
}

/** Deletes an entry unless it is of one of these types, and returns it. Null if there is no such entry. */
export async function deleteOtherEntry(
  db: Db,
  id: string,
  types: readonly string[],
): Promise<Pick<ClaimedEntry, 'workflow_id' | 'workflow_type' | 'subject_id' | 'start' | 'signal'> | null> {
  const [entry] = await db<ClaimedEntry[]>`
    delete from workflow_intents where id = ${id}::bigint and workflow_type <> all(${types as string[]}::text[])
    returning workflow_id, workflow_type, subject_id, start, signal`;
  return entry ?? null;
}

/** Makes an entry available again `ms` milliseconds after a failed dispatch, and records the error. */
export async function postpone(db: Db, id: number, ms: number, error: string): Promise<void> {
  await db`
    update workflow_intents set available_at = now() + ${inMs(db, ms)}, last_error = ${error.slice(0, 1000)}
    where id = ${id}`;
}

function inMs(db: Db, ms: number) {
  return db`${ms}::integer * interval '1 millisecond'`;
}
