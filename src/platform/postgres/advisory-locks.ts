import postgres from 'postgres';
import type { Pool } from './types.ts';

/** Longer than any statement may run. An idle connection is closed after this time. */
const idleSeconds = 60;

/** Named locks that work across processes, without a transaction and without a row. */
export interface AdvisoryLocks {
  /** Takes the lock if it is free, and returns a function that releases it. Returns null if it is taken. */
  tryTake(name: string): Promise<(() => Promise<void>) | null>;
}

/**
 * PostgreSQL's advisory locks. All locks of a process share one connection outside the pool. If the process or that
 * connection dies, PostgreSQL releases them at once. They do not exclude callers in the same process from each other.
 */
export function openAdvisoryLocks(pool: Pool): AdvisoryLocks {
  // The client accepts parsed options; its types do not say so.
  const options: object = { ...pool.options, max: 1, idle_timeout: idleSeconds, max_lifetime: null };
  const session = postgres(options);
  return {
    async tryTake(name) {
      const [row] = await session<{ taken: boolean }[]>`
        select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`;
      if (!row?.taken) return null;
      return async () => {
        // This fails if the connection is gone; the lock is then gone too.
        await session`select pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => undefined);
      };
    },
  };
}
