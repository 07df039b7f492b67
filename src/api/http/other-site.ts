import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether the page of another site makes a request. Browsers say with every request whose page makes it. A program, or
 * an address that is typed, has no such page.
 */
export function isOfAnotherSite({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
