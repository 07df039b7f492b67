import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, readHost } from '../src/processes/config/config.ts';
import { type Daemon, type Say, startDaemon, stopLeftover } from './daemon.ts';
import { withLogEnd } from './last-words.ts';
import { findFreePorts, findPortsClosedToBrowsers, probePort } from './ports.ts';
import { type BuiltTemporal, buildTemporal } from './temporal-build.ts';
import { dynamicConfigFlags, readDynamicConfig, renderTemplate } from './temporal-config.ts';
import { findDatabase, noteStore } from './temporal-data.ts';
import { type PostgresStore, prepareTemporalTables, storeEnvironment } from './temporal-on-postgres.ts';
import { findTemporal } from './temporal-program.ts';
import { type Door, findHiddenAddress, type HiddenAddress, openDoor } from './web-ui.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const pollMs = 20;

/**
 * How the CLI opens its SQLite file.
 * - synchronous: 1 (normal) writes the log to disk at checkpoints. A killed process loses nothing; a power cut can lose
 *   the last moments, but never corrupts. 2 (full) syncs every commit, at several times the latency.
 * - cache_size: 16 MB; what is beyond, the kernel has in its own.
 * - wal_autocheckpoint: in pages; a checkpoint per 40 MB instead of 4.
 * - busy_timeout: in milliseconds.
 */
const pragmas = {
  journal_mode: 'wal',
  synchronous: '1',
  cache_size: '-16384',
  wal_autocheckpoint: '10000',
  busy_timeout: '10000',
};

/**
 * How much the heap of the server grows between two collections of garbage, in percent (Go's default is 100). The
 * server makes much garbage and keeps little: with 200 it needs a tenth less processor time for a charge.
 */
const garbagePercent = '200';

/** The CLI looks for a free port before it opens it. If another process was faster, it is started again. */
const startTries = 3;

const internalPorts = [
  'FRONTEND_MEMBERSHIP_PORT',
  'HISTORY_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_PORT',
  'WORKER_MEMBERSHIP_PORT',
] as const;

export interface TemporalOptions {
  /** Absolute. The server's files are in its folder `temporal`. */
  dataDir: string;
  frontendPort: number;
  /** Null: no Web UI. */
  uiPort: number | null;
  /** A further address of the Web UI for people, such as that of a proxy. Requests with its Host are accepted too. */
  publicUiUrl?: string | null;
  /** The namespace that the Web UI opens with; `payments` by default. */
  defaultNamespace?: string;
  /** Where the server keeps its workflows: SQLite files of its own by default. */
  store?: PostgresStore | undefined;
  /** As YAML; by default `temporal/dynamic-config.yaml`. With SQLite, a setting has one value, without constraints. */
  dynamicConfig?: string;
  log: Say;
  /** Where programs and the cache are; by default from the environment. */
  host?: Host;
  /** Cancels a download or a build, which take minutes, or the start. To end the running server, use `stop`. */
  signal?: AbortSignal;
}

export interface RunningTemporal {
  /** `host:port` of the frontend. */
  readonly address: string;
  readonly uiUrl: string | null;
  readonly pids: readonly number[];
  readonly daemons: readonly Daemon[];
  /** Ends the Web UI, then the server. */
  stop(): Promise<void>;
}

/** A Temporal server that can be started, and started again on the same ports. */
export interface PreparedTemporal {
  readonly address: string;
  readonly uiUrl: string | null;
  /**
   * Starts the server; resolves when its port accepts connections.
   * @throws with the last lines of the log, when it does not come up; when `signal` aborts. Then no process is left.
   */
  startServer(signal?: AbortSignal): Promise<Daemon>;
  /** The same for the Web UI. Null if there is none, or the server's process has it. */
  startUi: ((signal?: AbortSignal) => Promise<Daemon>) | null;
  /** Opens the Web UI to people, at `uiUrl`; it may run or not. Null if there is none. */
  openUi: (() => Promise<Door>) | null;
}

/**
 * Fetches or builds the programs of a Temporal server on loopback. Its workflows survive a restart. Ends what an
 * earlier run left behind.
 * @throws what `findTemporal`, `buildTemporal` and `findDatabase` throw.
 */
