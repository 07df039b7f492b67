import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { printError } from '../src/platform/terminal.ts';
import { type Options, UsageError } from './options.ts';

export interface Service {
  baseUrl: string;
  /** A sandbox secret key. */
  key: string;
  /** Of Temporal's Web UI; null when nobody has said where it is. */
  uiUrl: string | null;
  /** Null when it was running before. */
  own: { pid: number; dataDir: string; end(outcome: Outcome): Promise<void> } | null;
}

/** Whether data in a temporary folder is still of use. */
export type Outcome = 'done' | 'failed';

const root = fileURLToPath(new URL('../', import.meta.url));
/** A first start may have to fetch or build the Temporal server. */
const readyTimeoutMs = 600_000;
const lookAgainAfterMs = 100;

/** The service that the options name, or one of the demo's own. */
export async function findOrBoot(options: Options, signal: AbortSignal): Promise<Service> {
  if (options.keys === null) return boot(options, signal);
  if (options.keys.startsWith('sk_'))
    return { baseUrl: options.baseUrl ?? '', key: options.keys, uiUrl: null, own: null };
  const found = await readDevelopment(resolve(options.keys));
  return { ...found, baseUrl: options.baseUrl ?? found.baseUrl, own: null };
}

/** Starts the service on free ports and waits until it is ready. Ends it when that fails, or when the signal comes. */
export async function boot(
  { dataDir, keep }: Pick<Options, 'dataDir' | 'keep'>,
  signal: AbortSignal,
): Promise<Service & { own: NonNullable<Service['own']> }> {
  const isTemporary = dataDir === null;
  const folder = dataDir === null ? await mkdtemp(join(tmpdir(), 'payments-demo-')) : resolve(dataDir);
  await mkdir(folder, { recursive: true });
  const log = join(folder, 'start.log');
  const child = await start(folder, log, keep);
  // Before it listens to signals it has started nothing, and SIGTERM simply ends it.
  const closed = new Promise<number | null>((done) => {
    child.once('close', (code, ended) => done(ended === 'SIGTERM' ? 0 : code));
  });

  async function end(outcome: Outcome): Promise<void> {
    child.kill('SIGTERM');
    const code = await closed;
    if (code !== 0) printError(`The service ended with ${code}; ${log} says why.`);
    if (!isTemporary) return;
    if (code === 0 && outcome === 'done') await rm(folder, { recursive: true, force: true });
    else printError(`Its data and logs are kept in ${folder}.`);
  }

  try {
    await untilReady(child, log, signal);
    const found = await readDevelopment(join(folder, 'development.json'));
    return { ...found, own: { pid: child.pid ?? 0, dataDir: folder, end } };
  } catch (error) {
    await end(signal.aborted ? 'done' : 'failed');
    throw error;
  }
}

async function start(folder: string, log: string, keep: boolean): Promise<ChildProcess> {
  const [api, temporal, ui] = await freePorts(3);
  const output = openSync(log, 'w', 0o600);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATA_DIR: folder,
    PORT: String(api),
    TEMPORAL_PORT: String(temporal),
    TEMPORAL_UI_PORT: String(ui),
    // Everything is to be its own, whatever the shell has set for another copy.
    DATABASE_URL: '',
    TEMPORAL_ADDRESS: '',
    TEMPORAL_NAMESPACE: '',
    ENCRYPTION_KEYS: '',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // Started by npm, the service ends when its parent is gone, even when that was killed; kept, it is to outlive it.
    npm_lifecycle_event: keep ? undefined : 'demo',
  };
  // A group of its own: Ctrl-C reaches the demo alone, which has things to put away before it ends the service.
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  return child;
}

async function untilReady(child: ChildProcess, log: string, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + readyTimeoutMs;
  for (;;) {
    const text = await readFile(log, 'utf8');
    if (/^ready/m.test(text)) return;
    signal.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`The service did not start:\n${text}`);
    if (performance.now() > giveUpAt) throw new Error(`The service was not ready in time:\n${text}`);
    await pause(lookAgainAfterMs);
  }
}

/** What a `development.json` says. */
async function readDevelopment(file: string): Promise<{ baseUrl: string; key: string; uiUrl: string | null }> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new UsageError(`--keys: ${file} cannot be read (${cause.message})`);
  });
  try {
    const { base_url: baseUrl, temporal_ui_url: uiUrl, keys } = JSON.parse(text);
    const key = keys.sandbox_secret;
    if (typeof baseUrl === 'string' && typeof key === 'string') return { baseUrl, key, uiUrl: uiUrl ?? null };
  } catch {
    // Told below, like a file that is JSON and something else.
  }
  throw new UsageError(`--keys: ${file} is not a development.json`);
}

/** Ports below those from which systems take the local ends of outgoing connections: nothing else comes upon them. */
async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    // All are held until there are enough, so that they differ.
    if (!(await listens(server, port))) continue;
    servers.push(server);
    ports.push(port);
  }
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((done) => {
    server.once('error', () => done(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => done(true));
  });
}
