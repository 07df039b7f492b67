import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { PaymentsClient } from '../client.ts';
import type { Downloader, Requester } from '../transport.ts';

/** What a command works with. */
export interface CliContext {
  payments: PaymentsClient;
  /** For what the API offers to the command line alone. */
  request: Requester;
  /** For what is passed on as it comes. */
  download: Downloader;
  baseUrl: string;
  /** Whether the key is one of live mode. */
  livemode: boolean;
  /** The Web UI of Temporal, if the service runs on this machine; otherwise null. */
  webUiUrl: string | null;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
}

export interface Command {
  usage: string;
  /** Runs the command and returns the exit status. `connect` throws a UsageError if there is no key. */
  run(args: string[], connect: () => CliContext): Promise<number>;
}

/** The command line is not valid: exit status 2. */
export class UsageError extends Error {}

/** The command could not do what was asked: exit status 1. */
export class CommandFailure extends Error {}

/** Parses arguments strictly. @throws UsageError for an unknown option or a missing value. */
export function parse<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Returns the words of a command that takes exactly these. @throws UsageError. */
export function exactly(positionals: readonly string[], ...names: string[]): string[] {
  if (positionals.length < names.length) throw new UsageError(`${names[positionals.length]} is missing.`);
  if (positionals.length > names.length)
    throw new UsageError(`"${positionals[names.length]}" is one argument too many.`);
  return [...positionals];
}

/** Returns a whole number of an option. @throws UsageError unless it is at least `least`. */
export function wholeNumber(name: string, text: string, least: number): number {
  if (!/^\d+$/.test(text) || Number(text) < least)
    throw new UsageError(`--${name} must be a whole number from ${least}.`);
  return Number(text);
}

/** Returns a test for the types of events: `*`, groups such as `payment_plan.*`, and types, separated by commas. */
export function typeFilter(text: string | undefined): (type: string) => boolean {
  // A ping is meant for one endpoint, so it is shown only on request.
  if (text === undefined) return (type) => type !== 'webhook_endpoint.ping';
  const words = text.split(',').map((word) => word.trim());
  const odd = words.find((word) => !/^(\*|[a-z_]+\.(\*|[a-z_]+))$/.test(word));
  if (odd !== undefined)
    throw new UsageError(`--types: "${odd}" is not a type of events, such as payment_plan.closed or payment_plan.*`);
  return (type) =>
    words.some((word) => word === '*' || word === type || (word.endsWith('.*') && type.startsWith(word.slice(0, -1))));
}
