import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { migrate } from '../src/db/migrate.ts';
import type { WorkflowSide } from '../src/operations/sides/workflow-sides.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { childEnvironment } from '../src/processes/config/config.ts';
import { type DiskName, type Disks, mountDisks } from './disks.ts';
import { copyPrograms } from './processes/copy.ts';
import { namespace, openPostgres, openTemporal, type Postgres, type Temporal } from './servers.ts';
import { type StandIn, startStandIn } from './stand-in.ts';
import { type ProcessOptions, type SupervisedProcess, superviseProcess } from './supervised-process.ts';

/** Where Temporal keeps its workflows: in files of its own, or in our PostgreSQL, as a cluster does. */
export type TemporalStore = 'sqlite' | 'postgres';

type Supervision = Omit<ProcessOptions, 'args' | 'env' | 'logFile'>;

/** The parts of the service, each of which can be killed, and started again with the same ports and data. */
export interface Parts {
  readonly postgres: Postgres;
  readonly temporal: Temporal;
  /** Past everything that may stand in the way of the service itself. */
  readonly sql: Pool;
  /** The workflows of both modes. */
  readonly side: WorkflowSide;
  /** The processor of live mode, with a ledger of its own. */
  readonly standIn: StandIn;
  readonly disks: Disks;
  /** What the sandbox's processor was asked for, a line of JSON each. */
  readonly ledgerFile: string;
  /** The crash orders that were carried out, a line of JSON each. */
  readonly ordersFile: string;
  /** Starts a process of the service; `environment` comes on top of what all of them have. */
  start(
    kind: 'api' | 'worker' | 'pages',
    supervision: Supervision,
    environment: Record<string, string>,
  ): SupervisedProcess;
  /** Ends all of it in order, the processes first. */
  stop(): Promise<void>;
}

const taskQueue = 'payments';

interface PartsOptions {
  store?: TemporalStore;
  ofProcessor?: Partial<Supervision>;
  /** The folders that get disks of their own, which can be made full. */
  withDisks?: readonly DiskName[];
}

/** Starts both servers and the live processor in the folder, and prepares the servers for the service. */
export async function startParts(
  folder: string,
  { store = 'sqlite', ofProcessor = {}, withDisks = ['postgres'] }: PartsOptions = {},
): Promise<Parts> {
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const disks = await mountDisks(folder, withDisks);
  const programs = await copyPrograms(join(folder, 'program'));
  const standIn = await startStandIn(join(folder, 'processor'), { program: programs.processor, ...ofProcessor });
  const postgres = await openPostgres(folder);
  const temporal = await openTemporal(folder, store === 'postgres' ? postgres : null);
  await migrate(postgres.url);
  const sql = openPool(postgres.url, { max: 8, name: 'lab' });
  const connection = Connection.lazy({ address: temporal.address });
  const files = { ledgerFile: join(folder, 'ledger.jsonl'), ordersFile: join(folder, 'orders.jsonl') };
  const processes: SupervisedProcess[] = [];
  const common = {
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TASK_QUEUE: taskQueue,
    TEMPORAL_TLS: '',
    TEMPORAL_API_KEY: '',
    ENCRYPTION_KEYS: `lab:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '1000000',
    // A payer's address is what the run says: the pages limit what one address may do.
    TRUSTED_PROXY: '127.0.0.1',
    PUBLIC_URL: 'https://pay.example.com',
    SANDBOX_LEDGER: files.ledgerFile,
    SANDBOX_PROCESSOR_URL: '',
    SANDBOX_PROCESSOR_SECRET: '',
    ...standIn.environment,
    ...programs.environment,
  };
  return {
    postgres,
    temporal,
    standIn,
    disks,
    sql,
    side: { temporal: new Client({ connection, namespace }), taskQueue, livemode: null },
    ...files,
    start(kind, supervision, environment) {
      const started = superviseProcess({
        ...supervision,
        args: [programs[kind], files.ordersFile],
        env: childEnvironment({ ...common, ...environment }),
        logFile: join(logs, `${supervision.name.replace(' ', '-')}.log`),
      });
      processes.push(started);
      return started;
    },
    async stop() {
      await Promise.all(processes.map((each) => each.stop()));
      await standIn.stop();
      await connection.close();
      await sql.end({ timeout: 2 });
      await temporal.stop();
      await postgres.stop();
      for (const disk of disks.values()) await disk.unmount();
    },
  };
}
