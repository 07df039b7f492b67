import { listAdvancing } from '../../db/test-clocks.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { type AwaitIdle, idleWaiting } from '../idle-waiting.ts';

/** Waits, on behalf of the requests of a process, until test clocks are not advancing. */
export function clockWaiting(sql: Pool): AwaitIdle {
  return idleWaiting(sql, 'test_clock', async (db, clocks) =>
    (await listAdvancing(db, clocks)).map((clock) => ({ ...clock, livemode: false })),
  );
}
