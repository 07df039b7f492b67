import { printError } from '../src/platform/terminal.ts';
import type { Say } from './daemon.ts';

/**
 * Under npm, Ctrl-C arrives twice within milliseconds; only a later repeat means that the user does not want to wait.
 */
const repeatAfterMs = 1_000;

const parentCheckMs = 500;

/**
 * Aborts at the first signal to end; a second one ends the process at once. With `endsWithParent`, the end of the
 * parent process counts as a signal.
 */
export function listenForSignals(interruption: AbortController, say: Say, endsWithParent: boolean): void {
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
  if (endsWithParent) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && firstAt === null) {
        onSignal('SIGHUP');
      }
    }, parentCheckMs).unref();
  }
  // The reader of this output may be gone too, or its disk full. That must not stop the rest from ending in order.
  process.stderr.on('error', () => {});
}
