import type { PaymentsClient } from '@payments-service/client';
import type { Client as Temporal } from '@temporalio/client';
import { findFreePorts } from '../dev/ports.ts';
import { clientOf } from '../lab/client.ts';
import { type Parts, startParts } from '../lab/parts.ts';
import type { Mode } from '../lab/payer.ts';
import type { SupervisedProcess } from '../lab/supervised-process.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { ensureDemoBiller } from '../src/services/accounts/billers.ts';

/**
 * A service whose parts can be killed: an API and workers under a supervisor that starts them again, and both servers.
 */
export interface Breakable extends Pick<Parts, 'sql' | 'side' | 'stop'> {
  /** Of one biller, in the mode that was asked for. */
  client: PaymentsClient;
  mode: Mode;
  /** Of the processor of that mode. */
  ledgerFile: string;
  /** Connections that were opened after the crash; the caller ends them. */
  openFreshPool(): Pool;
  temporal: Temporal;
  workers: readonly SupervisedProcess[];
  /** The processes that are killed in turn: the workers, and in live mode the processor. */
  victims: readonly SupervisedProcess[];
  /** Kills PostgreSQL and starts it again; returns the seconds until it is up. */
  crashPostgres(): Promise<number>;
}

const upTimeoutMs = 90_000;

export async function startBreakable(folder: string, workerCount: number, mode: Mode): Promise<Breakable> {
  const parts = await startParts(folder);
  const { postgres, sql, standIn } = parts;
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
    mode,
    ledgerFile: mode === 'live' ? standIn.ledgerFile : parts.ledgerFile,
    client: clientOf({ baseUrl: `http://127.0.0.1:${port}`, key: keys[`${mode}_secret`] }),
    openFreshPool: () => openPool(postgres.url, { max: 4, name: 'bench judge' }),
    temporal: parts.side.temporal,
    workers,
    victims: mode === 'live' ? [...workers, standIn.process] : workers,
    async crashPostgres() {
      const begun = performance.now();
      await postgres.kill();
      await postgres.start();
      return (performance.now() - begun) / 1000;
    },
  };
}
