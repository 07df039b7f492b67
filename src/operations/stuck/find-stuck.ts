import type { Id } from '../../domain/ids.ts';
import { addMs } from '../../domain/instants.ts';
import { all } from '../../platform/all-settled.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { notReadable, readBounded, whyUnreadable } from './bounded-reading.ts';
import { countStuckRows, findStuckRows, type StuckQuery, type StuckRow, type StuckThreshold } from './queries/query.ts';

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

/** When an object counts as stuck, how it is found in PostgreSQL, and how it is described. */
export interface StuckDefinition {
  readonly kind: string;
  /** One sentence for an operator. */
  readonly meaning: string;
  /** The object counts as stuck after this time. */
  readonly afterSeconds: number;
  readonly query: StuckQuery<object>;
  find(db: Db, now: RealInstant, limit: number): Promise<StuckReport>;
}

/** The description of one row. */
export type Description = Pick<Stuck, 'why' | 'remedy'> & { workflowId?: string };

const shownOfEach = 100;

/** Makes a definition. `describe` returns the description of a row of its query. */
export function define<Facts extends object>(definition: {
  kind: string;
  meaning: string;
  afterSeconds: number;
  query: StuckQuery<Facts>;
  describe(row: StuckRow & Facts): Description;
}): StuckDefinition {
  const { kind, meaning, afterSeconds, query, describe } = definition;
  return {
    kind,
    meaning,
    afterSeconds,
    query,
    async find(db, now, limit) {
      const { count, rows } = await readBounded(db, (tx) =>
        findStuckRows(tx, query, thresholdOf(afterSeconds, now), limit),
      );
      const found = rows.map((row): Stuck => {
        const { why, remedy, workflowId = null } = describe(row);
        const { subject_id, biller_id, livemode } = row;
        const since = row.since?.toISOString() ?? null;
        return { kind, subject_id, biller_id, livemode, since, why, remedy, workflow_id: workflowId };
      });
      return { kind, meaning, after_seconds: afterSeconds, count, found };
    },
  };
}

/**
 * All that PostgreSQL knows to be stuck at `now`: one report for each definition, in their order. A kind that cannot be
 * read, because a session holds its table or PostgreSQL refuses it, is one of the last report, `not_readable`.
 * @throws when PostgreSQL is not reachable.
 */
export async function findStuck(
  db: Db,
  definitions: readonly StuckDefinition[],
  now: RealInstant,
  limit = shownOfEach,
): Promise<StuckReport[]> {
  const read = await all(
    definitions.map((definition) => unlessHeld(definition, () => definition.find(db, now, limit))),
  );
  const reports = read.filter((result) => 'found' in result);
  return [...reports, reportUnread(read.filter((result) => 'reason' in result))];
}

/**
 * The number of stuck objects by kind. One statement, cheap enough to run every few seconds; one for each kind while
 * one of them cannot be read. Such a kind is left out, and `not_readable` counts those.
 * @throws when PostgreSQL is not reachable.
 */
export async function countStuck(
  db: Db,
  definitions: readonly StuckDefinition[],
  now: RealInstant,
): Promise<Map<string, number>> {
  try {
    return await readBounded(db, (tx) => countTogether(tx, definitions, now));
  } catch (error) {
    if (whyUnreadable(error) === null) throw error;
  }
  const counts = new Map([[notReadable.kind, 0]]);
  for (const definition of definitions) {
    const counted = await unlessHeld(definition, () => readBounded(db, (tx) => countTogether(tx, [definition], now)));
    if ('reason' in counted) counts.set(notReadable.kind, (counts.get(notReadable.kind) ?? 0) + 1);
    else counts.set(definition.kind, counted.get(definition.kind) ?? 0);
  }
  return counts;
}

async function countTogether(
  db: Db,
  definitions: readonly StuckDefinition[],
  now: RealInstant,
): Promise<Map<string, number>> {
  const queries = definitions.map(({ query, afterSeconds }) => ({ query, threshold: thresholdOf(afterSeconds, now) }));
  const counts = await countStuckRows(db, queries);
  const known = definitions.map(({ kind }, position): [string, number] => [kind, counts[position] ?? 0]);
  return new Map([...known, [notReadable.kind, 0]]);
}

async function unlessHeld<T>(
  { kind }: StuckDefinition,
  read: () => Promise<T>,
): Promise<T | { kind: string; reason: string }> {
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
  const place = { subject_id: null, biller_id: null, livemode: null, since: null, workflow_id: null };
  const found = unread.map(
    ({ kind, reason }): Stuck => ({
      kind: notReadable.kind,
      ...place,
      why: `${kind} could not be read: ${reason}`,
      remedy:
        'Do what writes_refused says, or end the session that database_locked names; then look again. If there is neither, ' +
        'PostgreSQL is too slow.',
    }),
  );
  return { ...notReadable, count: found.length, found };
}

function thresholdOf(afterSeconds: number, now: RealInstant): StuckThreshold {
  return { before: addMs(now, -afterSeconds * 1000), now };
}