export async function prepareTemporal(options: TemporalOptions): Promise<PreparedTemporal> {
  const { dataDir, frontendPort, uiPort, store, log } = options;
  const host = options.host ?? readHost();
  const folder = join(dataDir, 'temporal');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await stopLeftover(dataDir, 'temporal-ui', 'SIGTERM', stopTimeoutMs, log);
  await stopLeftover(dataDir, 'temporal', 'SIGTERM', stopTimeoutMs, log);
  let ui: HiddenAddress | null = null;
  const prepared = {
    address: `127.0.0.1:${frontendPort}`,
    uiUrl: uiPort === null ? null : `http://127.0.0.1:${uiPort}`,
    openUi: uiPort === null ? null : () => openUi(uiPort),
  };
  if (store === undefined) {
    const database = await findDatabase(folder);
    const { cli } = await findTemporal(host, log, options.signal);
    await noteStore(folder, 'sqlite', log);
    return {
      ...prepared,
      async startServer(signal) {
        for (let left = startTries; ; left -= 1) {
          ui = uiPort === null ? null : await findHiddenAddress();
          const daemon = await startCli(cli, database, ui, options);
          try {
            const waitedFor = [{ host: '127.0.0.1', port: frontendPort }, ...(ui === null ? [] : [ui])];
            return await untilUp(daemon, waitedFor, signal);
          } catch (error) {
            if (left <= 1 || signal?.aborted || !portIsTaken.test(await daemon.output())) throw error;
          }
        }
      },
      startUi: null,
    };
  }
  const program = await buildTemporal(host, log, options.signal);
  await noteStore(folder, 'postgres', log);
  return {
    ...prepared,
    startServer: async (signal) => {
      const daemon = await startOnPostgres(program, store, folder, { ...options, signal });
      return untilUp(daemon, [{ host: '127.0.0.1', port: frontendPort }], signal);
    },
    startUi:
      uiPort === null
        ? null
        : async (signal) => {
            ui = await findHiddenAddress();
            return untilUp(await startUi(program, folder, ui, options), [ui], signal);
          },
  };

  function openUi(port: number): Promise<Door> {
    const { publicUiUrl = null, defaultNamespace = 'payments' } = options;
    return openDoor({ port, publicUrl: publicUiUrl, defaultNamespace, findUi: () => ui });
  }
}

/** What the CLI says when a port that it shall listen on is taken, but for the port of the server itself. */
const portIsTaken = /can't set (frontend HTTP|metrics|UI) port|failed listening for HTTP API/;

/**
 * Starts a Temporal server and its Web UI. Resolves when their ports accept connections; `ensureNamespace` waits until
 * the server is fully ready.
 * @throws what the steps of `prepareTemporal` throw. Then no process is left.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { signal } = options;
  const { address, uiUrl, startServer, startUi, openUi } = await prepareTemporal(options);
  const starts = await Promise.allSettled([startServer(signal), ...(startUi === null ? [] : [startUi(signal)])]);
  const daemons = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  let door: Door | null = null;
  const stop = async () => {
    await door?.close();
    for (const daemon of daemons.toReversed()) {
      await daemon.stop();
    }
  };
  try {
    for (const start of starts) {
      if (start.status === 'rejected') throw start.reason;
    }
    door = openUi === null ? null : await openUi();
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, uiUrl, pids: daemons.map((daemon) => daemon.pid), daemons, stop };
}

async function startOnPostgres(
  program: BuiltTemporal,
  store: PostgresStore,
  folder: string,
  options: TemporalOptions,
): Promise<Daemon> {
  const ports = await chooseInternalPorts(join(folder, 'ports.json'));
  const dynamicConfig = join(folder, 'dynamic-config.yaml');
  await writeFile(dynamicConfig, options.dynamicConfig ?? (await readDynamicConfig()));
  await prepareTemporalTables(store, options.host ?? readHost(), options.log, options.signal);
  const daemon = { ...daemonOptions('temporal', options), command: program.server, cwd: folder };
  const env = {
    ...daemon.env,
    ...(await storeEnvironment(store)),
    ...portsEnvironment(ports, options.frontendPort),
    DYNAMIC_CONFIG_FILE_PATH: dynamicConfig,
  };
  return startDaemon({ ...daemon, env, args: ['--allow-no-auth', 'start'] });
}

/** The internal ports, under the names that the server reads from its environment. */
function portsEnvironment(ports: Record<string, number>, frontendPort: number): Record<string, string> {
  const named = Object.entries(ports).map(([name, port]) => [
    name.replace(/^(HISTORY|MATCHING|WORKER)_PORT$/, '$1_GRPC_PORT'),
    String(port),
  ]);
  return {
    ...Object.fromEntries(named),
    FRONTEND_GRPC_PORT: String(frontendPort),
    BIND_ON_IP: '127.0.0.1',
    TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
  };
}

