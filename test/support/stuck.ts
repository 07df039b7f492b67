import assert from 'node:assert/strict';
import { addMs } from '../../src/domain/instants.ts';
import { rowKinds } from '../../src/operations/stuck/kinds.ts';
import { countStuck, findStuck, type Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import type { Db } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';

/** What PostgreSQL knows of an object that is stuck, by kind, as it will be `later` milliseconds from now. */
export async function stuckBySubject(db: Db, subjectId: string | null, later = 0): Promise<Record<string, Stuck>> {
  // The database's clock has microseconds: what it has just written may lie within this millisecond.
  const now = addMs(realNow(), 1 + later);
  const reports = await findStuck(db, rowKinds, now);
  const counts = await countStuck(db, rowKinds, now);
  for (const { kind, count } of reports) assert.equal(counts.get(kind), count, `${kind} is counted as it is found`);
  const found = reports.flatMap((report) => report.found).filter((stuck) => stuck.subject_id === subjectId);
  return Object.fromEntries(found.map((stuck) => [stuck.kind, stuck]));
}
