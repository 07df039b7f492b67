import type { Tx } from '../../platform/postgres/connection.ts';

/** How a request with an Idempotency-Key finds what an earlier try has committed, and stores its response. */
export interface RepeatableRequest<Row> {
  requestKey: string | null;
  /** When the key expires, in real time. After that, the same key is a new request. */
  keyExpiresAt?: Date | null;
  /** Called first in the first transaction. Claims the key, or throws when another request has it. */
  claimKey(tx: Tx): Promise<void>;
  /** Called in the transaction that records the outcome. Stores the response. */
  storeResponse(tx: Tx, row: Row): Promise<void>;
}

/** A request without a key. */
export const unrepeatable: RepeatableRequest<unknown> = {
  requestKey: null,
  async claimKey() {},
  async storeResponse() {},
};
