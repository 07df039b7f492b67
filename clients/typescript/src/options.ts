export interface ClientOptions {
  /**
   * A secret key, or a publishable one for what publishable keys may do. The types are those of a secret key: to a
   * publishable one, a payment intent is a `PaymentIntentForPayer`.
   */
  apiKey: string;
  /** Where the service is, such as `https://payments.example.com`. */
  baseUrl: string;
  /** How often a request is sent again after it got no answer or one that may pass; 2 if not given. */
  maxRetries?: number;
  /** For how long one try of a request waits for its answer; 30 seconds if not given. */
  timeoutMs?: number;
  /** In the place of the global `fetch`: for proxies, tracing and tests. */
  fetch?: typeof fetch;
}

/** What may be said of a single request. */
export interface RequestOptions {
  /** Ends the request, its tries and the waits between them; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  maxRetries?: number | undefined;
  timeoutMs?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  /**
   * Your name for this request: the same request with the same key has no second effect and gets the first answer again,
   * also from another process or after a restart. If not given, the client draws one, which covers its own retries.
   */
  idempotencyKey?: string | undefined;
  /**
   * For how long the service keeps the key: 1 to 2592000 (30 days), 86400 (a day) if not given. With a publishable key at most
   * 86400.
   */
  idempotencyTtlSeconds?: number | undefined;
}

export interface WaitOptions extends RequestOptions {
  /** For how long the service may hold the answer back for a better one, 60 at most. `timeoutMs` begins after that. */
  waitSeconds?: number | undefined;
}
