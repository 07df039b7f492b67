import { setTimeout as pause } from 'node:timers/promises';
import { sweepIdempotencyKeys } from '../db/idempotency-keys.ts';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { databaseNow } from '../platform/postgres/database-time.ts';
import { realNow } from '../platform/real-time.ts';
import type { Processors } from '../processors/processor.ts';
import { recoverCharges } from '../services/payments/payment-confirmation.ts';
import { recoverRefunds } from '../services/payments/refunds.ts';
import { bookOnPlan } from '../services/plans/plan-dunning.ts';

const everyMs = 5_000;

/**
 * Tidies the database while the process runs. It completes charges and refunds whose process died between calling the
 * processor and recording the outcome, and removes expired idempotency keys. Any number of processes may run it side by
 * side.
 */
export function startHousekeeping(sql: Pool, processors: Processors, logger: Logger): { close(): Promise<void> } {
  const stopping = new AbortController();
  const duties = {
    'recover charges': () => recoverCharges(sql, { processors, onOutcome: bookOnPlan }, realNow()),
    'recover refunds': () => recoverRefunds(sql, processors, realNow()),
    // By the database's clock: a process whose own clock is ahead must not remove keys that are still valid.
    'sweep idempotency keys': async () => sweepIdempotencyKeys(sql, await databaseNow(sql)),
  };
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const [duty, perform] of Object.entries(duties)) {
        await perform().catch((error: unknown) =>
          logger.warn({ err: error, duty }, 'housekeeping failed; trying again'),
        );
      }
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}
