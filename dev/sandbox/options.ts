import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { safeLine } from '../../src/platform/terminal.ts';

export const help = `payments-sandbox [OPTIONS]

Starts a payments service on this machine for development and tests: API, worker, pages, PostgreSQL and Temporal, with a
demo account and its keys. Nothing leaves this machine, and no money moves. The first start fetches the Temporal server
(45 MB, once per user). Ctrl-C ends everything.

  --port PORT        the port of the API. 0: any free one. By default 8080, or any free one if that is taken
  --data FOLDER      keep the data there. By default they are in a temporary folder, which is deleted at the end
  --json             print one line of JSON on stdout when it is ready, and everything else on stderr
  --end-with-parent  end when the process that started this one has ended
  --help             show this

The line of JSON has base_url, pages_url, temporal_ui_url, keys, accounts_url, accounts_token, data_dir and more.
Exit codes: 0 ended in order, 1 could not start or continue, 2 wrong options.`;

export interface Options {
  /** Null: 8080, or any free port. */
  readonly port: number | null;
  /** Absolute. Null: a temporary folder. */
  readonly data: string | null;
  readonly json: boolean;
  readonly endsWithParent: boolean;
}

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Reads the command line; null if help is asked for. @throws UsageError */
export function readOptions(args: string[]): Options | null {
  const { port, data, json, help: isHelp, 'end-with-parent': endsWithParent } = parse(args);
  if (isHelp) return null;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new UsageError(`--port needs a whole number from 0 to 65535, not "${safeLine(port)}"`);
  }
  if (data === '') throw new UsageError('--data needs a folder');
  return {
    port: port === undefined ? null : Number(port),
    data: data === undefined ? null : resolve(data),
    json,
    endsWithParent,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        json: { type: 'boolean', default: false },
        'end-with-parent': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(safeLine(error instanceof Error ? error.message : String(error)));
  }
}
