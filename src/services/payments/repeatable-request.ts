import type { MinorUnits } from '../../domain/units.ts';
import type { InsertCondition } from '../../platform/postgres/conditional-insert.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';

/** How a request with an Idempotency-Key finds what an earlier try has committed, and stores its response. */
export interface RepeatableRequest<Row> {
  requestKey: string | null;
  /** When the key expires. After that, the same key is a new request. */
  keyExpiresAt?: RealInstant | null;
  /** What the payer was shown. If another total is due, nothing is opened. */
  shownTotal?: MinorUnits | undefined;
  /** Called first in the first transaction. Claims the key, or throws when another request has it. */
  claimKey(tx: Tx): Promise<void>;
  /**
   * Called after `claimKey`, with the id of an object to be made. Returns that id, or the id of the object that an
   * earlier try has made.
   */
  subjectOf(tx: Tx, newId: string): Promise<string>;
  /** Called in the transaction that records the outcome. Stores the response. */
  storeResponse(tx: Tx, row: Row): Promise<void>;
  /**
   * The condition that the key is free. It claims the key, for the object `subjectId` if the request makes one. Empty
   * without a key.
   */
  claim(subjectId?: string): InsertCondition[];
  /** The condition that the key is still this request's. It stores the response. Empty without a key. */
  withResponse(row: Row): InsertCondition[];
}

/** Another total is due than the payer was shown: the rules or the clock have moved on meanwhile. */
export class OtherTotal extends Error {}

/** A request without a key. */
export const unrepeatable: RepeatableRequest<unknown> = {
  requestKey: null,
  async claimKey() {},
  subjectOf: async (_tx, newId) => newId,
  async storeResponse() {},
  claim: () => [],
  withResponse: () => [],
};
