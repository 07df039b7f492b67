import { readOptions as readAll, UsageError } from '../lab/program.ts';

export const help = `npm run demo [-- OPTIONS]

Three customers on a test clock that is frozen on 31 January of a leap year: what is charged, what fails, what is tried
again, and which webhooks are sent, each compared with the rules. Then a plan by bank debit over Easter and Anzac Day
2028, with a dishonour and a late return; its April is closed to the cent. Then a subscription from its trial to its
end. Last, a subscription by bank debit, with three dishonours in one advance. Exit code 0 if all agrees, or 1.

Without options it starts a service of its own on free ports, in a temporary folder, and ends it afterwards.

  --base-url URL     use the running service there, together with --keys
  --keys FILE|KEY    its development.json (which says the URL too), or a sandbox secret key
  --data-dir FOLDER  keep the data of the own service here instead of in a temporary folder
  --keep             leave everything up afterwards: the own service, the clock, and the endpoint (disabled)
  --help             show this

A running service has to reach this machine's loopback with its webhooks, and the biller's time zone has to be UTC; both
are so after npm start. The demo removes what it made there: its clocks with the customers, and its webhook endpoint.`;

export interface Options {
  baseUrl: string | null;
  keys: string | null;
  dataDir: string | null;
  keep: boolean;
}

/**
 * Reads the command line; null if help is asked for.
 * @throws UsageError
 */
export function readOptions(): Options | null {
  const values = readAll({
    'base-url': { type: 'string' },
    keys: { type: 'string' },
    'data-dir': { type: 'string' },
    keep: { type: 'boolean' },
  });
  if (values === null) return null;
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
