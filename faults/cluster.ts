import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { findFreePorts } from '../dev/ports.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import { childEnvironment } from '../src/processes/config/config.ts';
import type { LedgerEntry } from '../src/processors/ledger.ts';
import { type Child, superviseChild } from './child.ts';
import { type FakeClock, findFakeClocks } from './fake-clocks.ts';
import { followLines, type Lines } from './lines.ts';
import { readCommits } from './net/commit-reader.ts';
import { type Link, openLink } from './net/link.ts';
import { copyPrograms } from './processes/copy.ts';
import type { Obeyed } from './processes/obey.ts';
import type { Chance } from './random.ts';
import { namespace, openPostgres, openTemporal, type Postgres, type Temporal } from './servers.ts';

/** An API process, and the way to it that clients take. */
export interface Api extends Child {
  /** By way of its link, which may be cut. */
  readonly url: string;
  /** Past the link. */
  readonly directUrl: string;
}

/** The service as it would run in production, on one machine: two processes of each kind, each with links of its own. */
export interface Cluster {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly temporal: Temporal;
  readonly apis: readonly Api[];
  readonly workers: readonly Child[];
  /** The clock of each process, by the name of the process; null where clocks cannot be set off, or are not to be. */
  readonly clocks: ReadonlyMap<string, FakeClock> | null;
  /** The ways from each process to PostgreSQL and Temporal, and from the clients to each API process. */
  readonly links: Record<'postgres' | 'temporal' | 'client', readonly Link[]>;
  /** What the sandbox's processor has written down. */
  readonly ledger: Lines<LedgerEntry>;
  readonly obeyed: Lines<Obeyed>;
  /** Processes that ended though nobody had killed them, and how. */
  readonly ownEnds: { name: string; how: string; at: number }[];
  /** Milliseconds from each start of a process to its first answer, or to its `ready`. */
  readonly startTimes: { name: string; ms: number }[];
  /** Past all links, for the judges. */
  readonly sql: Pool;
  temporalClient(): Client;
  /** Ends all faults: links pass, what was frozen goes on, what is down starts. Resolves when all is up. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Where Temporal keeps its workflows: in files of its own, or beside ours, as a cluster does. */
export type TemporalStore = 'sqlite' | 'postgres';

const processesOfAKind = 2;
const upTimeoutMs = 90_000;

export async function startCluster(
  folder: string,
  chance: Chance,
  { canSetClocks, temporalStore }: { canSetClocks: boolean; temporalStore: TemporalStore },
): Promise<Cluster> {
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const programs = await copyPrograms(join(folder, 'program'));
  const postgres = await openPostgres(folder);
  const temporal = await openTemporal(folder, temporalStore === 'postgres' ? postgres : null);
  await migrate(postgres.url);
  const clockOf = canSetClocks ? await findFakeClocks(join(folder, 'clocks')) : null;
  const clocks = new Map<string, FakeClock>();

  const ownEnds: Cluster['ownEnds'] = [];
  const startTimes: Cluster['startTimes'] = [];
  const files = { ledger: join(folder, 'ledger.jsonl'), obeyed: join(folder, 'obeyed.jsonl') };
  const links: { postgres: Link[]; temporal: Link[]; client: Link[] } = { postgres: [], temporal: [], client: [] };
  const common = {
    DATA_DIR: folder,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TASK_QUEUE: 'payments',
    TEMPORAL_TLS: '',
    TEMPORAL_API_KEY: '',
    ENCRYPTION_KEYS: `faults:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '1000000',
    SANDBOX_LEDGER: files.ledger,
    LOG_LEVEL: 'info',
    ...programs.environment,
  };

  async function startProcess(kind: 'api' | 'worker', number: number, environment: Record<string, string>) {
    const name = `${kind} ${number}`;
    const [toPostgres, toTemporal] = await Promise.all([
      openLink(`postgres of ${name}`, postgres.port, readCommits),
      openLink(`temporal of ${name}`, temporal.port),
    ]);
    links.postgres.push(toPostgres);
    links.temporal.push(toTemporal);
    const database = new URL(postgres.url);
    database.port = String(toPostgres.port);
    const restarts = chance.fork(name);
    const clock = (await clockOf?.(name)) ?? null;
    if (clock !== null) clocks.set(name, clock);
    return superviseChild({
      name,
      args: [programs[kind], files.obeyed],
      env: childEnvironment({
        ...common,
        DATABASE_URL: database.href,
        TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
        ...environment,
        ...clock?.environment,
      }),
      logFile: join(logs, `${kind}-${number}.log`),
      restartAfterMs: () => restarts.between(0, 800),
      onReady: (ms) => startTimes.push({ name, ms }),
      onOwnEnd: (how) => ownEnds.push({ name, how, at: realNow().getTime() }),
    });
  }

  async function startApi(number: number): Promise<Api> {
    const [port = 0] = await findFreePorts(1);
    const link = await openLink(`clients of api ${number}`, port);
    links.client.push(link);
    const child = await startProcess('api', number, { PORT: String(port) });
    return Object.assign(child, { url: `http://127.0.0.1:${link.port}`, directUrl: `http://127.0.0.1:${port}` });
  }

  const numbers = Array.from({ length: processesOfAKind }, (_, index) => index + 1);
  const apis = await Promise.all(numbers.map(startApi));
  const workers = await Promise.all(numbers.map((number) => startProcess('worker', number, {})));
  const ledger = followLines<LedgerEntry>(files.ledger);
  const obeyed = followLines<Obeyed>(files.obeyed);
  const sql = openPool(postgres.url, { max: 6, name: 'fault run' });
  const connection = Connection.lazy({ address: temporal.address });

  async function heal(): Promise<void> {
    await postgres.disk?.free();
    await Promise.all([...clocks.values()].map((clock) => clock.setOff(0)));
    await Promise.all([postgres.thaw(), temporal.thaw()]);
    for (const link of [...links.postgres, ...links.temporal, ...links.client]) link.heal();
    await Promise.all([postgres.start(), temporal.start()]);
    await Promise.all(
      [...apis, ...workers].map(async (child) => {
        child.order(null);
        child.thaw();
        child.release();
        if (!(await child.untilUp(upTimeoutMs)))
          throw new Error(`${child.name} is not up after ${upTimeoutMs / 1000} s`);
      }),
    );
  }

  const cluster: Cluster = {
    folder,
    postgres,
    temporal,
    apis,
    workers,
    clocks: clockOf === null ? null : clocks,
    links,
    ledger,
    obeyed,
    ownEnds,
    startTimes,
    sql,
    temporalClient: () => new Client({ connection, namespace }),
    heal,
    async close() {
      await Promise.all([...apis, ...workers].map((child) => child.stop()));
      await Promise.all([ledger.close(), obeyed.close()]);
      await Promise.all([...links.postgres, ...links.temporal, ...links.client].map((link) => link.close()));
      await connection.close();
      await sql.end({ timeout: 2 });
      await temporal.stop();
      await postgres.stop();
    },
  };
  await untilAllUp(cluster);
  return cluster;
}

async function untilAllUp({ apis, workers }: Cluster): Promise<void> {
  const giveUpAt = performance.now() + upTimeoutMs;
  const children = [...apis, ...workers];
  while (children.some(({ state }) => state !== 'up')) {
    const late = children.filter(({ state }) => state !== 'up').map(({ name }) => name);
    if (performance.now() > giveUpAt) throw new Error(`${late.join(', ')} did not start`);
    await pause(50);
  }
}
