import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { Daemon } from '../dev/daemon.ts';
import { findFreePorts } from '../dev/ports.ts';
import { type RunningPostgres, startPostgres } from '../dev/postgres.ts';
import { type RunningTemporal, startTemporal } from '../dev/temporal.ts';
import { openPool } from '../src/platform/postgres/connection.ts';
import { ensureNamespace, ensureSearchAttributes } from '../src/processes/temporal/namespace.ts';
import { untilItSucceeds } from './eventually.ts';
import { freeze, thaw } from './frozen.ts';
import { familyOf, signal } from './process-table.ts';

/** A server that the service needs, and that can be taken away. Its port and its data stay the same. */
export interface Standby {
  readonly port: number;
  readonly isUp: boolean;
  readonly logFile: string;
  /** Kills it at once; it stays down. */
  kill(): Promise<void>;
  /** Starts it again, if it is down, and waits until it responds. */
  start(): Promise<void>;
  /** Starts it again if it has ended on its own, as an operator would. */
  revive(): Promise<void>;
  /** Stops all of its processes, without ending them, or lets them go on. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  stop(): Promise<void>;
}

export interface Postgres extends Standby {
  readonly url: string;
  /** Kills one of the processes that serve a connection: PostgreSQL then cuts all of them and recovers. */
  killBackend(choose: (pids: number[]) => number | undefined): Promise<boolean>;
}

export interface Temporal extends Standby {
  readonly address: string;
  /** Kills it, deletes all that it knows, and starts an empty one. */
  loseDatabase(): Promise<void>;
}

export const namespace = 'payments';

/** History shards of a Temporal that keeps its workflows in PostgreSQL. */
const shards = 4;

/**
 * Starts a server that was killed: its processes may hold its memory for a moment, and what it needs may be away.
 * @throws its last error after a minute
 */
const startAgain = <T>(work: () => Promise<T>) => untilItSucceeds(work, { timeoutMs: 60_000 });

/** Whether the process of a server has ended. */
const hasEnded = ({ exited }: Daemon) => Promise.race([exited.then(() => true), pause(0, false)]);

export async function openPostgres(folder: string): Promise<Postgres> {
  const [port = 0] = await findFreePorts(1);
  const launch = () => startPostgres({ dataDir: folder, port, log: () => {} });
  let server: RunningPostgres | null = await launch();
  const { url } = server;
  const each = async (act: (pid: number) => void) => {
    if (server === null) return;
    for (const pid of await familyOf(server.pid)) act(pid);
  };
  async function start(): Promise<void> {
    server ??= await startAgain(launch);
  }
  return {
    port,
    url,
    logFile: server.daemon.logFile,
    get isUp() {
      return server !== null;
    },
    async kill() {
      if (server === null) return;
      const { pid, daemon } = server;
      server = null;
      signal(pid, 'SIGKILL');
      await daemon.exited;
    },
    start,
    async revive() {
      if (server === null || !(await hasEnded(server.daemon))) return;
      server = null;
      await start();
    },
    freeze: () => each(freeze),
    thaw: () => each(thaw),
    async killBackend(choose) {
      if (server === null) return false;
      const backends: number[] = [];
      for (const pid of await familyOf(server.pid)) {
        const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        if (words.startsWith('postgres: postgres payments')) backends.push(pid);
      }
      const chosen = choose(backends);
      if (chosen === undefined) return false;
      signal(chosen, 'SIGKILL');
      return true;
    },
    async stop() {
      await server?.stop();
      server = null;
    },
  };
}

/** `store`: the PostgreSQL that it keeps its workflows in, past all links; null: SQLite files of its own. */
export async function openTemporal(folder: string, store: { url: string } | null): Promise<Temporal> {
  const [port = 0] = await findFreePorts(1);
  const launch = () =>
    startTemporal({
      dataDir: folder,
      frontendPort: port,
      uiPort: null,
      defaultNamespace: namespace,
      store: store === null ? undefined : { url: store.url, shards },
      log: () => {},
    });
  let server: RunningTemporal | null = await launch();
  const { address } = server;
  const logFile = server.daemons[0]?.logFile ?? '';
  await prepare(address);
  const pids = () => server?.pids ?? [];
  async function kill(): Promise<void> {
    if (server === null) return;
    const { daemons } = server;
    for (const pid of pids()) signal(pid, 'SIGKILL');
    server = null;
    await Promise.all(daemons.map(({ exited }) => exited));
  }
  async function start(): Promise<void> {
    if (server !== null) return;
    server = await startAgain(launch);
    await startAgain(() => prepare(address));
  }
  return {
    port,
    address,
    logFile,
    get isUp() {
      return server !== null;
    },
    kill,
    start,
    async revive() {
      const ended = await Promise.all(server?.daemons.map(hasEnded) ?? []);
      if (!ended.includes(true)) return;
      await kill();
      await start();
    },
    freeze: async () => pids().forEach(freeze),
    thaw: async () => pids().forEach(thaw),
    async loseDatabase() {
      await kill();
      if (store === null) await removeFiles(join(folder, 'temporal'));
      else await startAgain(() => dropDatabases(store.url));
      await start();
    },
    async stop() {
      await server?.stop();
      server = null;
    },
  };
}

async function removeFiles(data: string): Promise<void> {
  for (const file of await readdir(data)) {
    if (/\.(db|sqlite)/.test(file)) await rm(join(data, file), { recursive: true });
  }
}

async function dropDatabases(url: string): Promise<void> {
  const sql = openPool(url, { max: 1, name: 'lab' });
  try {
    for (const database of ['temporal', 'temporal_visibility']) {
      await sql.unsafe(`drop database if exists ${database} with (force)`);
    }
  } finally {
    await sql.end();
  }
}

/** Makes namespace and search attributes unless they are there, and waits until the server is whole. */
async function prepare(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '60s' });
  try {
    await ensureNamespace(connection, namespace);
    await ensureSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}
