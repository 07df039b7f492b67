import postgres from 'postgres';
import type { Pool } from './connection.ts';

/** Longer than any statement may run; after it an unused connection is given back. */
const idleSeconds = 60;

/** Locks by name that hold across processes, without a transaction and without a row. */
export interface AdvisoryLocks {
  /** Takes the lock if nobody has it; answers how to release it, or null. */
  tryTake(name: string): Promise<(() => Promise<void>) | null>;
}

/**
 * PostgreSQL's advisory locks, all of one process on one connection of their own beside the pool. When the process or
 * that connection dies they are free at once. They do not exclude callers of the same process from each other.
 */
export function openAdvisoryLocks(pool: Pool): AdvisoryLocks {
  // The client takes parsed options as they are, which its types do not say.
  const options: object = { ...pool.options, max: 1, idle_timeout: idleSeconds, max_lifetime: null };
  const session = postgres(options);
  return {
    async tryTake(name) {
      const [row] = await session<{ taken: boolean }[]>`
        select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`;
      if (!row?.taken) return null;
      return async () => {
        // Fails where the connection is gone, and the lock with it.
        await session`select pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => undefined);
      };
    },
  };
}
