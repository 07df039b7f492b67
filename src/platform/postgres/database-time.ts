import type { Db } from './connection.ts';

/**
 * Returns the current instant by the database's clock, which all processes share. For decisions that must not depend on
 * whether this machine's clock is right.
 */
export async function databaseNow(db: Db): Promise<Date> {
  const [row] = await db<[{ now: Date }]>`select clock_timestamp() as now`;
  return row.now;
}
