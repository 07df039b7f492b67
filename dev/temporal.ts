import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, readHost } from '../src/processes/config/config.ts';
import { type Daemon, type Say, startDaemon, stopLeftover } from './daemon.ts';
import { withLogEnd } from './last-words.ts';
import { findFreePorts, probePort } from './ports.ts';
import { readDynamicConfigFlags, renderTemplate } from './temporal-config.ts';
import { type PostgresStore, prepareTemporalTables, storeEnvironment } from './temporal-on-postgres.ts';
import { findTemporal, type TemporalProgram } from './temporal-program.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const pollMs = 20;

/**
 * How SQLite syncs: 1 (normal) writes the log to disk at checkpoints. A killed process loses nothing; a power cut can
 * lose the last moments, but never corrupts. 2 (full) syncs every commit, at several times the latency.
 */
const sqliteSynchronous = 1;

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
}

/**
 * Finds or builds the programs of a Temporal server on loopback, whose workflows survive a restart. Ends what an
 * earlier run left behind.
 * @throws what `findTemporal` throws.
 */
export async function prepareTemporal(options: TemporalOptions): Promise<PreparedTemporal> {
  const { dataDir, frontendPort, uiPort, log } = options;
  const program = await findTemporal(options.host ?? readHost(), log, options.signal);
  await stopLeftover(dataDir, 'temporal-ui', 'SIGTERM', stopTimeoutMs, log);
  await stopLeftover(dataDir, 'temporal', 'SIGTERM', stopTimeoutMs, log);
  const folder = join(dataDir, 'temporal');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const addresses = {
    address: `127.0.0.1:${frontendPort}`,
    uiUrl: uiPort === null ? null : `http://127.0.0.1:${uiPort}`,
  };
  if (program.kind === 'cli') {
    if (options.store) throw new Error(`${program.cli} keeps workflows in SQLite alone: unset TEMPORAL_STORE.`);
    log(`${program.cli} opens an HTTP API and a Web UI that web pages can reach: see SECURITY.md`);
    const ports = uiPort === null ? [frontendPort] : [frontendPort, uiPort];
    return {
      ...addresses,
      startServer: async (signal) => untilUp(await startCli(program.cli, folder, options), ports, signal),
      startUi: null,
    };
  }
  return {
    ...addresses,
    startServer: async (signal) =>
      untilUp(await startServer(program, folder, { ...options, signal }), [frontendPort], signal),
    startUi:
      uiPort === null
        ? null
        : async (signal) => untilUp(await startUi(program, folder, uiPort, options), [uiPort], signal),
  };
}

/**
 * Starts a Temporal server and its Web UI. Resolves when their ports accept connections; `ensureNamespace` waits until
 * the server is fully ready.
 * @throws what the steps of `prepareTemporal` throw. Then no process is left.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { signal } = options;
  const { address, uiUrl, startServer, startUi } = await prepareTemporal(options);
  const starts = await Promise.allSettled([startServer(signal), ...(startUi === null ? [] : [startUi(signal)])]);
  const daemons = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const stop = async () => {
    for (const daemon of daemons.toReversed()) {
      await daemon.stop();
    }
  };
  for (const start of starts) {
    if (start.status === 'rejected') {
      await stop();
      throw start.reason;
    }
  }
  return { address, uiUrl, pids: daemons.map((daemon) => daemon.pid), daemons, stop };
}

type ServerProgram = Extract<TemporalProgram, { kind: 'server' }>;

async function startServer(program: ServerProgram, folder: string, options: TemporalOptions): Promise<Daemon> {
  const ports = await chooseInternalPorts(join(folder, 'ports.json'));
  const dynamicConfig = join(folder, 'dynamic-config.yaml');
  await writeFile(dynamicConfig, await renderTemplate('dynamic-config.yaml', {}));
  const daemon = { ...daemonOptions('temporal', options), command: program.server, cwd: folder };
  if (options.store) {
    await prepareTemporalTables(options.store, options.host ?? readHost(), options.log, options.signal);
    const env = {
      ...daemon.env,
      ...(await storeEnvironment(options.store)),
      ...portsEnvironment(ports, options.frontendPort),
      DYNAMIC_CONFIG_FILE_PATH: dynamicConfig,
    };
    return startDaemon({ ...daemon, env, args: ['--allow-no-auth', 'start'] });
  }
  const values = { ...ports, FRONTEND_PORT: options.frontendPort, SQLITE_SYNCHRONOUS: sqliteSynchronous };
  await writeFile(join(folder, 'server.yaml'), await renderTemplate('server.yaml', values));
  return startDaemon({ ...daemon, args: ['--config-file', join(folder, 'server.yaml'), '--allow-no-auth', 'start'] });
}

/** The ports of `server.yaml`, under the names that the server reads from its environment. */
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
  program: ServerProgram,
  folder: string,
  uiPort: number,
  options: TemporalOptions,
): Promise<Daemon> {
  const configFolder = join(folder, 'ui');
  await mkdir(configFolder, { recursive: true });
  const own = [`http://127.0.0.1:${uiPort}`, `http://localhost:${uiPort}`];
  const others = options.publicUiUrl ? [new URL(options.publicUiUrl).origin] : [];
  const config = await renderTemplate('ui.yaml', {
    FRONTEND_PORT: options.frontendPort,
    UI_PORT: uiPort,
    ORIGINS: JSON.stringify([...own, ...others]),
    DEFAULT_NAMESPACE: options.defaultNamespace ?? 'payments',
  });
  await writeFile(join(configFolder, 'service.yaml'), config);
  return startDaemon({
    ...daemonOptions('temporal-ui', options),
    command: program.ui,
    args: [configFolder],
    cwd: folder,
  });
}

async function startCli(cli: string, folder: string, options: TemporalOptions): Promise<Daemon> {
  const { frontendPort, uiPort } = options;
  return startDaemon({
    ...daemonOptions('temporal', options),
    command: cli,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(frontendPort)],
      ...(uiPort === null ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]),
      ...['--db-filename', join(folder, 'temporal-cli.db'), '--log-level', 'warn'],
      ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', `synchronous=${sqliteSynchronous}`],
      ...(await readDynamicConfigFlags()),
    ],
    cwd: folder,
  });
}

/**
 * This process's environment is not passed on: the server too would read a TEMPORAL_… variable meant for our processes.
 */
function daemonOptions(name: string, { dataDir }: TemporalOptions) {
  return {
    name,
    dataDir,
    env: { PATH: '/usr/bin:/bin', HOME: dataDir, TZ: 'UTC' },
    stopSignal: 'SIGTERM',
    stopTimeoutMs,
  } as const;
}

/** Returns the daemon when all of the ports accept connections. Stops it if it fails. */
async function untilUp(daemon: Daemon, ports: number[], signal?: AbortSignal): Promise<Daemon> {
  try {
    await Promise.all(ports.map((port) => waitForPort(daemon, port, signal)));
    return daemon;
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

async function waitForPort(daemon: Daemon, port: number, signal?: AbortSignal): Promise<void> {
  let ended: string | null = null;
  void daemon.exited.then((how) => {
    ended = how;
  });
  const giveUpAt = performance.now() + startTimeoutMs;
  while (!(await accepts(port))) {
    if (ended !== null || performance.now() > giveUpAt) {
      throw new Error(await withLogEnd(`${daemon.name} did not come up (${ended ?? 'still running'}).`, daemon, ended));
    }
    await sleep(pollMs, undefined, { signal });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
