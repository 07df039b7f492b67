import { AsyncResource } from 'node:async_hooks';
import { atomically, pipelined } from './transaction.ts';
import type { Db, Pool } from './types.ts';

/** A statement that waits for the commit of others. It runs on the pool, or as one of a transaction. */
interface Waiting {
  statement(db: Db): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The statements that wait for those under way, by pool and row. A row without any under way has no entry. */
const queues = new WeakMap<Pool, Map<string, Waiting[]>>();

/**
 * Runs a statement that locks `row` until it is committed. Such statements wait for each other's commits, one after the
 * other. So those of this process that come while one is under way are sent together, as one transaction, and wait for
 * one commit. A statement that comes alone is its own transaction. Without it, a payment takes 12 % more processor time
 * of API and PostgreSQL, a confirm 15 %, with an Idempotency-Key 23 % and 7 % (16 connections of one biller, a busy
 * machine of two cores, medians of six pairs).
 *
 * The statement must not be spoiled by running twice: its conditions must no longer hold once it is committed. If the
 * common transaction fails, each statement is sent alone, and each caller gets its own error.
 */
export function shareCommit<T>(pool: Pool, row: string, statement: (db: Db) => Promise<T>): Promise<T> {
  const rows = queues.get(pool) ?? new Map<string, Waiting[]>();
  queues.set(pool, rows);
  return new Promise<T>((resolve, reject) => {
    const mine: Waiting = {
      // In the context of its own request: the statement may carry its trace.
      statement: AsyncResource.bind(statement),
      resolve: (result) => resolve(result as T),
      reject,
    };
    const queue = rows.get(row);
    if (queue === undefined) void runAll(pool, rows, row, mine);
    else queue.push(mine);
  });
}

async function runAll(pool: Pool, rows: Map<string, Waiting[]>, row: string, first: Waiting): Promise<void> {
  for (let group = [first]; group.length > 0; group = rows.get(row) ?? []) {
    rows.set(row, []);
    const isCommitted = group.length > 1 && (await runTogether(pool, group));
    if (!isCommitted) await runAlone(pool, group);
  }
  rows.delete(row);
}

/** Returns whether the transaction of the group is known to be committed. */
async function runTogether(pool: Pool, group: Waiting[]): Promise<boolean> {
  try {
    const { results } = await atomically(pool, async (tx) => {
      // Not awaited here: the commit follows the last statement without a round trip.
      const results = pipelined(
        tx,
        group.map(({ statement }) => statement(tx)),
      );
      return { results };
    });
    for (const [index, result] of (await results).entries()) group[index]?.resolve(result);
    return true;
  } catch {
    return false;
  }
}

async function runAlone(pool: Pool, group: Waiting[]): Promise<void> {
  await Promise.all(group.map(({ statement, resolve, reject }) => statement(pool).then(resolve, reject)));
}
