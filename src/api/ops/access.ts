import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Unauthenticated } from '../../services/errors.ts';

/** What is known of who asks. */
export interface Asker {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Whether somebody may see what operators see: a stranger is not even told that there is anything to see. */
export type Access = 'granted' | 'stranger';

/** The operators' key is needed, and was not given. A browser then asks for it: as the password, under any name. */
export class OperatorKeyNeeded extends Unauthenticated {
  override readonly headers = { 'WWW-Authenticate': 'Basic realm="operators", charset="UTF-8"' };

  constructor() {
    super('This needs the operators’ key: as a bearer token, or as the password of any user.');
  }
}

/**
 * With a key, who presents it may look, from anywhere; without one, who sits at this machine.
 * @throws OperatorKeyNeeded where there is a key, and another or none was given.
 */
export function accessOf(request: Asker, key: string | null): Access {
  if (key === null) return isAtThisMachine(request) ? 'granted' : 'stranger';
  const given = keyIn(request.headers.authorization ?? '');
  if (given === null || !isEqual(given, key)) throw new OperatorKeyNeeded();
  return 'granted';
}

function keyIn(authorization: string): string | null {
  const [, scheme = '', credentials = ''] = /^(Basic|Bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme === '') return null;
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : null;
}

/** In constant time: of equal length by the hash, and without telling how much of the key is right. */
function isEqual(given: string, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}

const loopback = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
/** What a proxy on this machine adds for somebody who is not. */
const tracesOfProxies = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether the connection comes from this machine, and is meant for it. A page of a stranger whose name was made to point
 * here (DNS rebinding) is told by the host that it asks for.
 */
function isAtThisMachine({ socket, headers }: Asker): boolean {
  if (!loopback.test(socket.remoteAddress ?? '')) return false;
  if (!loopbackHost.test(headers.host ?? '')) return false;
  return tracesOfProxies.every((name) => headers[name] === undefined);
}
