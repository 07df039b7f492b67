/** What a client has of one request that it sent until it had a final response: every response, in their order. */
export interface Exchange {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body: string | null;
  /** Its Idempotency-Key; null if it needs none. */
  key: string | null;
  /** The API key that it was sent with. */
  apiKey: string;
  responses: Response[];
}

export interface Response {
  status: number;
  text: string;
  /** Real time, epoch ms. */
  at: number;
}

/** What all clients of a run have seen. */
export interface Journal {
  /** All that changes something. */
  readonly exchanges: Exchange[];
  /** Tries without a final response, by what they got instead: no connection, a time-out, 503, and so on. */
  readonly setbacks: Map<string, number>;
  setBack(why: string): void;
}

export function newJournal(): Journal {
  const setbacks = new Map<string, number>();
  return {
    exchanges: [],
    setbacks,
    setBack(why) {
      setbacks.set(why, (setbacks.get(why) ?? 0) + 1);
    },
  };
}

/** The responses that promise something: all 2xx. */
export function successes(exchange: Exchange): Response[] {
  return exchange.responses.filter(({ status }) => status >= 200 && status < 300);
}
