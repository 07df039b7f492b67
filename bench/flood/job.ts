import { type JobProcess, startJobProcess } from '../child.ts';

/** What a sender does for a while, in a process of its own. */
export interface SendingJob {
  baseUrl: string;
  key: string;
  /** Requests a second, sent at their time whether or not others have a response; null: as many as possible. */
  perSecond: number | null;
  connections: number;
  milliseconds: number;
  /** A customer of the key's, to be read. */
  customerId: string;
  /** What all paths are below; `/api/v1` if not given. */
  below?: string;
  /** Sent in turn in place of reads and creates; they may be refused in any way. */
  hostile?: readonly Sending[];
}

/** One request. */
export interface Sending {
  method: 'GET' | 'POST';
  /** Below that of the job. */
  path: string;
  body: string | null;
  headers?: Record<string, string>;
}

/** Its result. */
export interface Sent {
  /** Of each request that was served, in milliseconds from the instant at which it was due. */
  latencies: number[];
  /** How many were refused by the rate limit. */
  refused: number;
  seconds: number;
}

export type Sender = JobProcess<SendingJob, Sent>;

export const startSender = () => startJobProcess<SendingJob, Sent>('./flood/sender.ts');
