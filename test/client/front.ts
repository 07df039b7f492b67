import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { after, before, beforeEach } from 'mocha';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';

/**
 * What happens to a request: it is forwarded; its connection is cut before or after the service has handled it, or
 * in the middle of the response; it never gets a response; or it gets this response without reaching the service.
 */
export type Fate =
  | 'pass'
  | 'cut before'
  | 'cut after'
  | 'cut within'
  | 'silence'
  | { status: number; headers?: Record<string, string>; body?: string };

interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds since the one before. */
  after: number;
}

/**
 * A proxy in front of the API of a stage, for the tests of the calling `describe`. The next fate decides about each
 * request.
 */
export function useFront(api: { readonly url: string }) {
  const front = { url: '', seen: [] as Seen[], fates: [] as Fate[] };
  let server: LoopbackServer | undefined;
  let last = 0;

  before('stand before the API', async () => {
    server = await serveOnLoopback(async ({ method, path, headers, body }, response) => {
      const now = performance.now();
      const seen = { method, path, headers, body, after: now - last };
      last = now;
      front.seen.push(seen);
      await undergo(front.fates.shift() ?? 'pass', api.url, seen, response);
    });
    front.url = server.url;
  });
  beforeEach('forget', () => {
    front.seen.length = 0;
    front.fates.length = 0;
  });
  after('step aside', () => server?.close());
  return front;
}

async function undergo(fate: Fate, url: string, seen: Seen, response: ServerResponse): Promise<void> {
  if (fate === 'silence') return;
  if (fate === 'cut before') {
    response.destroy();
    return;
  }
  if (typeof fate === 'object') {
    response.writeHead(fate.status, fate.headers).end(fate.body);
    return;
  }
  const answer = await passOn(url, seen);
  const text = await answer.text();
  if (fate === 'cut after') {
    response.destroy();
    return;
  }
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'connection'));
  response.writeHead(answer.status, { ...headers, 'content-length': String(Buffer.byteLength(text)) });
  if (fate === 'pass') response.end(text);
  else response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function passOn(url: string, { method, path, headers, body }: Seen): Promise<Response> {
  const { host: _, connection: __, 'content-length': ___, ...rest } = headers;
  const given = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return fetch(`${url}${path}`, { method, headers: given, body: body === '' ? null : body });
}

/** An error body as the service returns it. */
export function errorBody(code: string, type = 'api_error'): string {
  return JSON.stringify({ error: { message: 'As it would say.', type, code, request_id: 'req_0' } });
}
