import type { Payer } from '../../lab/payer.ts';
import { type JobProcess, startJobProcess } from '../child.ts';

/** What is requested again and again. Intents have no customer, or one of the payers in turn. */
export type Operation =
  | 'fetch-customer'
  | 'list-first'
  | 'list-deep'
  | 'customer'
  | 'intent'
  | 'customer-intent'
  | 'confirm'
  | 'payment';

/** One stretch of load, as the generator gets it. */
export interface Job {
  operation: Operation;
  /** Through the API, or the same rows by the bare `postgres` client. */
  by: 'api' | 'postgres';
  /** With an Idempotency-Key for each, or the row of one. */
  keyed: boolean;
  connections: number;
  milliseconds: number;
}

/** Its result. */
export interface Outcome {
  perSecond: number;
  /** Of each one that was made, in milliseconds. */
  latencies: number[];
}

/** Where the generator finds the copy, and what is in it. */
export interface Place {
  baseUrl: string;
  key: string;
  databaseUrl: string;
  billerId: string;
  payers: Payer[];
  /** Customers from all over the stock, to be fetched in turn. */
  fetched: string[];
  /** The last customer before page 1,000 of the list, 20 on a page. */
  deepCursor: string;
}

export type LoadGenerator = JobProcess<{ place: Place; job: Job }, Outcome>;

export const startLoadGenerator = (): Promise<LoadGenerator> => startJobProcess('./load/generator.ts');
