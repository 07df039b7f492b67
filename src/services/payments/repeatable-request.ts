import { KeyTaken } from '../../db/idempotency-keys.ts';
import { type InsertCondition, runAlone } from '../../platform/postgres/conditional-insert.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { queued } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';

/**
 * How a request with an Idempotency-Key commits before it has a response: it claims its key with the work that it
 * opens, finds what an earlier try has opened, and stores its response with the outcome. Both are conditions of a
 * statement, or statements of a transaction (`claimKey`, `storeResponse`).
 */
export interface RepeatableRequest<Row> {
  requestKey: string | null;
  /** When the key expires. After that, the same key is a new request. */
  keyExpiresAt: RealInstant | null;
  /**
   * The condition that claims the key, for the object `newId` if the request makes one, and what is written with it. It
   * holds if the key is free; with `mayResume` also if an earlier try of this request has claimed it and has no
   * response. Empty without a key.
   */
  claim(newId: string | null, how: { mayResume: boolean }): InsertCondition[];
  /**
   * The condition that stores the response. It holds if the key is still this request's. With `mayWait` it waits long
   * for another transaction that has locked the key. Empty without a key.
   */
  response(row: Row, how: { mayWait: boolean }): InsertCondition[];
}

/** A request without a key. */
export const unrepeatable: RepeatableRequest<unknown> = {
  requestKey: null,
  keyExpiresAt: null,
  claim: () => [],
  response: () => [],
};

/**
 * Returns the same request, for a service whose result is a row. `shown` makes the response from it. It is not called
 * without a key.
 */
export function repeatable<Row>(
  { request }: { request: RepeatableRequest<unknown> },
  shown: (row: Row) => unknown,
): RepeatableRequest<Row> {
  if (request.requestKey === null) return request;
  return { ...request, response: (row, how) => request.response(shown(row), how) };
}

/**
 * Claims the key, as the first statement of the first transaction. If the request makes an object, `newId` is its id:
 * returns that, or the id of the object that an earlier try has made.
 * @throws KeyTaken if another request has the key, or if this one has its response.
 */
export async function claimKey(
  tx: Tx,
  request: Pick<RepeatableRequest<never>, 'claim'>,
  newId: string | null = null,
): Promise<string | null> {
  const [claim, ...others] = request.claim(newId, { mayResume: true });
  if (claim === undefined) return newId;
  const claimed = await runAlone<{ subject_id: string | null }>(tx, claim);
  if (claimed === null) throw new KeyTaken();
  for (const other of others) await runAlone(tx, other);
  return claimed.subject_id;
}

/** Stores the response, in the transaction that records the outcome. If a response is stored already, that stays. */
export function storeResponse<Row>(tx: Tx, request: Pick<RepeatableRequest<Row>, 'response'>, row: Row): void {
  queued(
    tx,
    request.response(row, { mayWait: true }).map((response) => runAlone(tx, response)),
  );
}