/**
 * The ports by which the server's parts talk to each other: those of the last start, if they are still free. Its
 * database remembers for 20 s where its parts were. On new ports the server would first look for the old ones.
 */
async function chooseInternalPorts(file: string): Promise<Record<string, number>> {
  const existing = Array.from((await readFile(file, 'utf8').catch(() => '')).matchAll(/\d+/g), ([port]) =>
    Number(port),
  );
  const states = await Promise.all(existing.map(probePort));
  const reusable = existing.length === internalPorts.length && states.every((state) => state === 'free');
  const ports = reusable ? existing : await findFreePorts(internalPorts.length);
  await writeFile(file, `${JSON.stringify(ports)}\n`);
  return Object.fromEntries(internalPorts.flatMap((name, index) => (ports[index] ? [[name, ports[index]]] : [])));
}

async function startUi(
  program: BuiltTemporal,
  folder: string,
  ui: HiddenAddress,
  options: TemporalOptions,
): Promise<Daemon> {
  await mkdir(join(folder, 'ui'), { recursive: true });
  const config = await renderTemplate('ui.yaml', {
    FRONTEND_PORT: options.frontendPort,
    UI_HOST: ui.host,
    UI_PORT: ui.port,
  });
  await writeFile(join(folder, 'ui', 'service.yaml'), config);
  return startDaemon({
    ...daemonOptions('temporal-ui', options),
    command: program.ui,
    args: ['--root', folder, '--config', 'ui', '--env', 'service', 'start'],
    cwd: folder,
  });
}

async function startCli(
  cli: string,
  database: string,
  ui: HiddenAddress | null,
  options: TemporalOptions,
): Promise<Daemon> {
  // The CLI always opens an HTTP API and its metrics.
  const [httpPort, metricsPort] = await findPortsClosedToBrowsers(2);
  return startDaemon({
    ...daemonOptions('temporal', options),
    command: cli,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(options.frontendPort)],
      ...['--http-port', String(httpPort), '--metrics-port', String(metricsPort)],
      ...(ui === null ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
      ...['--db-filename', database, '--log-level', 'warn'],
      ...Object.entries(pragmas).flatMap(([name, value]) => ['--sqlite-pragma', `${name}=${value}`]),
      ...dynamicConfigFlags(options.dynamicConfig ?? (await readDynamicConfig())),
    ],
    cwd: join(options.dataDir, 'temporal'),
  });
}

/**
 * This process's environment is not passed on: the server too would read a TEMPORAL_… variable meant for our processes.
 */
function daemonOptions(name: string, { dataDir }: TemporalOptions) {
  return {
    name,
    dataDir,
    env: { PATH: '/usr/bin:/bin', HOME: dataDir, TZ: 'UTC', GOGC: garbagePercent },
    stopSignal: 'SIGTERM',
    stopTimeoutMs,
  } as const;
}

/** Returns the daemon when all of the addresses accept connections. Stops it if it fails. */
async function untilUp(daemon: Daemon, addresses: readonly HiddenAddress[], signal?: AbortSignal): Promise<Daemon> {
  try {
    await Promise.all(addresses.map((address) => waitForPort(daemon, address, signal)));
    return daemon;
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

async function waitForPort(daemon: Daemon, address: HiddenAddress, signal?: AbortSignal): Promise<void> {
  let ended: string | null = null;
  void daemon.exited.then((how) => {
    ended = how;
  });
  const giveUpAt = performance.now() + startTimeoutMs;
  while (!(await accepts(address))) {
    if (ended !== null || performance.now() > giveUpAt) {
      throw new Error(await withLogEnd(`${daemon.name} did not come up (${ended ?? 'still running'}).`, daemon, ended));
    }
    await sleep(pollMs, undefined, { signal });
  }
}

function accepts({ host, port }: HiddenAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
