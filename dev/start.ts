// The supervisor behind `npm start`: starts everything on loopback, prints when it is ready, starts again what ends by
// itself, and ends it all in order.
// With --watch (`npm run dev`) it restarts worker and API when a file of `src` changes.

import { openPrinter, printError } from '../src/platform/terminal.ts';
import { ConfigError, isRunByNpm, readConfig } from '../src/processes/config/config.ts';
import { type Booted, boot } from './boot.ts';
import { developmentFile } from './data-dir.ts';
import { stopService } from './service.ts';
import { listenForSignals } from './signals.ts';
import { endAll, Interrupted, type Stack, StartError, untilAborted } from './stack.ts';
import { watchSources } from './watch.ts';

const isWatching = process.argv.includes('--watch');

const startedAt = performance.now();

const elapsed = () => ((performance.now() - startedAt) / 1000).toFixed(1);

const print = openPrinter();

function say(line: string): void {
  print(`[${elapsed().padStart(6)} s] ${line}`);
}

async function main(): Promise<number> {
  // Developers want webhooks to this machine. WEBHOOK_ALLOW_LOOPBACK=false still turns them off.
  const config = readConfig({ WEBHOOK_ALLOW_LOOPBACK: 'true', ...process.env });
  const interruption = new AbortController();
  // npm, or the shell in between, may be killed without passing the signal on. Nothing else would then end these
  // processes.
  listenForSignals(interruption, say, isRunByNpm());
  const { signal } = interruption;
  const stack: Stack = [];
  let failure: { error: unknown } | null = null;
  try {
    const { development, restart } = await boot(config, stack, say, signal);
    // Printed in one piece at the start of a line, for programs that wait for it.
    print(
      `ready: ${development.base_url}, Temporal Web UI ${development.temporal_ui_url ?? 'of your own server'}, ` +
        `keys in ${developmentFile(config.dataDir)} (${elapsed()} s)`,
    );
    await supervise(stack, isWatching ? watchSources(signal) : null, restart, signal);
  } catch (error) {
    if (!(error instanceof Interrupted || signal.aborted)) {
      failure = { error };
      if (stack.some(({ lost }) => lost !== undefined))
        say('The service cannot continue; ending everything. The reason follows');
    }
  }
  await endAll(stack, say);
  if (failure === null) return 0;
  printError(failure.error instanceof StartError ? failure.error.message : failure.error);
  return 1;
}

/**
 * Resolves when the signal comes. Restarts the service when a source file changes; a version that does not start is
 * reported, and the next change is tried.
 * @throws StartError when PostgreSQL or Temporal has ended and cannot be brought back.
 */
async function supervise(
  stack: Stack,
  changes: ReturnType<typeof watchSources> | null,
  restart: Booted['restart'],
  signal: AbortSignal,
): Promise<void> {
  const aborted = untilAborted(signal);
  const lost = stack.flatMap((entry) => (entry.lost ? [entry.lost] : []));
  while ((await Promise.race([aborted, ...lost, ...(changes === null ? [] : [changes.next()])])) !== null) {
    say('A source file has changed; restarting worker and API');
    try {
      await restart();
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      printError(error instanceof StartError ? error.message : error);
      await stopService(stack);
      say('Worker and API are down; waiting for the next change. npm run types says where the syntax is wrong');
    }
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    printError(error instanceof ConfigError ? error.message : error);
    process.exit(1);
  },
);
