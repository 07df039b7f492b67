import { heartbeatName } from '../operations/stuck/kinds/sessions.ts';
import type { Logger } from '../platform/logger.ts';
import { openPool } from '../platform/postgres/connection.ts';
import { type Repetition, repeat } from '../platform/repeat.ts';

const everyMs = 2_000;
/** PostgreSQL closes the session of a host that has not responded for 25 s. Its default is more than two hours. */
const keepalive = { idle: 10, interval: 5, count: 3 };

/**
 * Sends PostgreSQL a statement every two seconds, on a session of its own that is named after this process. While the
 * event loop stands still, none is sent, and the session is still there: so `ops stuck` tells a process that hangs from
 * one that has ended. Temporal cannot tell: the native threads of its SDK keep polling.
 */
export function startHeartbeat(databaseUrl: string, process: string, logger: Logger): Repetition {
  const session = openPool(databaseUrl, { max: 1, name: heartbeatName(process) });
  let isWell = true;
  const beating = repeat(
    async () => {
      await session`
        select set_config('tcp_keepalives_idle', ${String(keepalive.idle)}, false),
          set_config('tcp_keepalives_interval', ${String(keepalive.interval)}, false),
          set_config('tcp_keepalives_count', ${String(keepalive.count)}, false)`;
      isWell = true;
    },
    {
      everyMs,
      onError(err) {
        if (isWell) logger.warn({ err }, 'this process could not show PostgreSQL that it runs; trying again');
        isWell = false;
      },
    },
  );
  return {
    wake: beating.wake,
    async close() {
      await beating.close();
      await session.end({ timeout: 5 });
    },
  };
}
