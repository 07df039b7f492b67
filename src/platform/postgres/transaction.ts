import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { all } from '../all-settled.ts';
import { emit } from '../telemetry.ts';
import type { Db, Pool, Tx } from './types.ts';

const deadlock = '40P01';
const serializationFailure = '40001';
const lockNotAvailable = '55P03';
const maxTries = 5;
/**
 * For statements that were prepared before a migration. Each try may get another connection with another stale
 * statement.
 */
const maxTriesOfStale = 100;
/** When its connection is closed, the client rejects the transaction some time after its statements have failed. */
const rejectedAfterCutWithinMs = 1_000;

/** Callbacks to run once a transaction is committed. */
const callbacks = new WeakMap<Tx, Set<() => void>>();

/** What is left to do before a transaction commits. */
const lastSteps = new WeakMap<Tx, Set<() => void>>();

/** What a transaction has sent by `pipelined`. */
const pipelines = new WeakMap<Tx, Promise<unknown>[]>();

/**
 * Thrown by the work of a transaction that has read a row, then locked it, and finds that it changed in between. The
 * transaction is retried.
 */
export class ChangedMeanwhile extends Error {}

/**
 * Runs `work` in one transaction: a new one if `db` is a pool, otherwise the caller's. A transaction that was a
 * deadlock victim, failed to serialize, threw `ChangedMeanwhile` or met a statement prepared before a migration is
 * retried. So `work` must do nothing but SQL.
 */
export async function atomically<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!isPool(db)) return work(db);
  for (let tries = 1; ; tries++) {
    let lost = false;
    let isOver = false;
    try {
      const { tx, value } = await begin(db, async (opened) => {
        const tx = branded(refusing(opened, () => lost));
        try {
          const value = await work(tx);
          for (const callback of lastSteps.get(tx) ?? []) callback();
          return { tx, value };
        } catch (error) {
          lost ||= isCut(error);
          throw error;
        } finally {
          // If `work` returned now, the client would send a commit or rollback on the dead connection or on its
          // successor.
          if (lost && !isOver) await pause(rejectedAfterCutWithinMs);
          if (isOver) await new Promise<never>(() => {});
        }
      });
      // PostgreSQL turns the commit of a transaction with a failed statement into a rollback, without an error.
      await Promise.all(pipelines.get(tx) ?? []);
      for (const callback of callbacks.get(tx) ?? []) callback();
      return value;
    } catch (error) {
      lost = true;
      isOver = true;
      if (isStale(error) && tries < maxTriesOfStale) continue;
      if (!(wasSacrificed(error) || error instanceof ChangedMeanwhile) || tries >= maxTries) throw error;
      await pause(tries * 10);
    }
  }
}

/** Runs `work` in a transaction of the pool and emits its telemetry events. */
async function begin<T extends object>(pool: Pool, work: (opened: postgres.TransactionSql) => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let hadBegun = false;
  emit({ kind: 'transaction awaited' });
  try {
    return await pool.begin<Promise<T>>((opened) => {
      hadBegun = true;
      emit({ kind: 'transaction begun', waitSeconds: (performance.now() - startedAt) / 1000 });
      return work(opened);
    });
  } finally {
    emit({ kind: 'transaction ended', hadBegun });
  }
}

/** Calls whose statements are on their way. A bare query is not: the client sends it when it is awaited. */
type Sent<T> = { [K in keyof T]: T[K] extends { execute(): unknown } ? never : T[K] };

/**
 * Sends statements together. Each entry of the list is a call that was just made; PostgreSQL runs their first
 * statements in the order of the list. Returns all results, in that order, after the last call has settled.
 *
 * If a statement fails, PostgreSQL refuses those after it, and the transaction fails with the error of the first entry
 * that failed, whether the caller waits or not (`queued`).
 */
export function pipelined<const T extends readonly unknown[]>(
  tx: Tx,
  calls: readonly [...T] & Sent<readonly [...T]>,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const results = all<T>(calls);
  results.catch(() => {}); // thrown when the transaction ends
  const others = pipelines.get(tx);
  if (others) others.push(results);
  else pipelines.set(tx, [results]);
  return results;
}

/**
 * As `pipelined`, for statements without a result: the next ones, the commit included, follow without a round trip. An
 * error fails the transaction when it ends.
 */
export function queued<const T extends readonly unknown[]>(
  tx: Tx,
  calls: readonly [...T] & Sent<readonly [...T]>,
): void {
  void pipelined<T>(tx, calls);
}

/**
 * Dry run: runs `work` in a transaction, rolls it back and returns the result of `work`. If `db` is the caller's
 * transaction, it rolls back to the state before the call, locks included.
 */
