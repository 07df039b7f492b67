import { ApiError, ConnectionError } from './errors.ts';
import type { ErrorEnvelope } from './generated/models.ts';
import { apiVersion } from './generated/resources.ts';
import type { ClientOptions, RequestOptions, WaitOptions, WriteOptions } from './options.ts';
import { pause } from './pause.ts';
import { type Redact, redactError, redactorOf } from './redact.ts';
import { delayBeforeRetry, readRetryAfter } from './retry.ts';

/** A request as the generated methods state it. */
export interface ApiRequest {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** The media type of the answer, where it is not JSON. */
  accept?: string;
}

/** Sends a request until it is answered for good. The answer is what the document promises: it is not checked. */
export type Requester = <T>(request: ApiRequest, options?: WriteOptions & WaitOptions) => Promise<T>;

/** What every try of a request sends. */
interface Prepared {
  request: ApiRequest;
  url: URL;
  init: { method: string; headers: Headers; body: string | null; redirect: 'manual' };
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

const defaultMaxRetries = 2;
const defaultTimeoutMs = 30_000;
const json = 'application/json';

/** @throws TypeError when the key or the address is missing or cannot be one. */
export function createRequester(client: ClientOptions): Requester {
  const { apiKey, maxRetries = defaultMaxRetries, timeoutMs = defaultTimeoutMs, fetch = globalThis.fetch } = client;
  if (typeof apiKey !== 'string' || apiKey === '') throw new TypeError('apiKey is missing');
  // What `fetch` says about a header or a URL that it refuses quotes it, with the key or the password in it.
  if (/[^\x21-\x7e]/.test(apiKey)) throw new TypeError('apiKey has characters that no key has');
  const base = new URL(client.baseUrl);
  if (base.username !== '' || base.password !== '') throw new TypeError('baseUrl must not carry credentials');

  return async (request, options = {}) => {
    const prepared: Prepared = {
      request,
      url: urlOf(base, request),
      // One set of headers for all tries: it is the one Idempotency-Key that keeps a retry from a second effect.
      init: {
        method: request.method,
        headers: headersOf(request, apiKey, options),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        redirect: 'manual',
      },
      timeoutMs: (options.timeoutMs ?? timeoutMs) + (options.waitSeconds ?? 0) * 1000,
      signal: options.signal,
    };
    return sendUntilAnswered(fetch, prepared, options.maxRetries ?? maxRetries);
  };
}

async function sendUntilAnswered<T>(send: typeof fetch, prepared: Prepared, maxRetries: number): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await sendOnce(send, prepared);
    } catch (error) {
      const delay = retries < maxRetries ? delayBeforeRetry(error, retries) : null;
      if (delay === null) throw error;
      await pause(delay, prepared.signal);
    }
  }
}

async function sendOnce<T>(send: typeof fetch, { request, url, init, timeoutMs, signal }: Prepared): Promise<T> {
  signal?.throwIfAborted();
  const redact = redactorOf(url);
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  const timer = setTimeout(() => ending.abort(new Error(`${timeoutMs} ms have passed`)), timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  let response: Response;
  let text: string;
  try {
    response = await send(url, { ...init, signal: ending.signal });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    // A `fetch` of the user's own may end requests too.
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    const why = redactError(cause, redact);
    throw new ConnectionError(`${request.method} ${url.origin}${url.pathname} got no answer: ${reasonOf(why)}`, {
      cause: why,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
  return read(request, response, text, redact);
}

function urlOf(base: URL, { path, query = {} }: ApiRequest): URL {
  const url = new URL(base.pathname.replace(/\/$/, '') + path, base);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function headersOf(
  { method, body, accept = json }: ApiRequest,
  apiKey: string,
  { idempotencyKey, idempotencyTtlSeconds, waitSeconds }: WriteOptions & WaitOptions & RequestOptions,
): Headers {
  const headers = new Headers({
    Accept: accept,
    Authorization: `Bearer ${apiKey}`,
    'User-Agent': `payments-client-typescript/${apiVersion}`,
  });
  if (body !== undefined) headers.set('Content-Type', json);
  if (method === 'POST') headers.set('Idempotency-Key', idempotencyKey ?? crypto.randomUUID());
  if (idempotencyTtlSeconds !== undefined) headers.set('Idempotency-TTL', String(idempotencyTtlSeconds));
  if (waitSeconds !== undefined) headers.set('Prefer', `wait=${waitSeconds}`);
  return headers;
}

/** @throws ApiError unless the answer is a success, of the media type that was asked for. */
function read<T>({ method, path, accept = json }: ApiRequest, response: Response, text: string, redact: Redact): T {
  const isExpected = response.headers.get('Content-Type')?.startsWith(accept) === true;
  const body = parse(text);
  if (response.ok && isExpected && accept !== json) return text as T;
  if (response.ok && isExpected && body !== undefined) return body as T;
  throw new ApiError(envelopeIn(body, redact), {
    status: response.status,
    method,
    path,
    requestId: response.headers.get('Request-Id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('Retry-After')),
  });
}

/** Undefined for what is no JSON: the error of the parser would quote it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands in a body of `{error}`, redacted; nothing when the body is somebody else's. */
function envelopeIn(body: unknown, redact: Redact): Partial<ErrorEnvelope['error']> {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof error !== 'object' || error === null) return {};
  return JSON.parse(JSON.stringify(error), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
}

/** `fetch` says why in the cause of its error. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message || String(cause) : message;
}
