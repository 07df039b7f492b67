import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentsClient } from '@payments-service/client';
import { Client, Connection } from '@temporalio/client';
import { recordFile } from '../dev/daemon.ts';
import { findFreePorts, probePort } from '../dev/ports.ts';
import { findRecordedProcess } from '../dev/process-record.ts';
import { clientOf } from '../lab/client.ts';
import { eventually } from '../lab/eventually.ts';
import { freeze, thaw } from '../lab/frozen.ts';
import { range } from '../lab/parallel.ts';
import { makePayer, type Payer } from '../lab/payer.ts';
import { familyOf } from '../lab/process-table.ts';
import { namespace } from '../lab/servers.ts';
import { type ServiceCopy, startService } from '../lab/service.ts';
import { type StandIn, startStandIn } from '../lab/stand-in.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';

/** A process of `npm start`, by the name of its record. */
export type ProcessName = 'api' | 'pages' | 'worker' | 'postgres' | 'temporal';

/** A service with its metrics, what it charges, and the hands that break it. */
export interface Scene {
  readonly service: ServiceCopy;
  /** The port of the API's metrics; the worker has the next one. */
  readonly metricsPort: number;
  readonly sandbox: PaymentsClient;
  readonly live: PaymentsClient;
  /** A customer in each mode whose card is never declined. */
  readonly payers: { sandbox: Payer; live: Payer };
  /** Of `performance.now()`. */
  readonly openedAt: number;
  /** The live processor. */
  readonly standIn: StandIn;
  readonly sql: Pool;
  readonly temporal: Client;
  /** Comes when the drill must end. */
  readonly signal: AbortSignal;
  /** Its process id now. @throws Error if it is down. */
  pidOf(name: ProcessName): Promise<number>;
  /** Stops it by SIGSTOP, with all that it has started. Returns what lets it go on. */
  freeze(name: ProcessName): Promise<() => void>;
  /** Resolves when the API responds that it is ready. */
  untilReady(): Promise<void>;
  /** Repeats the work in so many lanes until the returned function is called. Failures are what it is broken for. */
  keepDoing(lanes: number, restMs: number, work: () => Promise<unknown>): () => Promise<void>;
  stop(): Promise<void>;
}

const clientTimeoutMs = 10_000;
const readyTimeoutMs = 120_000;

/** Starts the service and its live processor in the folder. @throws Error if one does not start */
export async function openScene(folder: string, signal: AbortSignal): Promise<Scene> {
  const standIn = await startStandIn(join(folder, 'processor'));
  const metricsPort = await findPortsInARow(4);
  const service = await startService(join(folder, 'service'), {
    environment: { METRICS_PORT: String(metricsPort), METRICS_HOST: '', ...standIn.environment },
    signal,
  });
  const sandbox = clientOf(service, { timeoutMs: clientTimeoutMs });
  const live = clientOf({ baseUrl: service.baseUrl, key: service.liveKey }, { timeoutMs: clientTimeoutMs });
  const payers = { sandbox: await makePayer(sandbox), live: await makePayer(live, {}, 'live') };
  const sql = openPool(service.databaseUrl, { max: 4, name: 'drill' });
  const connection = Connection.lazy({ address: service.temporalAddress });
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);

  async function pidOf(name: ProcessName): Promise<number> {
    const pid = await findRecordedProcess(recordFile(service.dataDir, name));
    if (pid === null) throw new Error(`${name} is down`);
    return pid;
  }
  return {
    ...{ service, metricsPort, sandbox, live, payers, standIn, sql, signal, pidOf, openedAt: performance.now() },
    temporal: new Client({ connection, namespace }),
    async freeze(name) {
      const pids = await familyOf(await pidOf(name));
      pids.forEach(freeze);
      return () => pids.forEach(thaw);
    },
    async untilReady() {
      const isReady = async () => {
        const timeout = AbortSignal.timeout(clientTimeoutMs);
        const response = await fetch(`${service.baseUrl}/readyz`, { signal: timeout }).catch(() => null);
        return response?.ok;
      };
      await eventually('the service is ready', isReady, { timeoutMs: readyTimeoutMs, everyMs: 500, signal });
    },
    keepDoing(lanes, restMs, work) {
      let isOver = false;
      const busy = range(lanes).map(async () => {
        while (!isOver && !over.aborted) {
          await work().catch(() => {});
          await pause(restMs);
        }
      });
      return async () => {
        isOver = true;
        await Promise.all(busy);
      };
    },
    async stop() {
      ending.abort();
      await sql.end({ timeout: 2 });
      await connection.close();
      await service.stop();
      await standIn.stop();
    },
  };
}

/** The first of so many free ports, one after the other. */
async function findPortsInARow(count: number): Promise<number> {
  for (;;) {
    const [first = 0] = await findFreePorts(1);
    const rest = await Promise.all(range(count - 1).map((index) => probePort(first + 1 + index)));
    if (rest.every((state) => state === 'free')) return first;
  }
}
