import type { Db } from './connection.ts';

/**
 * The instant by the database's clock, the one that all processes share: for what must not hang on whether the clock of this
 * one is right.
 */
export async function databaseNow(db: Db): Promise<Date> {
  const [row] = await db<[{ now: Date }]>`select clock_timestamp() as now`;
  return row.now;
}
