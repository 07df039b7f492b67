import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { isOfAnotherSite } from '../../api/http/other-site.ts';
import { BadRequest } from '../../services/errors.ts';

const mostBytes = 16 * 1024;

/**
 * Refuses what a browser sends from another site.
 * @throws BadRequest
 */
export function assertNoForeignSite(request: IncomingMessage): void {
  if (!isOfAnotherSite(request)) return;
  throw new BadRequest('This form came from another site. Open the page here, and use its own form.');
}

/**
 * Reads the fields of a posted form, at most 16 KiB. That it is one of ours must be checked besides; a browser that
 * comes from another site is refused here.
 * @throws BadRequest
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  assertNoForeignSite(request);
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
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
