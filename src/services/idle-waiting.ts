import { type Id, type IdKind, isId } from '../domain/ids.ts';
import type { Db, Pool } from '../platform/postgres/connection.ts';
import { repeat } from '../platform/repeat.ts';
import type { Tenant } from './request-context.ts';

/** Polling interval. One query looks at all the objects that requests wait for. */
const lookAgainMs = 10;

/** Names an object of a biller in a mode. */
export interface OwnedId {
  id: string;
  biller_id: Id<'biller'>;
  livemode: boolean;
}

/** Resolves when the object is not busy or does not exist, or when the signal is aborted. Never rejects. */
export type AwaitIdle = (tenant: Tenant, id: string, signal: AbortSignal) => Promise<void>;

interface Waiter {
  asked: OwnedId;
  done(): void;
}

/**
 * Waits for objects of a kind on behalf of all requests of a process. While any request waits, one query every 10 ms
 * finds out which of all the objects that are waited for are still busy: `listBusy`.
 */
export function idleWaiting(
  sql: Pool,
  kind: IdKind,
  listBusy: (db: Db, asked: readonly OwnedId[]) => Promise<readonly OwnedId[]>,
): AwaitIdle {
  const waiting = new Set<Waiter>();
  const looking = repeat(look, { everyMs: lookAgainMs, onError: () => {} });

  async function look(): Promise<number> {
    const all = [...waiting];
    if (all.length === 0) return Number.POSITIVE_INFINITY;
    const objects = new Map(all.map(({ asked }) => [nameOf(asked), asked]));
    // If the query fails, all requests continue. Each one then meets the failure itself.
    const busy = await listBusy(sql, [...objects.values()]).catch(() => []);
    const names = new Set(busy.map(nameOf));
    for (const { asked, done } of all) if (!names.has(nameOf(asked))) done();
    return lookAgainMs;
  }

  return ({ billerId, livemode }, id, signal) => {
    if (!isId(kind, id) || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter: Waiter = { asked: { id, biller_id: billerId, livemode }, done };
      waiting.add(waiter);
      signal.addEventListener('abort', done);
      if (waiting.size === 1) looking.wake();
    });
  };
}

/** The key includes the owner: for another biller, and in the other mode, an object with this id does not exist. */
function nameOf({ id, biller_id: billerId, livemode }: OwnedId): string {
  return `${billerId}/${livemode}/${id}`;
}
