import { countLedgerTransactions, resetPositions } from '../../db/ledger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { followLedgers } from './follower.ts';

/**
 * Posts all events again, of every biller or of one. What is there stays, under the same ids; what is missing is added.
 * It may be ended at any time: a worker, or the next rebuild, continues.
 * @returns how many transactions the ledger has, and how many of them were missing.
 * @throws AggregateError if an event cannot be posted.
 */
export async function rebuildLedgers(
  sql: Pool,
  billerId: string | null,
  closing: AbortSignal,
): Promise<{ transactions: number; added: number }> {
  await followLedgers(sql, closing);
  const before = await countLedgerTransactions(sql);
  await resetPositions(sql, billerId);
  await followLedgers(sql, closing);
  const transactions = await countLedgerTransactions(sql);
  return { transactions, added: transactions - before };
}
