import { setTimeout as pause } from 'node:timers/promises';
import { PaymentsClient } from '@payments-service/client';
import { Agent, request } from 'undici';
import type { Chance } from '../../lab/random.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Exchange, Journal, Response as Recorded } from './journal.ts';

/** How a biller's program reaches the service. What it sends and gets is in the journal. */
export interface BillerClients {
  /** Sends each request, with the same key, until it has a final response, to whichever process responds. */
  client: PaymentsClient;
  /** The same, but the first try goes to both processes at the same moment. */
  impatient: PaymentsClient;
  /** Sends each request once. @throws ConnectionError if there is no final response */
  once: PaymentsClient;
  /** Sends the very same request until it has a final response, whatever that is. It is not recorded again. */
  send(request: Pick<Exchange, 'method' | 'path' | 'body' | 'key'>): Promise<Recorded>;
}

const tryTimeoutMs = 6_000;
const longestPauseMs = 600;
/** The tries end on their own: the typed client waits for them. */
const longTimeoutMs = 10 ** 9;

/** One for all clients: connections are kept, and break with the process at their other end. */
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 4_000 });

export function openClients(
  urls: readonly string[],
  apiKey: string,
  { journal, chance, signal }: { journal: Journal; chance: Chance; signal: AbortSignal },
): BillerClients {
  /** One try; null if another try may get another response. */
  async function tryOnce(url: string, headers: Headers, { method, path, body }: Exchange): Promise<Recorded | null> {
    try {
      const response = await request(`${url}/api/v1${path}`, {
        ...{ dispatcher: agent, method, body, signal: AbortSignal.timeout(tryTimeoutMs) },
        headers: Object.fromEntries(headers),
      });
      const text = await response.body.text();
      const status = response.statusCode;
      if (status >= 500 || status === 429 || status === 408 || text.includes('"idempotency_key_in_use"')) {
        journal.setBack(`${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim());
        return null;
      }
      return { status, text, at: realNow().getTime() };
    } catch (error) {
      journal.setBack(reasonOf(error));
      return null;
    }
  }

  async function untilFinal(exchange: Exchange, headers: Headers, first: number, tries: number): Promise<Recorded> {
    for (let nth = 0; nth < tries; nth += 1) {
      const chosen = chance.shuffled(urls).slice(0, nth === 0 ? first : 1);
      const responses = await Promise.all(chosen.map((url) => tryOnce(url, headers, exchange)));
      exchange.responses.push(...responses.filter((response) => response !== null));
      const [final] = exchange.responses;
      if (final !== undefined) return final;
      if (signal.aborted) break;
      await pause(chance.between(20, Math.min(longestPauseMs, 50 * 2 ** Math.min(nth, 5))));
    }
    throw new Error(`${exchange.method} ${exchange.path} has no final response`);
  }

  function clientWith(first: number, tries: number): PaymentsClient {
    const send: typeof fetch = async (input, init = {}) => {
      const { pathname, search } = new URL(String(input));
      const headers = new Headers(init.headers);
      const exchange: Exchange = {
        method: init.method as Exchange['method'],
        path: pathname.replace('/api/v1', '') + search,
        body: typeof init.body === 'string' ? init.body : null,
        key: headers.get('idempotency-key'),
        apiKey,
        responses: [],
      };
      if (exchange.method !== 'GET') journal.exchanges.push(exchange);
      const { status, text } = await untilFinal(exchange, headers, first, tries);
      return new Response(text, { status, headers: { 'content-type': 'application/json' } });
    };
    return new PaymentsClient({ baseUrl: urls[0] ?? '', apiKey, maxRetries: 0, timeoutMs: longTimeoutMs, fetch: send });
  }

  return {
    client: clientWith(1, Number.POSITIVE_INFINITY),
    impatient: clientWith(2, Number.POSITIVE_INFINITY),
    once: clientWith(1, 1),
    send({ method, path, body, key }) {
      const headers = new Headers({ authorization: `Bearer ${apiKey}` });
      if (body !== null) headers.set('content-type', 'application/json');
      if (key !== null) headers.set('idempotency-key', key);
      return untilFinal({ method, path, body, key, apiKey, responses: [] }, headers, 1, Number.POSITIVE_INFINITY);
    },
  };
}

/** Why a try had no response, in a word. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${tryTimeoutMs / 1000} s`;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
