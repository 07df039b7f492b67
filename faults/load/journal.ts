/** What a client has of one request that it sent until it was answered: every answer, in the order in which they came. */
export interface Exchange {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body: object | null;
  /** Its Idempotency-Key; null of what needs none. */
  key: string | null;
  /** The API key that it was sent with. */
  apiKey: string;
  answers: Answer[];
}

export interface Answer {
  status: number;
  text: string;
  replayed: boolean;
  /** Real time, epoch ms. */
  at: number;
}

/** What all clients of a run have seen. */
export interface Journal {
  readonly exchanges: Exchange[];
  /** Tries that got no final answer, by what they got instead: no connection, a time-out, 503, and so on. */
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

/** The answers that promise something: all 2xx. */
export function successes(exchange: Exchange): Answer[] {
  return exchange.answers.filter(({ status }) => status >= 200 && status < 300);
}
