import { setTimeout as pause } from 'node:timers/promises';
import { type ClockKey, listAdvancing } from '../../db/test-clocks.ts';
import { isId } from '../../domain/ids.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
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
  let isLooking = false;

  async function look(): Promise<void> {
    while (waiting.size > 0) {
      const asked = [...waiting];
      const clocks = new Map(asked.map(({ clock }) => [nameOf(clock), clock]));
      // If the query fails, all requests continue. Each one then meets the failure itself.
      const advancing = await listAdvancing(sql, [...clocks.values()]).catch(() => []);
      const names = new Set(advancing.map(nameOf));
      for (const { clock, done } of asked) if (!names.has(nameOf(clock))) done();
      if (waiting.size > 0) await pause(lookAgainMs);
    }
    isLooking = false;
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
      if (isLooking) return;
      isLooking = true;
      void look();
    });
  };
}

/** The key includes the biller: for another biller, a clock with this id does not exist. */
function nameOf({ id, biller_id: billerId }: ClockKey): string {
  return `${billerId}/${id}`;
}
