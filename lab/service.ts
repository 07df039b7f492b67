import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { claimOwnFolder, developmentFile } from '../dev/data-dir.ts';
import { findFreePorts } from '../dev/ports.ts';
import { type Id, namedId } from '../src/domain/ids.ts';
import { childEnvironment } from '../src/processes/config/config.ts';
import { eventually } from './eventually.ts';

/** What is read of a `development.json`. */
const Development = Type.Object({
  base_url: Type.String(),
  pages_url: Type.String(),
  temporal_ui_url: Type.Union([Type.String(), Type.Null()]),
  temporal_address: Type.String(),
  database_url: Type.String(),
  biller_id: Type.String(),
  keys: Type.Object({ sandbox_secret: Type.String(), sandbox_publishable: Type.String(), live_secret: Type.String() }),
});

/** The whole service, as `npm start` starts it, in a data folder of its own. */
export interface ServiceCopy {
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Of the pages for payers. */
  readonly pagesUrl: string;
  /** The sandbox secret key of its demo biller. */
  readonly key: string;
  /** Its sandbox publishable key. */
  readonly publishableKey: string;
  /** The live secret key of the same biller. */
  readonly liveKey: string;
  readonly billerId: Id<'biller'>;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** Of Temporal's Web UI. */
  readonly uiUrl: string | null;
  /** Where the sandbox's processor records what it was asked for. */
  readonly ledgerFile: string;
  /** What it has printed. */
  readonly logFile: string;
  /** The process that started the others. */
  readonly pid: number;
  /** From the start of that process to its line `ready`. */
  readonly secondsToReady: number;
  /** Ends it in order. @throws Error if it takes longer than 40 s, or ends with an error. */
  stop(): Promise<void>;
}

/** A first start may have to build the Temporal server, which happens once per user. */
const startTimeoutMs = 600_000;
const stopTimeoutMs = 40_000;
const shownLines = 20;

/** Those that have been started and have not ended. */
const running = new Set<ChildProcess>();

/** The ports that were given to a data folder: a second start with the same ones is what a restart looks like. */
const portsOf = new Map<string, number[]>();

/**
 * What a copy has of its own. An empty variable counts as unset: the shell's DATABASE_URL must not be used here. The
 * rate limit per key is out of the way, because all requests of a run carry the same key.
 */
const settings = {
  DATABASE_URL: '',
  TEMPORAL_ADDRESS: '',
  TEMPORAL_NAMESPACE: '',
  TEMPORAL_TASK_QUEUE: '',
  ENCRYPTION_KEYS: '',
  LIVE_PROCESSOR_URL: '',
  LIVE_PROCESSOR_SECRET: '',
  SANDBOX_PROCESSOR_URL: '',
  SANDBOX_PROCESSOR_SECRET: '',
  PUBLIC_URL: '',
  PAGES_URL: '',
  TRUSTED_PROXY: '',
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
};

export interface StartOptions {
  environment?: Record<string, string>;
  /** Ends the wait for `ready`, and the copy. */
  signal?: AbortSignal;
  /** It lives on when this process ends. */
  outlivesUs?: boolean;
  /** Where its output goes: into the data folder if not given. */
  logFile?: string;
}

/** Starts a copy in this folder and waits until it is ready. @throws Error with the end of its output if it is not */
export async function startService(dataDir: string, options: StartOptions = {}): Promise<ServiceCopy> {
  const { environment = {}, signal, outlivesUs = false, logFile = join(dataDir, 'start.log') } = options;
  const ports = portsOf.get(dataDir) ?? (await findFreePorts(4));
  portsOf.set(dataDir, ports);
  const [port, temporalPort, uiPort, pagesPort] = ports.map(String);
  const ledgerFile = join(dataDir, 'ledger.jsonl');
  await claimOwnFolder(dataDir);
  const output = openSync(logFile, 'w', 0o600);
  const begun = performance.now();
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    env: {
      ...childEnvironment({ ...settings, DATA_DIR: dataDir, SANDBOX_LEDGER: ledgerFile }),
      ...{ PORT: port, TEMPORAL_PORT: temporalPort, TEMPORAL_UI_PORT: uiPort, PAGES_PORT: pagesPort },
      // Started by npm, the service ends when its parent has ended, even by force.
      ...(outlivesUs ? { npm_lifecycle_event: undefined } : {}),
      ...environment,
    },
    // A group of its own: Ctrl-C reaches this program alone, which then ends the copy.
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  if (!outlivesUs) running.add(child);
  child.once('exit', () => running.delete(child));
  try {
    await untilReady(child, logFile, signal);
  } catch (error) {
    await stop(child, logFile).catch(() => {});
    throw error;
  }
  const secondsToReady = (performance.now() - begun) / 1000;
  const pid = child.pid ?? 0;
  const found = await readDevelopment(developmentFile(dataDir));
  return { ...found, dataDir, pid, secondsToReady, ledgerFile, logFile, stop: () => stop(child, logFile) };
}

/** Ends the copies that still run, including one that is just starting; for a program that must end. */
export async function stopAllServices(): Promise<void> {
  await Promise.allSettled([...running].map((child) => stop(child, 'its output')));
}

// The last resort, if this process ends without having waited: they end on their own.
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** What a `development.json` says. @throws Error if it is none */
export async function readDevelopment(file: string) {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw new Error(`no service runs from ${dirname(file)}: ${file} does not exist`);
    throw new Error(`${file} cannot be read (${cause.message})`);
  });
  const found = parsed(text);
  if (found === null) throw new Error(`${file} is not a development.json`);
  return {
    baseUrl: found.base_url,
    pagesUrl: found.pages_url,
    key: found.keys.sandbox_secret,
    publishableKey: found.keys.sandbox_publishable,
    liveKey: found.keys.live_secret,
    billerId: namedId('biller', found.biller_id),
    databaseUrl: found.database_url,
    temporalAddress: found.temporal_address,
    uiUrl: found.temporal_ui_url,
  };
}

function parsed(text: string): Static<typeof Development> | null {
  try {
    return Value.Parse(Development, JSON.parse(text));
  } catch {
    return null;
  }
}

async function untilReady(child: ChildProcess, logFile: string, signal: AbortSignal | undefined): Promise<void> {
  const output = () => readFile(logFile, 'utf8');
  const tail = async (why: string) =>
    `The service ${why}:\n${(await output()).split('\n').slice(-shownLines).join('\n')}`;
  const isReady = async () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(await tail('ended while starting'));
    return /^ready: /m.test(await output());
  };
  await eventually('the service is ready', isReady, { timeoutMs: startTimeoutMs, everyMs: 10, signal });
}

async function stop(child: ChildProcess, logFile: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit', { signal: AbortSignal.timeout(stopTimeoutMs) }).catch(() => {
      throw new Error(`The service (process ${child.pid}) has not ended after ${stopTimeoutMs / 1000} s.`);
    });
  }
  // Before it listens to signals it has started nothing, and SIGTERM ends it.
  if (child.exitCode === 0 || child.signalCode === 'SIGTERM') return;
  throw new Error(`The service ended with ${child.signalCode ?? `exit code ${child.exitCode}`}; ${logFile} says why.`);
}
