import { parseBaseUrl } from './address.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { ErrorEnvelope } from './generated/models.ts';
import { apiVersion } from './generated/resources.ts';
import type { ClientOptions, RequestOptions, WaitOptions, WriteOptions } from './options.ts';
import { pause } from './pause.ts';
import { type Redact, redactError, redactorOf } from './redact.ts';
import { delayBeforeRetry, readRetryAfter } from './retry.ts';

/** A request as the generated methods pass it. */
export interface ApiRequest {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** The media type of the response, if it is not JSON. */
  accept?: string;
}

/** Sends a request, with retries. The response is typed by the OpenAPI document, and not checked. */
export type Requester = <T>(request: ApiRequest, options?: WriteOptions & WaitOptions) => Promise<T>;

/** What each try of a request sends. */
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

/** @throws TypeError if the key or the address is missing or malformed. */
export function createRequester(client: ClientOptions): Requester {
  const { apiKey, maxRetries = defaultMaxRetries, timeoutMs = defaultTimeoutMs, fetch = globalThis.fetch } = client;
  if (typeof apiKey !== 'string' || apiKey === '') throw new TypeError('apiKey is missing');
  // If `fetch` refuses a header or a URL, its error quotes it, with the key or the password in it.
  if (/[^\x21-\x7e]/.test(apiKey)) throw new TypeError('apiKey has characters that are not allowed in a key');
  const base = parseBaseUrl(client.baseUrl, client.allowPlainHttp);

  return async (request, options = {}) => {
    const prepared: Prepared = {
      request,
      url: urlOf(base, request),
      // All tries send the same headers: the same Idempotency-Key prevents a second effect.
      init: {
        method: request.method,
        headers: headersOf(request, apiKey, options),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        redirect: 'manual',
      },
      timeoutMs: (options.timeoutMs ?? timeoutMs) + (options.waitSeconds ?? 0) * 1000,
      signal: options.signal,
    };
    return sendWithRetries(fetch, prepared, options.maxRetries ?? maxRetries);
  };
}

/** Sends a request once and returns the body of the response as it comes. For what is too long for memory. */
export type Downloader = (request: ApiRequest, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** @throws TypeError as `createRequester` does. */
export function createDownloader({ apiKey, baseUrl, allowPlainHttp }: ClientOptions): Downloader {
  const base = parseBaseUrl(baseUrl, allowPlainHttp);
  return async (request, signal) => {
    const { method, accept = json } = request;
    const headers = headersOf(request, apiKey, {});
    const response = await connected(request, base, () =>
      fetch(urlOf(base, request), { method, headers, redirect: 'manual', signal }),
    );
    const isExpected = response.headers.get('Content-Type')?.startsWith(accept) === true;
    if (response.ok && isExpected && response.body !== null) return response.body;
    return read(request, response, await response.text(), redactorOf(base));
  };
}

/** @throws ConnectionError if there is no response. */
async function connected(
  { method, path }: ApiRequest,
  { origin }: URL,
  send: () => Promise<Response>,
): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new ConnectionError(`${method} ${origin}${path} got no response: ${reasonOf(cause as Error)}`, { cause });
  }
}

async function sendWithRetries<T>(send: typeof fetch, prepared: Prepared, maxRetries: number): Promise<T> {
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
    // The user's own `fetch` may abort requests too.
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    const why = redactError(cause, redact);
    throw new ConnectionError(`${request.method} ${url.origin}${url.pathname} got no response: ${reasonOf(why)}`, {
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

/** @throws ApiError unless the response is a success of the requested media type. */
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

/** Returns undefined if the text is not JSON. The parser's error would quote it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the content of `{error}`, redacted; nothing if the body is not from the service. */
function envelopeIn(body: unknown, redact: Redact): Partial<ErrorEnvelope['error']> {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof error !== 'object' || error === null) return {};
  return JSON.parse(JSON.stringify(error), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
}

/** The cause of a `fetch` error has the reason. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message || String(cause) : message;
}
