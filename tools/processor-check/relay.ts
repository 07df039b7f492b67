import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { describeRequestFailure } from '../../src/platform/request-failure.ts';

/** One call to the service under check, and what came back. */
export interface Exchange {
  /** Of the protocol, such as `/charges`. */
  path: string;
  key: string | null;
  /** The body as it was sent. */
  sent: string;
  /** Null until the answer is there, and if there is none. */
  answer: { status: number; retryAfter: string | null; body: string } | null;
  /** Why there is no answer, in words. */
  failure: string | null;
}

export interface Relay {
  /** Calls to this address go to the service. */
  readonly url: string;
  /** All calls so far, in the order in which they were sent. */
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

const passedOn = ['authorization', 'content-type', 'accept', 'idempotency-key'];

/**
 * Starts a relay on loopback to a service: it passes each call on, and keeps what was said. So a report can show the
 * answer that the client of the service has judged. A call without an answer gets none here either.
 */
export async function openRelay(target: string): Promise<Relay> {
  const exchanges: Exchange[] = [];
  const server = await serveOnLoopback(async ({ method, path, headers, body }, response) => {
    const key = headers['idempotency-key'];
    const exchange: Exchange = {
      path,
      key: typeof key === 'string' ? key : null,
      sent: body,
      answer: null,
      failure: null,
    };
    exchanges.push(exchange);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await fetch(`${target}${path}`, {
        method,
        headers: passedOn.flatMap((name): [string, string][] => {
          const value = headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
        body,
        redirect: 'manual',
        signal: gone.signal,
      });
      const text = await answer.text();
      const retryAfter = answer.headers.get('retry-after');
      exchange.answer = { status: answer.status, retryAfter, body: text };
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
        ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      });
      response.end(text);
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      exchange.failure = gone.signal.aborted ? 'no answer in time' : describeRequestFailure(cause);
      response.socket?.resetAndDestroy();
    }
  });
  return { url: server.url, exchanges, close: () => server.close() };
}
