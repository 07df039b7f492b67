import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/**
 * The client's option `ssl`: no TLS, TLS if the server has it, TLS without a check of the certificate, or TLS with the
 * checks of Node.js and these options.
 */
export type Tls = false | 'prefer' | 'require' | ConnectionOptions;

/** As in libpq. */
const modes = new Map<string, (ca: string | undefined) => Tls>([
  ['disable', () => false],
  ['false', () => false],
  ['allow', () => 'prefer'],
  ['prefer', () => 'prefer'],
  ['require', () => 'require'],
  ['verify-ca', (ca) => ({ ca, checkServerIdentity: () => undefined })],
  ['verify-full', (ca) => ({ ca })],
  ['true', (ca) => ({ ca })],
]);

const parameters = ['sslmode', 'ssl', 'sslrootcert'] as const;

/**
 * Takes the TLS parameters out of a database URL: `sslmode` (or `ssl`), and `sslrootcert`, which is a file of
 * authorities or `system`. Without a file, the authorities are those of Node.js and NODE_EXTRA_CA_CERTS. Returns the
 * URL without them. The default is a connection without TLS, or `verify-full` if there is a file.
 * @throws for an unknown mode, and for a file that cannot be read.
 */
export function takeTls(databaseUrl: string): { url: string; ssl: Tls } {
  const url = new URL(databaseUrl);
  const [sslmode, ssl, file] = parameters.map((name) => url.searchParams.get(name) ?? undefined);
  for (const name of parameters) url.searchParams.delete(name);
  const mode = modes.get(sslmode ?? ssl ?? (file === undefined ? 'disable' : 'verify-full'));
  if (mode === undefined) {
    throw new Error('DATABASE_URL: sslmode must be disable, allow, prefer, require, verify-ca or verify-full');
  }
  const authorities = file === undefined || file === 'system' ? undefined : readAuthorities(file);
  return { url: url.href, ssl: mode(authorities) };
}

function readAuthorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DATABASE_URL: the file of sslrootcert cannot be read (${reason})`, { cause });
  }
}
