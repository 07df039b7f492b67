import type { Fragment } from 'postgres';
import type { Id } from '../../../domain/ids.ts';
import { addMs } from '../../../domain/instants.ts';
import { all } from '../../../platform/all-settled.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { RealInstant } from '../../../platform/real-time.ts';
import { readBounded, whyUnreadable } from './bounded-reading.ts';

/** Something that does not continue on its own, as it is reported to an operator. */
export interface Stuck {
  kind: string;
  /** The object that is stuck; null if it is the whole service. */
  subject_id: string | null;
  biller_id: Id<'biller'> | null;
  livemode: boolean | null;
  /** ISO 8601, real time; null if it is not known. */
  since: string | null;
  why: string;
  /** What frees it, with the exact command. */
  remedy: string;
  /** The workflow to look at in the Web UI, if it is known. */
  workflow_id: string | null;
}

/** All that is stuck in one way: how many there are, and the hundred that have been stuck longest. */
export interface StuckReport {
  kind: string;
  meaning: string;
  after_seconds: number;
  count: number;
  found: Stuck[];
}

/** The columns that every kind of stuck object has. */
export interface StuckRow {
  /** Null where the whole service is stuck. */
  subject_id: string | null;
  biller_id: Id<'biller'> | null;
  livemode: boolean | null;
  /** Null if it is not known. */
  since: RealInstant | null;
}

/** Objects are stuck when they have waited since before `before`. `now` is the current instant. Both are real time. */
export interface StuckThreshold {
  before: RealInstant;
  now: RealInstant;
}

/** A kind of stuck. */
export interface Kind {
  readonly kind: string;
  /** One sentence for an operator. */
  readonly meaning: string;
  /** An object counts as stuck after this time, in seconds. */
  readonly after: number;
  /** Only the workflow of an object knows the cause: it is asked (`explain`). */
  readonly asksWorkflow?: true;
  /** While PostgreSQL refuses writes, this is one of the consequences. */
  readonly waitsForWrites?: true;
}

/**
 * A kind that PostgreSQL knows: a query for the rows, cheap enough to count, one for the details of the few that are
 * shown, and the words about one of them.
 */
export interface StuckKind<Facts extends object = object> extends Kind {
  /** Returns a select of the columns of `StuckRow`. */
  rows(db: Db, threshold: StuckThreshold): Fragment;
  /** Returns a select of at most one row: the details of the stuck row `f`. */
  facts(db: Db, threshold: StuckThreshold): Fragment;
  /** Returns the words about a row, for an operator. */
  say(row: StuckRow & Facts): Description;
}

/** The words about one object that is stuck. */
export type Words = Pick<Stuck, 'why' | 'remedy'>;

/** The same, with the workflow to look at. */
export type Description = Words & { workflowId?: string };

export const minute = 60;
export const day = 24 * 60 * minute;

const shownOfEach = 100;

/** What could not be read is a kind of stuck itself: it must not be taken for nothing. */
export const notReadable: Kind = {
  kind: 'not_readable',
  meaning: 'Part of what may be stuck could not be read from PostgreSQL.',
  after: 0,
};

/** Returns an object that is stuck in this way. What is not given is not known, or it is the whole service. */
export function stuckAs({ kind }: Kind, known: Words & Partial<Stuck>): Stuck {
  const unknown = { subject_id: null, biller_id: null, livemode: null, since: null, workflow_id: null };
  return { kind, ...unknown, ...known };
}

/** Returns the report of a kind. `count` is how many there are in all, if more than were found. */
export function reportOf({ kind, meaning, after }: Kind, found: Stuck[], count = found.length): StuckReport {
  return { kind, meaning, after_seconds: after, count, found };
}