export async function dryRun<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined;
  const rolledBack = async (tx: Tx): Promise<never> => {
    const result = await work(tx);
    await Promise.all(pipelines.get(tx) ?? []);
    done = { result };
    throw new RolledBack();
  };
  try {
    return await (isPool(db) ? atomically(db, rolledBack) : db.savepoint((opened) => rolledBack(branded(opened))));
  } catch (error) {
    if (error instanceof RolledBack && done !== undefined) return done.result;
    throw error;
  }
}

/** Ends a dry run, so that its transaction is rolled back. */
class RolledBack extends Error {}

/**
 * Calls `callback` after the work of the transaction has returned and before its commit, once even if it is passed
 * again. It is not called if the work throws or is a dry run. It sends its statements by `pipelined`: the commit then
 * follows them without a round trip. If it throws, the transaction is rolled back.
 */
export function beforeCommit(tx: Tx, callback: () => void): void {
  const others = lastSteps.get(tx);
  if (others) others.add(callback);
  else lastSteps.set(tx, new Set([callback]));
}

/**
 * Calls `callback` after the transaction commits, once even if it is passed again. It is not called if the transaction
 * is rolled back or is a dry run. It must not throw.
 */
export function afterCommit(tx: Tx, callback: () => void): void {
  const others = callbacks.get(tx);
  if (others) others.add(callback);
  else callbacks.set(tx, new Set([callback]));
}

/** Whether the error is a violation of the constraint or unique index with this name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof postgres.PostgresError && error.constraint_name === constraint;
}

/** SQLSTATE `read_only_sql_transaction`: nothing was written. */
const readOnly = '25006';

/** SQLSTATEs of a refused login: of the user, the password, the name of the database. Nothing was sent. */
const refusedLogins: readonly string[] = ['28000', '28P01', '3D000'];

/**
 * Whether the error means that the database is away, overloaded, read-only or refuses a new connection, not that the
 * statement is wrong: nothing was written, and a repetition may succeed.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  const code = error.code;
  if (error instanceof postgres.PostgresError) {
    return (
      code === readOnly ||
      refusedLogins.includes(code) ||
      code.startsWith('08') ||
      code.startsWith('53') ||
      code.startsWith('57') ||
      code.startsWith('58')
    );
  }
  return /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)/.test(code);
}

/** Resolves if PostgreSQL responds and takes writes. @throws if it does not respond, is read-only or a standby. */
export async function takesWrites(db: Db): Promise<void> {
  const [row] = await db<[{ isReadOnly: string }]>`select current_setting('transaction_read_only') as "isReadOnly"`;
  if (row.isReadOnly === 'on') throw Object.assign(new Error('PostgreSQL is read-only'), { code: readOnly });
}

/** Whether the error means that the connection has ended, or that the server ended it. */
function isCut(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONN|EPIPE|57P0[123])/.test(String(error.code));
}

/**
 * Returns the transaction, made to refuse statements once it is lost. When its connection is cut, the client rejects
 * the transaction but does not stop `work`. Without this, the next statement would run on the connection's successor,
 * outside any transaction or inside another one.
 */
function refusing(opened: postgres.TransactionSql, isLost: () => boolean): postgres.TransactionSql {
  return new Proxy(opened, {
    apply(target, self, args) {
      if (isLost()) throw Object.assign(new Error('the transaction is lost'), { code: 'CONNECTION_CLOSED' });
      return Reflect.apply(target, self, args);
    },
  });
}

/** The brand exists for the compiler only. */
function branded(opened: postgres.TransactionSql): Tx {
  return opened as Tx;
}

function isPool(db: Db): db is Pool {
  return 'begin' in db;
}

/**
 * Whether the statement was prepared before a migration that changed its result, such as the columns of `*`. The client
 * then forgets the statement and prepares it anew the next time. Outside a transaction it retries; inside, it cannot.
 */
function isStale(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/**
 * Whether PostgreSQL aborted the transaction in favour of others (deadlock or serialization failure). A retry may
 * succeed.
 */
function wasSacrificed(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === deadlock || error.code === serializationFailure);
}

/** Whether a statement failed because another transaction kept a lock for longer than `lock_timeout` allows. */
export function waitedTooLong(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === lockNotAvailable;
}

/** Whether PostgreSQL has rolled a statement back because of the locks of others. */
function lostToLocks(error: unknown): boolean {
  return wasSacrificed(error) || waitedTooLong(error);
}

/** Returns null if PostgreSQL has rolled the statement back because of the locks of others. */
export async function unlessLocked<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (lostToLocks(error)) return null;
    throw error;
  }
}
