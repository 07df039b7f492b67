#!/usr/bin/env node
// `payments`: the command line for developers of a biller. It uses the API alone, with a key. Exit status 1: it could
// not be done; 2: the command line is not valid.
import { PaymentsClient } from '../client.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { createDownloader, createRequester } from '../transport.ts';
import { type CliContext, type Command, CommandFailure, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { findSettings, type Settings } from './settings.ts';
import { print, printNote, safeLine } from './terminal.ts';

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: payments COMMAND [--help]',
    '',
    ...lines,
    '',
    'API_KEY is your key and BASE_URL the address of the service, by default http://127.0.0.1:8080. In the folder of a',
    'service that runs by npm start both are found without them. An address without https on another machine needs',
    'ALLOW_PLAIN_HTTP=true.',
  ].join('\n');
}

async function main([name, ...args]: string[]): Promise<number> {
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help';
  if (name === undefined || isHelp(name)) {
    (name === undefined ? printNote : print)(overview());
    return name === undefined ? 2 : 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) {
    printNote(`There is no command "${safeLine(name)}".\n\n${overview()}`);
    return 2;
  }
  const command = await entry.load();
  if (args.some((word) => word === '--help' || word === '-h')) {
    print(command.usage);
    return 0;
  }
  return runCommand(command, args);
}

async function runCommand(command: Command, args: string[]): Promise<number> {
  const ending = new AbortController();
  const end = () => ending.abort(new Error('ended'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  // A reader that has seen enough, such as `head`, ends the command.
  process.stdout.on('error', end);
  let place: Place = { baseUrl: '', dataDir: null };
  const connect = (): CliContext => {
    const settings = findSettings(process.env);
    place = settings;
    const { baseUrl, apiKey, allowPlainHttp } = settings;
    const options = { baseUrl, apiKey, allowPlainHttp };
    const payments = new PaymentsClient(options);
    const request = createRequester(options);
    const download = createDownloader(options);
    const livemode = apiKey.includes('k_live_');
    const { webUiUrl } = settings;
    return { payments, request, download, baseUrl, livemode, webUiUrl, signal: ending.signal, env: process.env };
  };
  try {
    return await command.run(args, connect);
  } catch (error) {
    if (ending.signal.aborted) return 0;
    printNote(explain(error, command, place));
    return error instanceof UsageError ? 2 : 1;
  }
}

type Place = Pick<Settings, 'baseUrl' | 'dataDir'>;

function explain(error: unknown, { usage }: Command, { baseUrl, dataDir }: Place): string {
  if (error instanceof UsageError) return `${safeLine(error.message)}\n\n${usage}`;
  if (error instanceof CommandFailure) return safeLine(error.message);
  // A service that was killed leaves its development.json behind, and another one may have its port by now.
  const isAnother = error instanceof ApiError && error.status === 401;
  if (dataDir !== null && (isAnother || error instanceof ConnectionError)) {
    const why = isAnother ? 'another service responds' : 'nothing responds';
    return `No service runs from ${safeLine(dataDir)}: ${why} at ${safeLine(baseUrl)}. Start it with npm start.`;
  }
  if (error instanceof ConnectionError) {
    return `The service does not respond at ${safeLine(baseUrl)}: ${safeLine(error.message)}`;
  }
  if (!(error instanceof ApiError)) return safeLine(error instanceof Error ? error.message : String(error));
  const lines = error.details.map(({ path, message }) => `  ${path ?? ''} ${message}`);
  const about = [`${error.status}`, error.code, error.requestId].filter((word) => word !== undefined).join(' ');
  return [`${error.message} (${about})`, ...lines].map(safeLine).join('\n');
}

process.exitCode = await main(process.argv.slice(2));
