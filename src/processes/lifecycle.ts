import { inspect } from 'node:util';
import { isOutage } from '../platform/postgres/transaction.ts';
import { printError } from '../platform/terminal.ts';
import { ConfigError } from './config/config.ts';

/** A process that has not closed by then is ended by force. A supervisor waits a little longer than this. */
const closeTimeoutMs = 14_000;

/**
 * Under npm, Ctrl-C arrives twice within milliseconds: from the terminal, and passed on by npm. Only a signal that
 * comes later than this after the first one means that a person does not want to wait.
 */
const repeatAfterMs = 1_000;

/**
 * Calls `close` once, on the first SIGTERM or SIGINT or when the parent process is gone. Then it ends the process: with
 * 0 when `close` succeeded, with 1 when it failed or took longer than 14 s. A second signal ends the process at once
 * with 1. `delayMs` is how long `close` waits before it begins, and is added to the 14 s.
 */
export function onShutdown(close: () => Promise<void>, { delayMs = 0 } = {}): void {
  const timeoutMs = closeTimeoutMs + delayMs;
  let begunAt: number | null = null;

  const begin = (reason: string): void => {
    if (begunAt !== null) {
      if (reason !== 'disconnect' && performance.now() - begunAt > repeatAfterMs) {
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
  // Under the supervisor there is an IPC channel, which breaks when the supervisor is killed. Nothing else would then
  // end this process.
  if (process.send !== undefined) {
    process.on('disconnect', () => begin('disconnect'));
  }
}

/**
 * Returns the result of a step of the start. If the configuration does not allow the step, prints what to correct and
 * nothing else, and ends the process with 1.
 */
export async function orExplain<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printError(error.message);
    process.exit(1);
  }
}

/** Notifies the supervisor, if there is one, that this process is ready. */
export function announceReady(): void {
  process.send?.('ready');
}

type OutageLog = Readonly<Record<'warn' | 'fatal', (about: { err: unknown }, words: string) => void>>;

/**
 * Keeps the process alive through unhandled rejections that only mean that the database is away. The client leaves some
 * unhandled when a connection dies while it is being opened. Any other rejection is a bug and ends the process, as Node
 * would.
 */
export function surviveOutages(logger: OutageLog): void {
  process.on('unhandledRejection', (reason) => {
    if (isOutage(reason)) {
      logger.warn({ err: reason }, 'a database connection was lost');
      return;
    }
    logger.fatal({ err: reason }, 'an unhandled rejection; the process ends');
    process.exit(1);
  });
}
