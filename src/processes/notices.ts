import { randomUUID } from 'node:crypto';
import type { Logger } from '../platform/logger.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';
import type { Processors } from '../processors/processor.ts';
import { readNotices, stopReading } from '../services/processor-notices/reading.ts';
import { settleNotices } from '../services/processor-notices/settling.ts';
import { chargeHook } from '../services/subjects/charge-hook.ts';

/** How often a process that may not read looks whether it may. */
const readAgainAfterMs = 5_000;
/** The pause after a reading that found nothing: a processor that does not wait must not be asked all the time. */
const pauseAfterNoneMs = 1_000;
/** The pause between two looks for notices that are due; a reading that finds some ends it. */
const settleEveryMs = 2_000;

/**
 * Reads the notices of the live processor, and asks it about what they name, while the process runs. Any number of
 * processes may do so: one of them reads at a time, and each notice is asked about by one.
 */
export function startNotices(sql: Pool, processors: Processors, logger: Logger): Repetition {
  const by = randomUUID();
  const onError = (err: unknown) => logger.warn({ err }, 'notices of the live processor: trying again');
  const settling = repeat(
    async () => {
      // Without a live processor nothing can be asked: what is due stays.
      const due = processors.live === null ? 0 : await settleNotices(sql, { processors, hook: chargeHook });
      return due === 0 ? settleEveryMs : 0;
    },
    { everyMs: settleEveryMs, onError },
  );
  const reading = repeat(
    async (closing) => {
      const heard = await readNotices(sql, processors.live, by, closing);
      if (heard === null) return readAgainAfterMs;
      if (heard > 0) settling.wake();
      return heard > 0 ? 0 : pauseAfterNoneMs;
    },
    { everyMs: readAgainAfterMs, onError },
  );
  return {
    wake: reading.wake,
    async close() {
      await Promise.all([reading.close(), settling.close()]);
      await stopReading(sql, by).catch(() => {});
    },
  };
}
