import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type Kind, reportOf, type StuckReport, stuckAs } from './reading/find-stuck.ts';

/** SQLSTATE `disk_full`. */
const diskFull = '53100';

/** The kind of stuck that only a write shows: PostgreSQL still responds to what only reads. */
export const fullDatabase: Kind = {
  kind: 'database_full',
  meaning: 'PostgreSQL has no space left: requests that write get 503, and nothing is collected.',
  after: 0,
};

/**
 * Whether PostgreSQL has space for a megabyte: it sorts so much with little memory, in a temporary file. That needs no
 * right, changes nothing, and takes some milliseconds.
 * @throws what PostgreSQL throws for any other reason.
 */
export async function findFullDatabase(sql: Pool): Promise<StuckReport> {
  const refusal = await refusalToWrite(sql);
  if (refusal === null) return reportOf(fullDatabase, []);
  const why = `it refuses to write: ${refusal}`;
  const remedy =
    'Free space on its disk (under npm start: DATA_DIR), or enlarge it. The service then continues; if ' +
    'PostgreSQL has ended, start it.';
  return reportOf(fullDatabase, [stuckAs(fullDatabase, { why, remedy })]);
}

async function refusalToWrite(sql: Pool): Promise<string | null> {
  try {
    await atomically(sql, async (tx) => {
      await tx`select set_config('work_mem', '64kB', true)`;
      await tx`
        select max(filler) from (
          select repeat('x', 1000) || number as filler from generate_series(1, 1000) number
          order by md5(number::text) offset 0
        ) sorted`;
    });
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === diskFull) return error.message;
    throw error;
  }
}
