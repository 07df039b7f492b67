import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import type { Db, Pool } from './connection.ts';

const deadlock = '40P01';
const serializationFailure = '40001';
const maxTries = 5;

const staging = new WeakSet<Db>();
const listeners = new Set<() => void>();

/**
 * Runs `work` in one transaction: a new one on a pool, the caller's own when `db` is one already. A transaction that lost a
 * deadlock is run again, so `work` must do nothing but SQL.
 */
export async function atomically<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (!isPool(db)) return work(db);
  for (let tries = 1; ; tries++) {
    let staged = false;
    try {
      const result = await db.begin(async (tx) => {
        const value = await work(tx);
        staged = staging.has(tx);
        return { value };
      });
      if (staged) for (const listener of listeners) listener();
      return result.value;
    } catch (error) {
      if (!wasSacrificed(error) || tries === maxTries) throw error;
      await pause(tries * 10);
    }
  }
}

/** Notes that the transaction has staged workflow intents, so that their carrying out starts right after its commit. */
export function noteStagedIntents(tx: Db): void {
  staging.add(tx);
}

/** Calls `listener` after each commit of this process that left workflow intents; answers how to stop it. */
export function onIntentsCommitted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the failure is a violation of the constraint or unique index of this name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof postgres.PostgresError && error.constraint_name === constraint;
}

/** Whether the failure says something about the database being away or overloaded, not about the statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  const code = error.code;
  if (error instanceof postgres.PostgresError) {
    return code.startsWith('08') || code.startsWith('53') || code.startsWith('57') || code.startsWith('58');
  }
  return /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)/.test(code);
}

function isPool(db: Db): db is Pool {
  return 'begin' in db;
}

function wasSacrificed(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === deadlock || error.code === serializationFailure);
}
