import { expireInRealTime, expireOnClock, listLapsed } from '../../db/mandates.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { record, transact } from '../events.ts';
import { endEvent } from './mandate-ends.ts';

// A mandate lapses after 15 months without a debit (`lapses_at`). From that instant on no debit is made under it
// (domain/mandates/mandate.ts), so it matters little when its status follows. In real time housekeeping ends it within
// seconds. On a test clock the advance that passes the instant does so when it is its turn.

/**
 * Ends mandates in real time that have lapsed, each with its event. If one cannot be ended, the others still are.
 * @param now by the database's clock.
 * @throws AggregateError with every failure, after all were tried.
 */
export async function expireMandates(sql: Pool, now: RealInstant): Promise<void> {
  const failures: unknown[] = [];
  for (const id of await listLapsed(sql, now)) {
    await transact(sql, { requestId: null, now }, async (tx) => {
      const mandate = await expireInRealTime(tx, id, now);
      if (mandate !== null) record(tx, endEvent(mandate));
    }).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mandates could not be ended`);
}

/** Ends a mandate on a test clock that has lapsed by `at` (the clock's time), with its event. */
export async function expireMandateOnClock(tx: Tx, id: string, { at }: { at: CustomerInstant }): Promise<void> {
  const mandate = await expireOnClock(tx, id, at);
  if (mandate !== null) record(tx, endEvent(mandate));
}
