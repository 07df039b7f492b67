import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { developmentFile } from '../dev/data-dir.ts';
import { findFreePorts } from '../dev/ports.ts';
import { childEnvironment } from '../src/processes/config/config.ts';

/** A copy of the service that runs for the benchmark alone. */
export interface Copy {
  readonly dataDir: string;
  readonly baseUrl: string;
  /** The sandbox secret key of its demo biller. */
  readonly key: string;
  readonly billerId: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** Where the sandbox's processor writes down what it was asked for. */
  readonly ledgerFile: string;
  /** The process that started the others. */
  readonly pid: number;
  /** From the start of that process to its line `ready`. */
  readonly secondsToReady: number;
  /** Ends it in order; rejects when it has not ended by itself, and in order, after 40 s. */
  stop(): Promise<void>;
}

/** Enough for a start that has to build the Temporal server first, which happens once per user. */
const startTimeoutMs = 480_000;
const stopTimeoutMs = 40_000;

/** Those that have been started and have not ended. */
const running = new Set<ChildProcess>();

/** The ports that were given to a data directory: a second start with the same ones is what a restart looks like. */
const portsOf = new Map<string, number[]>();

/**
 * What the copy has of its own. An empty variable counts as unset: a DATABASE_URL of the openContext must not lead
 * here. The limit per key is out of the way, since all requests of a run carry the same key.
 */
const settings = {
  DATABASE_URL: '',
  TEMPORAL_ADDRESS: '',
  TEMPORAL_NAMESPACE: '',
  TEMPORAL_TASK_QUEUE: '',
  ENCRYPTION_KEYS: '',
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
};

/**
 * Starts a copy in this folder, as `npm start` would, with these variables on top, and waits until it is ready. Throws with
 * its output when it is not.
 */
export async function startCopy(dataDir: string, environment: Record<string, string> = {}): Promise<Copy> {
  const ports = portsOf.get(dataDir) ?? (await findFreePorts(3));
  portsOf.set(dataDir, ports);
  const [port, temporalPort, uiPort] = ports.map(String);
  const ledgerFile = join(dataDir, 'ledger.jsonl');
  const begun = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../dev/start.ts', import.meta.url))], {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    env: childEnvironment({
      ...settings,
      DATA_DIR: dataDir,
      PORT: port ?? '',
      TEMPORAL_PORT: temporalPort ?? '',
      TEMPORAL_UI_PORT: uiPort ?? '',
      SANDBOX_LEDGER: ledgerFile,
      ...environment,
    }),
    // Ctrl-C is to reach the benchmark alone, which then ends the copy.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  await untilReady(child);
  const secondsToReady = (performance.now() - begun) / 1000;
  return {
    dataDir,
    pid: child.pid ?? 0,
    secondsToReady,
    ledgerFile,
    ...(await readDevelopment(dataDir)),
    stop: () => stop(child),
  };
}

/** Ends the copies that still run, also one that is just starting; for when the benchmark itself is told to end. */
export async function stopAllCopies(): Promise<void> {
  await Promise.allSettled([...running].map(stop));
}

// The last resort, where this process ends without having waited: they are told, and end by themselves.
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** The path of a file of `src`. */
export function sourceFile(path: string): string {
  return fileURLToPath(new URL(`../src/${path}`, import.meta.url));
}

async function untilReady(child: ChildProcess): Promise<void> {
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The copy of the service ${why}:\n${output.slice(-20).join('\n')}`));
    const timer = setTimeout(() => fail(`was not ready after ${startTimeoutMs / 1000} s`), startTimeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line);
        if (/^ready: /.test(line)) resolve();
      });
    }
    child.once('error', (error) => fail(`could not be run (${error.message})`));
    child.once('exit', (code, signal) => fail(`ended while starting (${signal ?? `exit code ${code}`})`));
    child.once('exit', () => clearTimeout(timer));
  }).catch((error: unknown) => {
    child.kill('SIGTERM');
    throw error;
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit', { signal: AbortSignal.timeout(stopTimeoutMs) }).catch(() => {
      throw new Error(`The copy of the service (process ${child.pid}) has not ended after ${stopTimeoutMs / 1000} s.`);
    });
  }
  if (child.exitCode !== 0) {
    throw new Error(
      `The copy of the service ended with ${child.signalCode ?? `exit code ${child.exitCode}`}, not with 0.`,
    );
  }
}

async function readDevelopment(dataDir: string) {
  const text = await readFile(developmentFile(dataDir), 'utf8');
  const field = (name: string): string => {
    const value = new RegExp(`"${name}": "([^"]+)"`).exec(text)?.[1];
    if (value === undefined) throw new Error(`${developmentFile(dataDir)} names no ${name}`);
    return value;
  };
  return {
    baseUrl: field('base_url'),
    key: field('sandbox_secret'),
    billerId: field('biller_id'),
    databaseUrl: field('database_url'),
    temporalAddress: field('temporal_address'),
  };
}
