import { type ClockKey, listAdvancing } from '../../db/test-clocks.ts';
import { isId } from '../../domain/ids.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { repeat } from '../../platform/repeat.ts';
import type { Tenant } from '../request-context.ts';

/** Polling interval. One query looks at all the clocks that requests wait for. */
const lookAgainMs = 10;

/** Resolves when the clock is not advancing or does not exist, or when the signal is aborted. Never rejects. */
export type AwaitClock = (tenant: Tenant, id: string, signal: AbortSignal) => Promise<void>;

interface Waiter {
  clock: ClockKey;
  done(): void;
}

/**
 * Waits for test clocks on behalf of all requests of a process. While any request waits, one query every 10 ms reads
 * all the clocks that are waited for.
 */
export function clockWaiting(sql: Pool): AwaitClock {
  const waiting = new Set<Waiter>();
  const looking = repeat(look, { everyMs: lookAgainMs, onError: () => {} });

  async function look(): Promise<number> {
    const asked = [...waiting];
    if (asked.length === 0) return Number.POSITIVE_INFINITY;
    const clocks = new Map(asked.map(({ clock }) => [nameOf(clock), clock]));
    // If the query fails, all requests continue. Each one then meets the failure itself.
    const advancing = await listAdvancing(sql, [...clocks.values()]).catch(() => []);
    const names = new Set(advancing.map(nameOf));
    for (const { clock, done } of asked) if (!names.has(nameOf(clock))) done();
    return lookAgainMs;
  }

  return ({ billerId }, id, signal) => {
    if (!isId('test_clock', id) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter: Waiter = { clock: { id, biller_id: billerId }, done };
      waiting.add(waiter);
      signal.addEventListener('abort', done);
      if (waiting.size === 1) looking.wake();
    });
  };
}

/** The key includes the biller: for another biller, a clock with this id does not exist. */
function nameOf({ id, biller_id: billerId }: ClockKey): string {
  return `${billerId}/${id}`;
}
