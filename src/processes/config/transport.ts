import { isIPv4 } from 'node:net';
import { connectTimeoutOf } from '../../platform/postgres/connection.ts';
import { takeTls } from '../../platform/postgres/tls.ts';

/**
 * Returns what is wrong with the connection to this PostgreSQL, or null. A server on another machine needs TLS, unless
 * the URL asks for plain text by name (`sslmode=disable`). `defaultHost` is the host of a URL that names none.
 */
export function databaseTransportFault(databaseUrl: string, defaultHost: string): string | null {
  const { hostname, searchParams } = new URL(databaseUrl);
  const hosts = (hostname || defaultHost).split(',');
  try {
    const { ssl } = takeTls(databaseUrl);
    connectTimeoutOf(databaseUrl);
    const remote = hosts.find(isRemote);
    if (remote === undefined) return null;
    const isPlainByName = ssl === false && (searchParams.has('sslmode') || searchParams.has('ssl'));
    const isSecure = ssl !== false && ssl !== 'prefer';
    if (isPlainByName || isSecure) return null;
    return (
      `DATABASE_URL reaches ${remote} without TLS. Add ?sslmode=verify-full (or verify-ca, or require) to it; or ` +
      '?sslmode=disable, if everything may cross that network in plain text'
    );
  } catch (error) {
    // An unknown sslmode, a CA file that cannot be read, or a connect_timeout that is no number.
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Returns what is wrong with the connection to this Temporal (`host:port`), or null. For a server on another machine
 * the environment must choose TLS or plain text by name (`isNamed`); plain text is never the default. `prefix` is that
 * of the variables.
 */
export function temporalTransportFault(address: string, isNamed: boolean, prefix: string): string | null {
  const host = hostOf(address);
  if (isNamed || !isRemote(host)) return null;
  return (
    `${prefix}TEMPORAL_ADDRESS reaches ${host} without TLS. Set ${prefix}TEMPORAL_TLS=true (${prefix}TEMPORAL_API_KEY ` +
    `turns it on too); or ${prefix}TEMPORAL_TLS=false, if everything may cross that network in plain text`
  );
}

/**
 * Returns what is wrong with the URL of a processor service, as the end of a sentence that begins with its variable, or
 * null. On another machine it needs https: card tokens and our secret travel there.
 */
export function processorTransportFault(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isPlain = parsed?.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === '';
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !isPlain) {
    return 'must be an absolute https URL without user, query and fragment, such as https://processor.example.com/v1';
  }
  return parsed.protocol === 'http:' && isRemote(parsed.hostname)
    ? 'reaches another machine without TLS. Use https'
    : null;
}

/** Whether this `host:port` may be on another machine. */
export function isRemoteAddress(address: string): boolean {
  return isRemote(hostOf(address));
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'));
}

/**
 * Whether data sent to this host may leave the machine. Unix sockets, localhost, ::1 and 127.0.0.0/8 stay on it. Other
 * spellings of a loopback address count as remote, which is stricter than necessary.
 */
function isRemote(host: string): boolean {
  const isSocket = host.startsWith('/');
  const isLoopback = host.toLowerCase() === 'localhost' || host === '[::1]' || host === '::1';
  return !(isSocket || isLoopback || (isIPv4(host) && host.startsWith('127.')));
}
