// Stripe's own library, set so that one call is one request: what is unknown is asked for, never repeated unseen.

import Stripe from 'stripe';

/** Stripe's library, set by `stripeClient`. */
export type StripeClient = Stripe;

export interface StripeClientOptions {
  /** A secret or restricted key. It is sent to `baseUrl`, and is in no error. */
  readonly key: string;
  /** The version of Stripe's API that every request asks for, such as `2026-10-28.endive`. */
  readonly apiVersion: string;
  /** Where Stripe is: an origin, without a path. */
  readonly baseUrl: string;
  /** The longest time for a request with all of its answer, in milliseconds; 30 s if not given. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;

/**
 * A client of Stripe that sends each request once, follows no redirect, and tells Stripe nothing of earlier requests.
 * @throws TypeError if `baseUrl` is no URL. Its calls throw the errors of Stripe's library.
 */
export function stripeClient({ key, apiVersion, baseUrl, timeoutMs }: StripeClientOptions): StripeClient {
  const { protocol, hostname, port } = new URL(baseUrl);
  return new Stripe(key, {
    // The library's type has its newest version alone. Which one is sent is a setting of the account.
    apiVersion: apiVersion as Stripe.LatestApiVersion,
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    httpClient: Stripe.createFetchHttpClient(fetchOnce),
    maxNetworkRetries: 0,
    timeout: timeoutMs ?? defaultTimeoutMs,
    telemetry: false,
  });
}

/**
 * `fetch` for Stripe's library. The library repeats a request once after a closed connection, whatever
 * `maxNetworkRetries` says: it looks for `ECONNRESET` and `EPIPE` in the error's `code`
 * (https://github.com/stripe/stripe-node/issues/1040). The connection may have closed after the charge was made, so
 * errors leave here without a code. A redirect would repeat the request too, at another server.
 */
async function fetchOnce(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error' });
  } catch (error) {
    // A timeout: the library needs its own error unchanged.
    if (init?.signal?.aborted) throw error;
    throw new Error('The connection to Stripe failed before the answer', { cause: error });
  }
}
