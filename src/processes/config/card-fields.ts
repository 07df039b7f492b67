import type { CardFieldOrigins } from '../../api/http/page-policy.ts';
import { isLoopbackName } from '../../platform/loopback.ts';

const wanted =
  'must be directives of a Content-Security-Policy with https origins, such as "script-src https://js.example.com; ' +
  'frame-src https://js.example.com". It needs script-src, and may have frame-src and connect-src';

const members = { 'script-src': 'scripts', 'frame-src': 'frames', 'connect-src': 'requests' } as const;

/**
 * Reads what live pages may load for the processor's fields for cards: the directives `script-src`, `frame-src` and
 * `connect-src`, each once, of origins alone. Returns what is wrong as the end of a sentence that begins with the
 * variable.
 */
export function readCardFields(text: string): CardFieldOrigins | { fault: string } {
  const found: Partial<Record<keyof CardFieldOrigins, readonly string[]>> = {};
  for (const directive of text.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/\s+/);
    if (name === '') continue;
    const member = Object.entries(members).find(([known]) => known === name)?.[1];
    if (member === undefined || found[member] !== undefined || sources.length === 0) return { fault: wanted };
    if (!sources.every(isOrigin)) return { fault: wanted };
    found[member] = sources;
  }
  const { scripts, frames = [], requests = [] } = found;
  return scripts === undefined ? { fault: wanted } : { scripts, frames, requests };
}

/** Whether this is the origin of one host, without wildcard, path and credentials: https, or this machine. */
function isOrigin(source: string): boolean {
  if (source.length > 200 || !URL.canParse(source)) return false;
  const { origin, protocol, hostname } = new URL(source);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
  return isSafe && source === origin && /^[a-z\d.:[\]-]+$/.test(hostname);
}
