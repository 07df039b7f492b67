import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What a running service says about itself in `development.json`. */
export interface Development {
  base_url: string;
  accounts_url: string;
  accounts_token: string;
}

export interface SandboxOptions {
  /**
   * The folder of the payments service. It is started if none runs. By default PAYMENTS_SERVICE; without either, a
   * running service is joined.
   */
  service?: string | undefined;
  /** The folder of the service's data. By default DATA_DIR, then `.data` in the service's folder or in this one. */
  dataDir?: string | undefined;
  /** How long a start may take; by default ten minutes, because the first one may build the Temporal server. */
  startTimeoutMs?: number | undefined;
}

export interface RunningService {
  development: Development;
  /** The folder of the service's data. */
  dataDir: string;
  /** Ends the service if it was started here. */
  stop(): Promise<void>;
}

const defaultStartTimeoutMs = 600_000;
const healthTimeoutMs = 2_000;

/** Joins the service that runs, or starts one. @throws Error if there is none and it is not known where it is. */
export async function findService(options: SandboxOptions): Promise<RunningService> {
  const folder = options.service ?? process.env.PAYMENTS_SERVICE;
  const dataDir = resolve(folder ?? '.', options.dataDir ?? process.env.DATA_DIR ?? '.data');
  const named = await readDevelopment(dataDir);
  const running = named !== null && (await isItself(named)) ? named : null;
  if (running !== null && (await isReady(running))) return { development: running, dataDir, stop: async () => {} };
  if (folder === undefined) {
    throw new Error(
      `No payments service runs from ${dataDir}. Start one with npm start in its folder and set DATA_DIR to its .data, ` +
        'or set PAYMENTS_SERVICE to its folder, so that it is started here.',
    );
  }
  return startService(folder, options.startTimeoutMs ?? defaultStartTimeoutMs);
}

async function readDevelopment(dataDir: string): Promise<Development | null> {
  const text = await readFile(join(dataDir, 'development.json'), 'utf8').catch(() => null);
  try {
    const found = text === null ? null : JSON.parse(text);
    return typeof found?.accounts_url === 'string' ? found : null;
  } catch {
    return null;
  }
}

/**
 * Whether the service that wrote this still runs. A killed one leaves the file behind, and what has its ports by now
 * does not know its token.
 */
async function isItself({ base_url, accounts_url, accounts_token }: Development): Promise<boolean> {
  const response = await fetch(accounts_url, {
    headers: { Authorization: `Bearer ${accounts_token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(healthTimeoutMs),
  }).catch(() => null);
  if (response === null) return false;
  const text = await response.text().catch(() => '');
  return response.status === 200 && text.includes(JSON.stringify(base_url));
}

async function isReady({ base_url }: Development): Promise<boolean> {
  const response = await fetch(`${base_url}/readyz`, { signal: AbortSignal.timeout(healthTimeoutMs) }).catch(
    () => null,
  );
  await response?.body?.cancel();
  return response?.ok === true;
}

/** Starts a service with ports and data of its own. Its data are deleted when it is stopped. */
async function startService(folder: string, timeoutMs: number): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-sandbox-'));
  const [PORT, PAGES_PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT] = await freePorts(4);
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, DATA_DIR: dataDir, PORT, PAGES_PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  let output = '';
  const isUp = new Promise<boolean>((ready) => {
    const timer = setTimeout(() => ready(false), timeoutMs);
    const give = (isReady: boolean) => {
      clearTimeout(timer);
      ready(isReady);
    };
    child.once('error', () => give(false));
    child.once('close', () => give(false));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-10_000);
        if (/^ready: /m.test(output)) give(true);
      });
    }
  });
  async function stop(): Promise<void> {
    process.removeListener('exit', end);
    const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    const closed = isGone ? null : once(child, 'close');
    end();
    await closed;
    await rm(dataDir, { recursive: true, force: true });
  }
  const development = (await isUp) ? await readDevelopment(dataDir) : null;
  if (development === null) {
    await stop();
    throw new Error(`The payments service in ${folder} has not started:\n${output}`);
  }
  return { development, dataDir, stop };
}

async function freePorts(count: number): Promise<string[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      server.close();
      await once(server, 'close');
      return String(typeof address === 'object' ? address?.port : '');
    }),
  );
}
