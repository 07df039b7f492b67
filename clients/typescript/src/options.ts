export interface ClientOptions {
  /**
   * A secret key or a publishable key. The types are those of a secret key; a publishable key gets a payment intent as
   * a `PaymentIntentForPayer`.
   */
  apiKey: string;
  /** Where the service is, such as `https://payments.example.com`. Plain `http` only on this machine. */
  baseUrl: string;
  /** Accepts plain `http` on other machines too: anyone on the network path can read the key. */
  allowPlainHttp?: boolean;
  /** The maximum number of retries of a request that got no response or a temporary error; by default 2. */
  maxRetries?: number;
  /** How long one try waits for its response; by default 30 seconds. */
  timeoutMs?: number;
  /** Replaces the global `fetch`: for proxies, tracing and tests. */
  fetch?: typeof fetch;
}

/** The options of a single request. */
export interface RequestOptions {
  /** Aborts the request, its retries and the waits between them. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  maxRetries?: number | undefined;
  timeoutMs?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  /**
   * Your name for this request. The same request with the same key has no second effect and returns the first response,
   * also from another process or after a restart. By default the client creates a random key, which covers its own
   * retries.
   */
  idempotencyKey?: string | undefined;
  /**
   * How long the service keeps the key: 1 to 2592000 (30 days), by default 86400 (a day). With a publishable key at
   * most 86400.
   */
  idempotencyTtlSeconds?: number | undefined;
}

export interface WaitOptions extends RequestOptions {
  /** How long the service may wait for a result, at most 60. `timeoutMs` begins after that. */
  waitSeconds?: number | undefined;
}
