import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection, Client as Temporal } from '@temporalio/client';
import { findFreePorts } from '../dev/ports.ts';
import { startPostgres } from '../dev/postgres.ts';
import { startTemporal } from '../dev/temporal.ts';
import { type Child, superviseChild } from '../faults/child.ts';
import { copyPrograms } from '../faults/processes/copy.ts';
import { repeatedly } from '../faults/repeatedly.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { childEnvironment } from '../src/processes/config/config.ts';
import { ensureNamespace, ensureSearchAttributes } from '../src/processes/temporal/namespace.ts';
import { ensureDemoBiller } from '../src/services/accounts/billers.ts';
import { type Client, openClient } from './client.ts';

/** A service whose parts can be killed: an API and workers under a supervisor that starts them again, and both servers. */
export interface Breakable {
  client: Client;
  sql: Pool;
  /** Connections of which none has seen the crash; to be ended by who asked for them. */
  openFreshPool(): Pool;
  temporal: Temporal;
  taskQueue: string;
  ledgerFile: string;
  workers: readonly Child[];
  /** Kills PostgreSQL, without letting it end in order, and starts it again; answers the seconds until it is up. */
  crashPostgres(): Promise<number>;
  stop(): Promise<void>;
}

const namespace = 'payments';
const taskQueue = 'payments';
const upTimeoutMs = 90_000;

export async function startBreakable(folder: string, workerCount: number): Promise<Breakable> {
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const ledgerFile = join(folder, 'ledger.jsonl');
  const [apiPort = 0, postgresPort = 0, temporalPort = 0] = await findFreePorts(3);
  const launch = () => startPostgres({ dataDir: folder, port: postgresPort, log: () => {} });
  let postgres = await launch();
  const server = await startTemporal({ dataDir: folder, frontendPort: temporalPort, uiPort: null, log: () => {} });
  const connection = await Connection.connect({ address: server.address });
  await ensureNamespace(connection, namespace);
  await ensureSearchAttributes(connection, namespace);
  await migrate(postgres.url);
  const sql = openPool(postgres.url, { max: 8, name: 'bench' });
  const { keys } = await ensureDemoBiller(sql, null);

  const programs = await copyPrograms(join(folder, 'program'));
  const environment = {
    DATA_DIR: folder,
    PORT: String(apiPort),
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TASK_QUEUE: taskQueue,
    TEMPORAL_TLS: '',
    TEMPORAL_API_KEY: '',
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '1000000',
    SANDBOX_LEDGER: ledgerFile,
    LOG_LEVEL: 'warn',
  };
  const supervise = (name: string, program: string) =>
    superviseChild({
      name,
      args: [program, join(folder, 'obeyed.jsonl')],
      env: childEnvironment({ ...environment, ...programs.environment }),
      logFile: join(logs, `${name}.log`),
      restartAfterMs: () => 0,
      onOwnEnd: () => {},
    });
  const api = supervise('api', programs.api);
  const workers = Array.from({ length: workerCount }, (_, index) => supervise(`worker-${index + 1}`, programs.worker));
  for (const child of [api, ...workers]) {
    if (!(await child.untilUp(upTimeoutMs))) throw new Error(`${child.name} is not up after ${upTimeoutMs / 1000} s`);
  }
  const client = openClient(`http://127.0.0.1:${apiPort}`, keys.sandbox_secret);
  return {
    client,
    sql,
    openFreshPool: () => openPool(postgres.url, { max: 4, name: 'bench judge' }),
    temporal: new Temporal({ connection, namespace }),
    taskQueue,
    ledgerFile,
    workers,
    async crashPostgres() {
      const begun = performance.now();
      process.kill(postgres.pid, 'SIGKILL');
      await postgres.daemon.exited;
      postgres = await repeatedly(launch);
      return (performance.now() - begun) / 1000;
    },
    async stop() {
      await client.close();
      await Promise.all([api, ...workers].map((child) => child.stop()));
      await connection.close();
      await sql.end({ timeout: 2 });
      await server.stop();
      await postgres.stop();
    },
  };
}
