import { setTimeout as pause } from 'node:timers/promises';
import type { StuckReport } from '../../operations/stuck/find-stuck.ts';
import { isRefusedForNumber } from '../../operations/stuck/sessions.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { CliContext } from './context.ts';

const triedForMs = 3_000;
const tryAgainMs = 250;
const responseTimeoutMs = 10_000;

/**
 * Whether this command gets a connection to PostgreSQL: at once, or within three seconds if all are taken.
 * @throws what PostgreSQL throws for any other reason.
 */
export async function getsConnection(sql: Pool): Promise<boolean> {
  const giveUpAt = performance.now() + triedForMs;
  for (;;) {
    try {
      await sql`select 1`;
      return true;
    } catch (error) {
      if (!isRefusedForNumber(error)) throw error;
      if (performance.now() > giveUpAt) return false;
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