/** Returns a report of what PostgreSQL knows to be stuck in this way: the rows that have been stuck longest. */
export async function findKind(db: Db, kind: StuckKind, now: RealInstant, limit = shownOfEach): Promise<StuckReport> {
  const threshold = thresholdOf(kind, now);
  const rows = await readBounded(
    db,
    (tx) => tx<(StuckRow & { count: number })[]>`
      with stuck as materialized (${kind.rows(tx, threshold)}),
        longest as (select * from stuck order by since, subject_id limit ${limit})
      select f.*, facts.*, (select count(*)::integer from stuck) as count
      from longest f
      left join lateral (${kind.facts(tx, threshold)}) facts on true
      order by f.since, f.subject_id`,
  );
  const found = rows.map((row): Stuck => {
    const { why, remedy, workflowId = null } = kind.say(row);
    const { subject_id, biller_id, livemode } = row;
    const since = row.since?.toISOString() ?? null;
    return stuckAs(kind, { subject_id, biller_id, livemode, since, why, remedy, workflow_id: workflowId });
  });
  return reportOf(kind, found, rows[0]?.count);
}

/**
 * All that PostgreSQL knows to be stuck at `now`: one report for each kind, in their order. A kind that cannot be read,
 * because a session holds its table or PostgreSQL refuses it, is one of the last report, `not_readable`.
 * @throws when PostgreSQL is not reachable.
 */
export async function findStuck(
  db: Db,
  kinds: readonly StuckKind[],
  now: RealInstant,
  limit = shownOfEach,
): Promise<StuckReport[]> {
  const read = await all(kinds.map((kind) => unlessHeld(kind, () => findKind(db, kind, now, limit))));
  const reports = read.filter((result) => 'found' in result);
  return [...reports, reportUnread(read.filter((result) => 'reason' in result))];
}

/**
 * The number of stuck objects by kind. One statement, cheap enough to run every few seconds; one for each kind while
 * one of them cannot be read. Such a kind is left out, and `not_readable` counts those.
 * @throws when PostgreSQL is not reachable.
 */
export async function countStuck(db: Db, kinds: readonly StuckKind[], now: RealInstant): Promise<Map<string, number>> {
  try {
    return new Map([...(await countTogether(db, kinds, now)), [notReadable.kind, 0]]);
  } catch (error) {
    if (whyUnreadable(error) === null) throw error;
  }
  const counts = new Map([[notReadable.kind, 0]]);
  for (const kind of kinds) {
    const counted = await unlessHeld(kind, () => countTogether(db, [kind], now));
    if ('reason' in counted) counts.set(notReadable.kind, (counts.get(notReadable.kind) ?? 0) + 1);
    else counts.set(kind.kind, counted.get(kind.kind) ?? 0);
  }
  return counts;
}

/** One round trip. */
async function countTogether(db: Db, kinds: readonly StuckKind[], now: RealInstant): Promise<Map<string, number>> {
  const rows = await readBounded(db, (tx) => {
    const counts = kinds.map((kind, position) => {
      const one = tx`
        select ${kind.kind} as kind, count(*)::integer as count from (${kind.rows(tx, thresholdOf(kind, now))}) r`;
      return position === 0 ? one : tx`union all ${one}`;
    });
    return tx<{ kind: string; count: number }[]>`${counts}`;
  });
  const countOf = new Map(rows.map(({ kind, count }) => [kind, count]));
  return new Map(kinds.map(({ kind }) => [kind, countOf.get(kind) ?? 0]));
}

async function unlessHeld<T>({ kind }: Kind, read: () => Promise<T>): Promise<T | { kind: string; reason: string }> {
  try {
    return await read();
  } catch (error) {
    const reason = whyUnreadable(error);
    if (reason === null) throw error;
    return { kind, reason };
  }
}

/** Reports the kinds that could not be read, each with its reason. */
export function reportUnread(unread: readonly { kind: string; reason: string }[]): StuckReport {
  const remedy =
    'Do what writes_refused says, or end the session that database_locked names; then look again. If there is neither, ' +
    'PostgreSQL is too slow.';
  const found = unread.map(({ kind, reason }) =>
    stuckAs(notReadable, { why: `${kind} could not be read: ${reason}`, remedy }),
  );
  return reportOf(notReadable, found);
}

function thresholdOf({ after }: Kind, now: RealInstant): StuckThreshold {
  return { before: addMs(now, -after * 1000), now };
}
