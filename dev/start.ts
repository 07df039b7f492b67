// The supervisor behind `npm start`: starts everything on loopback, prints when it is ready, and ends it all in order.

import { print, printError } from '../src/platform/terminal.ts';
import { ConfigError, isRunByNpm, readConfig } from '../src/processes/config/config.ts';
import { boot, endAll, Interrupted, type Stack, StartError } from './boot.ts';
import { lastLines } from './daemon.ts';
import { developmentFile } from './data-dir.ts';

/**
 * Under npm, Ctrl-C arrives twice within milliseconds; only a later repeat means that the user does not want to wait.
 */
const repeatAfterMs = 1_000;

const parentCheckMs = 500;

const startedAt = performance.now();

const elapsed = () => ((performance.now() - startedAt) / 1000).toFixed(1);

function say(line: string): void {
  print(`[${elapsed().padStart(6)} s] ${line}`);
}

async function main(): Promise<number> {
  // Developers want webhooks to this machine. WEBHOOK_ALLOW_LOOPBACK=false still turns them off.
  const config = readConfig({ WEBHOOK_ALLOW_LOOPBACK: 'true', ...process.env });
  const interruption = new AbortController();
  listenForSignals(interruption);
  const stack: Stack = [];
  try {
    const development = await boot(config, stack, say, interruption.signal);
    // Printed in one piece at the start of a line, for programs that wait for it.
    print(
      `ready: ${development.base_url}, Temporal Web UI ${development.temporal_ui_url ?? 'of your own server'}, ` +
        `keys in ${developmentFile(config.dataDir)} (${elapsed()} s)`,
    );
    const dead = await Promise.race([
      ...stack.flatMap(({ daemon }) => (daemon ? [daemon.exited.then((how) => ({ daemon, how }))] : [])),
      untilAborted(interruption.signal),
    ]);
    if (dead !== null) {
      const { name, logFile } = dead.daemon;
      throw new StartError(
        `${name} ended unexpectedly (${dead.how}), so everything is ended. The end of ${logFile}:\n${await lastLines(logFile)}`,
      );
    }
    return 0;
  } catch (error) {
    if (error instanceof Interrupted || interruption.signal.aborted) {
      return 0;
    }
    printError(error instanceof StartError ? error.message : error);
    return 1;
  } finally {
    await endAll(stack, say);
  }
}

/** Resolves with null when the signal comes, or has come already. */
function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null));
    if (signal.aborted) {
      resolve(null);
    }
  });
}

function listenForSignals(interruption: AbortController): void {
  let firstAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt === null) {
      firstAt = performance.now();
      say(`${signal}: ending everything in order`);
      interruption.abort();
    } else if (performance.now() - firstAt > repeatAfterMs) {
      printError(`${signal} again: not waiting any longer`);
      process.exit(1); // the servers still get their stop signal, see daemon.ts
    }
  };
  // SIGHUP: the terminal was closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, onSignal);
  }
  // npm, or the shell in between, may be killed without passing the signal on. Nothing else would then end these
  // processes.
  if (isRunByNpm()) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && firstAt === null) {
        onSignal('SIGHUP');
      }
    }, parentCheckMs).unref();
  }
  // The reader of this output may be gone too. That must not stop the rest from ending in order.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    printError(error instanceof ConfigError ? error.message : error);
    process.exit(1);
  },
);
