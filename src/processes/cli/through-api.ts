import { setTimeout as pause } from 'node:timers/promises';
import type { StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import type { Cause } from '../../platform/database-causes.ts';
import { causeOf } from '../../platform/postgres/causes.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { CliContext } from './context.ts';

const triedForMs = 3_000;
const tryAgainMs = 250;
const responseTimeoutMs = 10_000;

/**
 * Returns why PostgreSQL refuses this command a connection: at once if it refuses the login, or after three seconds if
 * all connections are taken. Null if it gives one.
 * @throws what PostgreSQL throws for any other reason.
 */
export async function refusalOfConnection(sql: Pool): Promise<Cause | null> {
  const giveUpAt = performance.now() + triedForMs;
  for (;;) {
    try {
      await sql`select 1`;
      return null;
    } catch (error) {
      const cause = causeOf(error);
      if (cause?.kind === 'login') return cause;
      if (cause?.kind !== 'connections') throw error;
      if (performance.now() > giveUpAt) return cause;
    }
    await pause(tryAgainMs);
  }
}

/**
 * Returns what is stuck as the API sees it, which keeps connections to PostgreSQL: its page `/ops.json`. Null if its
 * address is not known, or it does not show that page.
 */
export async function findStuckThroughApi({
  apiUrl,
  operatorKey,
}: Pick<CliContext, 'apiUrl' | 'operatorKey'>): Promise<StuckReport[] | null> {
  if (apiUrl === null) return null;
  const headers = operatorKey === null ? undefined : { Authorization: `Bearer ${operatorKey}` };
  const signal = AbortSignal.timeout(responseTimeoutMs);
  try {
    const response = await fetch(`${apiUrl}/ops.json`, { redirect: 'error', signal, ...(headers && { headers }) });
    const content: { stuck?: StuckReport[] } = response.ok ? JSON.parse(await response.text()) : {};
    return content.stuck ?? null;
  } catch {
    return null;
  }
}
