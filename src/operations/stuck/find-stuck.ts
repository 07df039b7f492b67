import type { Db } from '../../platform/postgres/connection.ts';
import { countStuckRows, findStuckRows, type StuckQuery, type StuckRow, type StuckThreshold } from './queries/query.ts';

/** Something that does not continue on its own, as it is reported to an operator. */
export interface Stuck {
  kind: string;
  /** The object that is stuck; null if it is the whole service. */
  subject_id: string | null;
  biller_id: string | null;
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
  find(db: Db, now: Date, limit: number): Promise<StuckReport>;
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
      const { count, rows } = await findStuckRows(db, query, thresholdOf(afterSeconds, now), limit);
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

/** All that PostgreSQL knows to be stuck at `now` (real time): one report for each definition, in their order. */
export async function findStuck(
  db: Db,
  definitions: readonly StuckDefinition[],
  now: Date,
  limit = shownOfEach,
): Promise<StuckReport[]> {
  return Promise.all(definitions.map((definition) => definition.find(db, now, limit)));
}

/** The number of stuck objects by kind. One statement, cheap enough to run every few seconds. */
export async function countStuck(
  db: Db,
  definitions: readonly StuckDefinition[],
  now: Date,
): Promise<Map<string, number>> {
  const queries = definitions.map(({ query, afterSeconds }) => ({ query, threshold: thresholdOf(afterSeconds, now) }));
  const counts = await countStuckRows(db, queries);
  return new Map(definitions.map(({ kind }, position) => [kind, counts[position] ?? 0]));
}

function thresholdOf(afterSeconds: number, now: Date): StuckThreshold {
  return { before: new Date(now.getTime() - afterSeconds * 1000), now };
}
