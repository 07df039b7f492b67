import { parseArgs } from 'node:util';

export const help = `npm run demo [-- OPTIONS]

Three customers on a test clock that is frozen on 31 January of a leap year: what is charged, what fails, what is tried
again, and which webhooks tell of it, each compared with the rules. Exit code 0 when all agrees, otherwise 1.

Without options it starts a service of its own on free ports, in a temporary folder, and ends it afterwards.

  --base-url URL     use the running service there, together with --keys
  --keys FILE|KEY    its development.json (which says the URL too), or a sandbox secret key
  --data-dir FOLDER  keep the data of the own service here instead of in a temporary folder
  --keep             leave everything up afterwards: the own service, the clock, and the endpoint (disabled)
  --help             show this

A running service has to reach this machine's loopback with its webhooks, and the biller's time zone has to be UTC; both
are so after npm start. The demo removes what it made there: its clock with the customers, and its webhook endpoint.`;

export interface Options {
  baseUrl: string | null;
  keys: string | null;
  dataDir: string | null;
  keep: boolean;
}

/** The command line cannot be followed; the message says why. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Reads the command line; null when help is asked for.
 * @throws UsageError
 */
export function readOptions(args: string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const { 'base-url': baseUrl = null, keys = null, 'data-dir': dataDir = null, keep = false } = values;
  if (baseUrl !== null && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '')) {
    throw new UsageError(`--base-url needs a URL such as http://127.0.0.1:8080, not "${baseUrl}"`);
  }
  if (baseUrl !== null && keys === null) {
    throw new UsageError('--base-url needs --keys as well: the development.json of that service, or a secret key');
  }
  if (keys?.startsWith('sk_') && baseUrl === null) {
    throw new UsageError('--keys with a key itself needs --base-url as well: where the service is');
  }
  if (keys !== null && /^(sk_live|pk)_/.test(keys)) {
    throw new UsageError('--keys needs a sandbox secret key (sk_sandbox_…): test clocks are there only');
  }
  if (keys !== null && dataDir !== null) {
    throw new UsageError('--data-dir is for a service of the demo’s own; with --keys a running one is used');
  }
  return { baseUrl: baseUrl?.replace(/\/+$/, '') ?? null, keys, dataDir, keep };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        'base-url': { type: 'string' },
        keys: { type: 'string' },
        'data-dir': { type: 'string' },
        keep: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
