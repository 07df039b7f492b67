import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { BadRequest } from '../../services/errors.ts';

const mostBytes = 16 * 1024;

/**
 * Reads the fields of a posted form, at most 16 KiB. The link in the address is what allows a request, so another site
 * cannot make one. A browser that comes from another site is still refused.
 * @throws BadRequest
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { 'sec-fetch-site': site, 'content-type': type, 'content-encoding': encoding } = request.headers;
  // Browsers send it with every request; a program does not.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new BadRequest('This form came from another site. Open the workbench, and use its own form.');
  }
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type ?? '') || encoding !== undefined) {
    throw new BadRequest('The form could not be read. Go back and try again.');
  }
  const length = request.headers['content-length'] ?? null;
  const bytes = await getRawBody(request, { limit: mostBytes, length }).catch(() => {
    throw new BadRequest('The form could not be read, or has too much text.');
  });
  const form = new URLSearchParams(bytes.toString('utf8'));
  if ([...form].some(([, value]) => value.includes('\0'))) throw new BadRequest('A field of the form is not text.');
  return form;
}
