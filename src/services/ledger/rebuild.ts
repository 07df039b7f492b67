import { countLedgerTransactions, listLedgers, lockPosition, remakeBalances, resetPositions } from '../../db/ledger.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { followLedgers } from './follower.ts';
import { repostEntries } from './processor-books.ts';

/**
 * Posts all events again, of every biller or of one, and what the live processor has said of its books. What is there
 * stays, under the same ids; what is missing is added, and the balances are summed up anew. It may be ended at any
 * time: a worker, or the next rebuild, continues.
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
  for (const tenant of await listLedgers(sql, billerId)) {
    await atomically(sql, async (tx) => {
      await lockPosition(tx, tenant);
      await repostEntries(tx, tenant);
      await remakeBalances(tx, tenant);
    });
  }
  const transactions = await countLedgerTransactions(sql);
  return { transactions, added: transactions - before };
}
