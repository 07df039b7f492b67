import { createHash, timingSafeEqual } from 'node:crypto';
import { isOfAnotherSite } from '../../api/http/other-site.ts';
import { isAtThisMachine, type LocalRequest } from '../../api/middleware/this-machine.ts';
import { Unauthenticated } from '../../services/errors.ts';

/** Whether a request may see the operators' page. A stranger must not learn that the page exists. */
export type Access = 'granted' | 'stranger';

/** The operators' key is missing or wrong. A browser then asks for it: enter it as the password, with any user name. */
export class OperatorKeyNeeded extends Unauthenticated {
  constructor() {
    super(
      'This page needs the operators’ key. Send it as a bearer token, or as the password with any user name.',
      'Basic realm="operators", charset="UTF-8"',
    );
  }
}

/**
 * The access rule. If `key` is set, requests must present it. Otherwise requests from this machine are allowed,
 * provided that `forThisMachine` is set.
 */
export interface AccessRule {
  readonly key: string | null;
  readonly forThisMachine: boolean;
}

/**
 * Returns who asks. What the page of another site asks for is a stranger's, even if the browser adds the operators'
 * key: that page could tell by the time of a response what was found.
 * @throws OperatorKeyNeeded if a key is set, and the request has none or a wrong one.
 */
export function accessOf(request: LocalRequest, { key, forThisMachine }: AccessRule): Access {
  if (isOfAnotherSite(request)) return 'stranger';
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

/** Compares in constant time, so that timing reveals nothing about the key. Hashing makes the lengths equal. */
function isEqual(given: string, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}
