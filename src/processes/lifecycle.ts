import { inspect } from 'node:util';
import type { Logger } from '../platform/logger.ts';
import { isOutage } from '../platform/postgres/transaction.ts';
import { printError } from '../platform/terminal.ts';

/** A process that has not closed by then is ended the hard way; a supervisor waits a little longer than this. */
const CLOSE_TIMEOUT_MS = 14_000;

/**
 * Ctrl-C under npm arrives twice, from the terminal and passed on by npm, within milliseconds.
 * Only a signal that comes later than this after the first is a person who does not want to wait.
 */
const REPEAT_AFTER_MS = 1_000;

/**
 * Calls `close` once, on the first SIGTERM or SIGINT or when the parent process is gone, and then ends the process:
 * with 0 when it closed, with 1 when it failed or took longer than 14 s. A second signal ends at once with 1. `delayMs` is
 * what `close` waits for before it begins, and comes on top.
 */
export function onShutdown(close: () => Promise<void>, { delayMs = 0 } = {}): void {
  const timeoutMs = CLOSE_TIMEOUT_MS + delayMs;
  let begunAt: number | null = null;

  const begin = (reason: string): void => {
    if (begunAt !== null) {
      if (reason !== 'disconnect' && performance.now() - begunAt > REPEAT_AFTER_MS) {
        process.exit(1);
      }
      return;
    }
    begunAt = performance.now();
    setTimeout(() => {
      printError(`Not closed ${timeoutMs / 1000} s after ${reason}; ending without waiting for the rest.`);
      process.exit(1);
    }, timeoutMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        printError(`Closing after ${reason} failed: ${inspect(error)}`);
        process.exit(1);
      },
    );
  };

  process.on('SIGTERM', () => begin('SIGTERM'));
  process.on('SIGINT', () => begin('SIGINT'));
  // Under the supervisor there is an IPC channel, and it breaks when the supervisor is killed. Nobody else would
  // then end this process.
  if (process.send !== undefined) {
    process.on('disconnect', () => begin('disconnect'));
  }
}

/** Tells the supervisor, where there is one, that this process now does its work. */
export function announceReady(): void {
  process.send?.('ready');
}

/**
 * Keeps the process alive through failures that nobody waits for and that only say that the database is away: the client
 * leaves some of them unhandled when a connection dies while it is being opened. Any other one is a fault of ours and ends
 * the process, as Node would.
 */
export function surviveOutages(logger: Logger): void {
  process.on('unhandledRejection', (reason) => {
    if (isOutage(reason)) {
      logger.warn({ err: reason }, 'a database connection was lost');
      return;
    }
    logger.fatal({ err: reason }, 'a failure that nobody handles; the process ends');
    process.exit(1);
  });
}
