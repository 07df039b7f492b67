import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Unauthenticated } from '../../services/errors.ts';
import { isLoopbackAddress, isLoopbackHost } from '../http/this-machine.ts';

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

/** Who may look: a request with the key, where there is one; else one from this machine, where the API is for this machine. */
export interface AccessRule {
  readonly key: string | null;
  readonly forThisMachine: boolean;
}

/** @throws OperatorKeyNeeded where there is a key, and another or none was given. */
export function accessOf(request: Asker, { key, forThisMachine }: AccessRule): Access {
  if (key === null) return forThisMachine && isAtThisMachine(request) ? 'granted' : 'stranger';
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

/** What a proxy on this machine adds for somebody who is not. */
const tracesOfProxies = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether the connection comes from this machine, is meant for it, and shows no proxy. A proxy that adds no header cannot be
 * told from a person here: that is why only `npm start` asks.
 */
function isAtThisMachine({ socket, headers }: Asker): boolean {
  if (!isLoopbackAddress(socket.remoteAddress ?? '') || !isLoopbackHost(headers.host)) return false;
  return tracesOfProxies.every((name) => headers[name] === undefined);
}
