import { itemInTurn } from '../../lab/parallel.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { confirmBare, payBare } from './bare-confirm.ts';
import { insertBare, insertOfCustomer, insertOfIntent, insertOfKey } from './bare-inserts.ts';
import { fetchBare, listBare } from './bare-reads.ts';
import type { Job, Place } from './jobs.ts';

/**
 * The nth time of an operation by the client of the database alone: the rows that the API would read or write, in the
 * fewest round trips, and nothing else. No request is parsed, nothing is checked and nothing is answered.
 */
export function bareOf(
  sql: Pool,
  { operation, keyed }: Pick<Job, 'operation' | 'keyed'>,
  place: Place,
  intents: readonly string[],
): (nth: number) => Promise<void> {
  const { billerId, payers } = place;
  const key = () => (keyed ? insertOfKey(sql, billerId) : null);
  switch (operation) {
    case 'fetch-customer':
      return (nth) => fetchBare(sql, billerId, itemInTurn(place.fetched, nth));
    case 'list-first':
      return () => listBare(sql, billerId, null);
    case 'list-deep':
      return () => listBare(sql, billerId, place.deepCursor);
    case 'customer':
      return () => insertBare(sql, insertOfCustomer(sql, billerId), key());
    case 'intent':
      return () => insertBare(sql, insertOfIntent(sql, billerId, null), key());
    case 'customer-intent':
      return (nth) => insertBare(sql, insertOfIntent(sql, billerId, itemInTurn(payers, nth).customerId), key());
    case 'confirm':
      return (nth) =>
        confirmBare(sql, billerId, { intentId: itemInTurn(intents, nth), payer: itemInTurn(payers, nth), key: key() });
    case 'payment':
      return (nth) => payBare(sql, billerId, { payer: itemInTurn(payers, nth), key: key() });
  }
}
