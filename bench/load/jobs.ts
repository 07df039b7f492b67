/** What is made: a customer, an intent that names nobody, or an intent of a customer. */
export type Resource = 'customer' | 'intent' | 'customer-intent';

/** One stretch of load, as the generator is told it. */
export interface Job {
  resource: Resource;
  /** Through the API, or the same rows by the bare `postgres` client. */
  by: 'api' | 'postgres';
  /** With an Idempotency-Key for each, or the row of one. */
  keyed: boolean;
  connections: number;
  milliseconds: number;
}

/** What came of it. */
export interface Outcome {
  perSecond: number;
  /** Of each one that was made, in milliseconds. */
  latencies: number[];
}

/** Where the generator finds the copy. */
export interface Place {
  baseUrl: string;
  key: string;
  databaseUrl: string;
  billerId: string;
  /** Customers without a clock, to whom the intents are given in turn: those of one customer wait for each other. */
  customerIds: string[];
}
