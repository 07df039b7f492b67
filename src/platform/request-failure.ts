import { errors } from 'undici';
import { AddressRefused } from './outbound-address.ts';

const causes: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without a response',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'response headers too large',
};

/**
 * Describes why an HTTP request got no response, in words and without addresses: the error's own message could reveal
 * our network. Never throws.
 */
export function describeRequestFailure(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  if (first instanceof AddressRefused) return first.message;
  if (first instanceof errors.HTTPParserError) return 'the response is not HTTP';
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `TLS failed (${code})`;
  return causes[code] ?? (code === '' ? 'request failed' : `request failed (${code})`);
}
