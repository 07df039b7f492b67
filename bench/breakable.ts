import type { PaymentsClient } from '@payments-service/client';
import type { Client as Temporal } from '@temporalio/client';
import { findFreePorts } from '../dev/ports.ts';
import { clientOf } from '../lab/client.ts';
import { type Parts, startParts } from '../lab/parts.ts';
import type { SupervisedProcess } from '../lab/supervised-process.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { ensureDemoBiller } from '../src/services/accounts/billers.ts';

/**
 * A service whose parts can be killed: an API and workers under a supervisor that starts them again, and both servers.
 */
export interface Breakable extends Pick<Parts, 'sql' | 'side' | 'ledgerFile' | 'stop'> {
  client: PaymentsClient;
  /** Connections that were opened after the crash; the caller ends them. */
  openFreshPool(): Pool;
  temporal: Temporal;
  workers: readonly SupervisedProcess[];
  /** Kills PostgreSQL and starts it again; returns the seconds until it is up. */
  crashPostgres(): Promise<number>;
}

const upTimeoutMs = 90_000;

export async function startBreakable(folder: string, workerCount: number): Promise<Breakable> {
  const parts = await startParts(folder);
  const { postgres, sql } = parts;
  const { keys } = await ensureDemoBiller(sql, null);
  const [port] = await findFreePorts(1);
  const environment = { PORT: String(port), LOG_LEVEL: 'warn' };
  const api = parts.start('api', { name: 'api' }, environment);
  const workers = Array.from({ length: workerCount }, (_, index) =>
    parts.start('worker', { name: `worker ${index + 1}` }, environment),
  );
  for (const each of [api, ...workers]) {
    if (!(await each.untilUp(upTimeoutMs))) throw new Error(`${each.name} is not up after ${upTimeoutMs / 1000} s`);
  }
  return {
    ...parts,
    client: clientOf({ baseUrl: `http://127.0.0.1:${port}`, key: keys.sandbox_secret }),
    openFreshPool: () => openPool(postgres.url, { max: 4, name: 'bench judge' }),
    temporal: parts.side.temporal,
    workers,
    async crashPostgres() {
      const begun = performance.now();
      await postgres.kill();
      await postgres.start();
      return (performance.now() - begun) / 1000;
    },
  };
}
