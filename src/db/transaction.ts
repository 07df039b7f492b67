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
    let lost = false;
    try {
      const result = await db.begin(async (opened) => {
        const tx = refusing(opened, () => lost);
        try {
          const value = await work(tx);
          staged = staging.has(tx);
          return { value };
        } finally {
          // Its end would make the client send a commit or rollback on the connection's successor.
          if (lost) await new Promise<never>(() => {});
        }
      });
      if (staged) for (const listener of listeners) listener();
      return result.value;
    } catch (error) {
      lost = true;
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

/**
 * The transaction, refusing statements once it is lost. When its connection is cut, the client gives the transaction up
 * but not the work, whose next statement would run on the connection's successor: outside of any transaction, or in
 * somebody else's.
 */
function refusing<T extends Db>(tx: T, isLost: () => boolean): T {
  return new Proxy(tx, {
    apply(target, self, args) {
      if (isLost()) throw Object.assign(new Error('the transaction is lost'), { code: 'CONNECTION_CLOSED' });
      return Reflect.apply(target, self, args);
    },
  });
}

function isPool(db: Db): db is Pool {
  return 'begin' in db;
}

function wasSacrificed(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === deadlock || error.code === serializationFailure);
}
