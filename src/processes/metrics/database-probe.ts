import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Pool } from '../../platform/postgres/connection.ts';

/** A slower probe counts as failed. Scrapers give up after ten seconds. */
const patienceMs = 2_000;

/**
 * Sends one statement through the pool with each scrape. Its duration is what any statement takes at this moment, the
 * wait for a connection included. The client does not expose how busy its connections are.
 */
export function probeDatabase(registry: Registry, sql: Pool, max: number): void {
  const registers = [registry];
  const seconds = new Gauge({
    name: 'payments_db_probe_seconds',
    help: 'What one statement took, through the pool, the wait for a connection included; at most 2 s is waited',
    registers,
    collect: () => probed(),
  });
  const up = new Gauge({
    name: 'payments_db_up',
    help: 'Whether that statement completed within 2 s',
    registers,
    collect: () => probed(),
  });
  new Gauge({ name: 'payments_db_connections_max', help: 'How many connections this process may have', registers }).set(
    max,
  );

  /**
   * The statement under way, if any. No other is sent meanwhile, so the probe does not add to the load that it
   * measures.
   */
  let statement: Promise<boolean> | null = null;
  let scrape: Promise<void> | null = null;

  /** The two figures of a scrape come from one probe. */
  function probed(): Promise<void> {
    scrape ??= probe().finally(() => {
      scrape = null;
    });
    return scrape;
  }

  async function probe(): Promise<void> {
    const begun = performance.now();
    statement ??= answered(sql).finally(() => {
      statement = null;
    });
    const patience = new AbortController();
    const isUp = await Promise.race([
      statement,
      pause(patienceMs, false, { signal: patience.signal }).catch(() => false),
    ]);
    patience.abort();
    up.set(isUp ? 1 : 0);
    seconds.set((performance.now() - begun) / 1000);
  }
}

async function answered(sql: Pool): Promise<boolean> {
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  }
}
