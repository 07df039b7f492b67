import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isLoopbackAddress } from '../src/api/middleware/this-machine.ts';
import type { Config } from '../src/processes/config/config.ts';
import { type Daemon, lastLines, type Say, startDaemon } from './daemon.ts';
import { Interrupted, type Stack, StartError } from './stack.ts';

const readyTimeoutMs = 60_000;

/** A little more than a process gives itself, see lifecycle.ts. */
export const serviceStopTimeoutMs = 15_000;

export interface ServiceOptions {
  config: Config;
  /** The environment of both processes. */
  env: NodeJS.ProcessEnv;
  /** Gets both processes. */
  stack: Stack;
  say: Say;
  signal: AbortSignal;
}

/** Starts worker and API, and resolves when both are ready. @throws StartError; Interrupted when the signal comes. */
export async function startService({ config, env, stack, say, signal }: ServiceOptions): Promise<void> {
  const metrics = config.metricsPort === null ? {} : { METRICS_PORT: String(config.metricsPort + 1) };
  const worker = await startChild('worker', config.dataDir, { ...env, ...metrics }, stack);
  const options = isLoopbackAddress(config.host) ? ['--for-this-machine'] : [];
  const api = await startChild('api', config.dataDir, env, stack, options);
  await Promise.all([waitUntilReady(worker, say, signal), waitUntilReady(api, say, signal)]);
}

/** Ends API and worker, and takes them from the stack. */
export async function stopService(stack: Stack): Promise<void> {
  const processes = stack.filter(isService);
  await Promise.all(processes.map((entry) => entry.stop()));
  for (const entry of processes) stack.splice(stack.indexOf(entry), 1);
}

/** Whether an entry of the stack is a process of the service, and not a server that it needs. */
export function isService({ name }: Stack[number]): boolean {
  return name === 'API' || name === 'Worker';
}

async function startChild(
  name: 'worker' | 'api',
  dataDir: string,
  env: NodeJS.ProcessEnv,
  stack: Stack,
  options: string[] = [],
): Promise<Daemon> {
  const daemon = await startDaemon({
    name,
    dataDir,
    command: process.execPath,
    args: [fileURLToPath(new URL(`../src/processes/${name}.ts`, import.meta.url)), ...options],
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    env,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: serviceStopTimeoutMs,
    ipc: true,
  });
  stack.push({ name: name === 'api' ? 'API' : 'Worker', daemon, stop: daemon.stop });
  return daemon;
}

async function waitUntilReady(daemon: Daemon, say: Say, signal: AbortSignal): Promise<void> {
  const timer = new AbortController();
  const outcome = await Promise.race([
    daemon.ready.then(() => null),
    daemon.exited.then((how) => `ended while starting (${how})`),
    sleep(readyTimeoutMs, `was not ready after ${readyTimeoutMs / 1000} s`, {
      signal: AbortSignal.any([signal, timer.signal]),
    }).catch(() => {
      throw new Interrupted();
    }),
  ]).finally(() => timer.abort());
  if (outcome !== null) {
    throw new StartError(
      `${daemon.name} ${outcome}. The end of ${daemon.logFile}:\n${await lastLines(daemon.logFile)}`,
    );
  }
  say(`${daemon.name === 'api' ? 'API' : 'Worker'} is up`);
}
