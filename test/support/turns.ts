import { relative } from 'node:path';
import postgres from 'postgres';
import order from './run-order.json' with { type: 'json' };
import { testFolder } from './test-files.ts';

/** The key of the advisory lock; it only has to be the same in all workers. */
const turnKey = 1;

/**
 * Waits until this file may run beside the files of mocha's other workers, and returns what ends its turn. A file that
 * `run-order.json` lists under `alone` waits until no other runs. The lock ends with its connection, so a worker that
 * dies blocks no other. Without other workers there is nothing to wait for.
 */
export async function takeTurn(file: string): Promise<() => Promise<void>> {
  if (process.env.MOCHA_WORKER_ID === undefined) return async () => {};
  const sql = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 });
  if (relative(testFolder, file) in order.alone) await sql`select pg_advisory_lock(${turnKey})`;
  else await sql`select pg_advisory_lock_shared(${turnKey})`;
  return () => sql.end();
}
