import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isLoopbackAddress } from '../src/api/middleware/this-machine.ts';
import type { Config } from '../src/processes/config/config.ts';
import { type Daemon, type Say, startDaemon } from './daemon.ts';
import type { DemoBiller } from './data-dir.ts';
import { type Kept, keepRunning } from './keep-running.ts';
import { withLogEnd } from './last-words.ts';
import { Interrupted, type Stack, StartError, untilAborted } from './stack.ts';

const readyTimeoutMs = 60_000;

/** `.ts` in this repository, `.js` in the package of the sandbox. */
const typeOfThisFile = extname(import.meta.url);

/** A little more than a process gives itself, see lifecycle.ts. */
export const serviceStopTimeoutMs = 15_000;

export interface ServiceOptions {
  config: Config;
  /** Whose sandbox the front page charges, and the workbench opens, on this machine. */
  demo: DemoBiller;
  /** The environment of all processes. It may change before a restart. */
  env: NodeJS.ProcessEnv;
  /** Gets all processes. */
  stack: Stack;
  say: Say;
  signal: AbortSignal;
}

/**
 * Starts worker, API and pages, and resolves when all are ready. From then on each is started again whenever it ends.
 * @throws StartError; Interrupted when the signal comes.
 */
export async function startService({ config, demo, env, stack, say, signal }: ServiceOptions): Promise<void> {
  const metricsAt = (above: number) =>
    config.metricsPort === null ? {} : { METRICS_PORT: String(config.metricsPort + above) };
  const options = isLoopbackAddress(config.host) ? ['--for-this-machine'] : [];
  const demoText = `${demo.billerId}:${demo.keys.sandbox_secret}`;
  const processes = [
    keepChild('worker', config.dataDir, { ...env, ...metricsAt(1) }, [], say),
    keepChild('api', config.dataDir, { ...env, DEMO_BILLER: demoText }, options, say),
    keepChild('pages', config.dataDir, { ...env, ...metricsAt(3) }, options, say),
  ];
  stack.push(...processes);
  const ready = Promise.all(processes.map(({ started }) => started));
  if ((await Promise.race([ready, untilAborted(signal)])) === null) throw new Interrupted();
}

/** Ends API, pages and worker, and takes them from the stack. */
export async function stopService(stack: Stack): Promise<void> {
  const processes = stack.filter(({ name }) => name === 'API' || name === 'Pages' || name === 'Worker');
  await Promise.all(processes.map((entry) => entry.stop()));
  for (const entry of processes) stack.splice(stack.indexOf(entry), 1);
}

const programs = {
  worker: { shownName: 'Worker', file: '../src/processes/worker' },
  api: { shownName: 'API', file: '../src/processes/api' },
  pages: { shownName: 'Pages', file: '../src/processes/pages' },
  'processor-stripe': { shownName: 'Stripe processor', file: '../processors/stripe/main' },
} as const;

/** Starts one of our programs and keeps it running. It announces itself when it is ready. */
export function keepChild(
  name: keyof typeof programs,
  dataDir: string,
  env: NodeJS.ProcessEnv,
  options: string[],
  say: Say,
): Kept<{ daemon: Daemon }> {
  const { shownName, file } = programs[name];
  let hasBeenReady = false;
  async function start(signal: AbortSignal): Promise<{ daemon: Daemon }> {
    const daemon = await startDaemon({
      name,
      dataDir,
      command: process.execPath,
      args: [fileURLToPath(new URL(`${file}${typeOfThisFile}`, import.meta.url)), ...options],
      cwd: fileURLToPath(new URL('../', import.meta.url)),
      env,
      stopSignal: 'SIGTERM',
      stopTimeoutMs: serviceStopTimeoutMs,
      ipc: true,
    });
    try {
      // Later it may have to wait for a server that is down, for however long.
      await untilReady(daemon, hasBeenReady ? null : readyTimeoutMs, signal);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    if (!hasBeenReady) say(`${shownName} ${name === 'pages' ? 'are' : 'is'} up`);
    hasBeenReady = true;
    return { daemon };
  }
  return keepRunning({ name: shownName, start, remedy: null, say });
}

/** @throws StartError with the end of its log when it ends first, is late, or the signal comes. */
async function untilReady(daemon: Daemon, timeoutMs: number | null, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  let how: string | null = null;
  const ended = daemon.exited.then((end) => {
    how = end;
    return `ended while starting (${end})`;
  });
  const problem = await Promise.race([
    daemon.ready.then(() => null),
    ended,
    untilAborted(signal).then(() => 'is stopped'),
    ...(timeoutMs === null
      ? []
      : [sleep(timeoutMs, `was not ready after ${timeoutMs / 1000} s`, { signal: over.signal })]),
  ]).finally(() => over.abort());
  if (problem !== null) throw new StartError(await withLogEnd(`${daemon.name} ${problem}.`, daemon, how));
}
