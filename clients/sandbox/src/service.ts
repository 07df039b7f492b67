import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { isOwnFile } from './own-file.ts';

/** What a running service says about itself in `development.json`. */
export interface Development {
  base_url: string;
  accounts_url: string;
  accounts_token: string;
}

export interface SandboxOptions {
  /**
   * The folder of a checkout of the payments service, which is started if none runs. By default PAYMENTS_SERVICE;
   * without either, the service in this package is started.
   */
  service?: string | undefined;
  /**
   * The folder of the data of a service that runs. By default DATA_DIR; without either, `.data` in the service's folder
   * or in this one.
   */
  dataDir?: string | undefined;
  /** How long a start may take; by default ten minutes, because the first one fetches the Temporal server. */
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
const keptOutput = 10_000;
const piped: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];

/** The program of this package that starts a service. A checkout has none next to its sources. */
const ownProgram = fileURLToPath(new URL('./service/dev/sandbox/main.js', import.meta.url));

/** Joins the service that runs, or starts one. @throws Error if there is none, or it does not start. */
export async function findService(options: SandboxOptions): Promise<RunningService> {
  const folder = options.service ?? process.env.PAYMENTS_SERVICE;
  const namedDataDir = options.dataDir ?? process.env.DATA_DIR;
  const dataDir = resolve(folder ?? '.', namedDataDir ?? '.data');
  const named = await readDevelopment(dataDir);
  const running = named !== null && (await isItself(named)) ? named : null;
  if (running !== null && (await isReady(running))) return { development: running, dataDir, stop: async () => {} };
  const timeoutMs = options.startTimeoutMs ?? defaultStartTimeoutMs;
  if (folder !== undefined) return startCheckout(folder, timeoutMs);
  if (namedDataDir === undefined && existsSync(ownProgram)) return startOwn(timeoutMs);
  throw new Error(
    `No payments service runs from ${dataDir}. Start one with npm start in its folder and set DATA_DIR to its .data, ` +
      'or set PAYMENTS_SERVICE to its folder, so that it is started here. Without both, the package ' +
      '@payments-service/sandbox starts the service that it holds.',
  );
}

/** @throws Error if another user could have written it. */
async function readDevelopment(dataDir: string): Promise<Development | null> {
  const file = join(dataDir, 'development.json');
  if (!isOwnFile(file)) {
    throw new Error(
      `${file} could have been written by another user, so the service that it names is not joined. Make the file and ` +
        'its folder yours alone (chown, chmod go-w), or name another DATA_DIR.',
    );
  }
  const text = await readFile(file, 'utf8').catch(() => null);
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

/** Starts the service of this package, with ports and data of its own. */
async function startOwn(timeoutMs: number): Promise<RunningService> {
  const args = [ownProgram, '--port', '0', '--json', '--end-with-parent'];
  const child = spawn(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' }, stdio: piped });
  const what = 'The payments service of @payments-service/sandbox';
  const { line, stop } = await untilReady(child, /^\{.*\}$/m, timeoutMs, what);
  const development = JSON.parse(line);
  return { development, dataDir: development.data_dir, stop };
}

/** Starts a checkout with ports and data of its own. Its data are deleted when it is stopped. */
async function startCheckout(folder: string, timeoutMs: number): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payments-sandbox-'));
  const [PORT, PAGES_PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT] = await freePorts(4);
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, DATA_DIR: dataDir, PORT, PAGES_PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, NODE_OPTIONS: '' },
    stdio: piped,
  });
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  const { stop } = await untilReady(child, /^ready: .*$/m, timeoutMs, `The payments service in ${folder}`).catch(
    async (error) => {
      await removeData();
      throw error;
    },
  );
  const development = await readDevelopment(dataDir);
  const stopAndRemove = () => stop().then(removeData);
  if (development === null) {
    await stopAndRemove();
    throw new Error(`The payments service in ${folder} has written no development.json.`);
  }
  return { development, dataDir, stop: stopAndRemove };
}

/**
 * Waits for a line on stdout. Returns it, and a function that ends the child. The child also gets its signal when this
 * process ends. @throws Error with the output if the child ends or is late
 */
async function untilReady(
  child: ChildProcessByStdio<null, Readable, Readable>,
  wanted: RegExp,
  timeoutMs: number,
  what: string,
): Promise<{ line: string; stop(): Promise<void> }> {
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  let output = '';
  let printed = '';
  const found = new Promise<string | null>((resolveLine) => {
    const timer = setTimeout(() => resolveLine(null), timeoutMs);
    const give = (line: string | null) => {
      clearTimeout(timer);
      resolveLine(line);
    };
    child.once('error', () => give(null));
    child.once('close', () => give(null));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-keptOutput);
      const [line] = wanted.exec(printed.slice(0, printed.lastIndexOf('\n') + 1)) ?? [];
      if (line !== undefined) give(line);
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-keptOutput);
      });
    }
  });
  async function stop(): Promise<void> {
    process.removeListener('exit', end);
    const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    const closed = isGone ? null : once(child, 'close');
    end();
    await closed;
  }
  const line = await found;
  if (line !== null) return { line, stop };
  await stop();
  throw new Error(`${what} has not started:\n${output}`);
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
