import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../api/middleware/this-machine.ts';
import { isCookieShaped } from '../../services/dashboard/sessions.ts';

/** Under https a browser takes it from this host alone, and sends it only under https. */
const secureName = '__Host-dashboard';
const plainName = 'dashboard';

/** Whether the browser has asked without TLS, on the machine of the service. Everywhere else a cookie needs https. */
function isPlain({ headers }: IncomingMessage, apiUrl: string): boolean {
  const isForwarded = headers['x-forwarded-proto'] !== undefined && headers['x-forwarded-proto'] !== 'http';
  return isLoopbackHost(headers.host) && !isForwarded && !apiUrl.startsWith('https:');
}

/** Returns the cookie of the dashboard that a request has, or null. */
export function cookieOf(request: IncomingMessage, apiUrl: string): string | null {
  const name = isPlain(request, apiUrl) ? plainName : secureName;
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [given = '', value = ''] = pair.trim().split('=', 2);
    if (given === name && isCookieShaped(value)) return value;
  }
  return null;
}

/** Returns the header that sets the cookie for so many seconds; or, for 0, removes it. */
export function setCookie(request: IncomingMessage, apiUrl: string, value: string, seconds: number): string {
  const plain = isPlain(request, apiUrl);
  const name = plain ? plainName : secureName;
  return `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(seconds))}; HttpOnly; SameSite=Strict${plain ? '' : '; Secure'}`;
}
