import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { emit } from '../telemetry.ts';
import type { Db, Pool } from './connection.ts';

const deadlock = '40P01';
const serializationFailure = '40001';
const maxTries = 5;
/**
 * For statements that were prepared before a migration. Each try may get another connection with another stale
 * statement.
 */
const maxTriesOfStale = 100;
/** When its connection is closed, the client rejects the transaction some time after its statements have failed. */
const toldOfCutWithinMs = 1_000;

type Opened = Exclude<Db, Pool>;

const staging = new WeakSet<Db>();
const listeners = new Set<() => void>();

/** Callbacks to run once a transaction is committed. */
const afterwards = new WeakMap<Db, (() => void)[]>();

/** Statements that a transaction has sent and not yet awaited. */
const underWay = new WeakMap<Db, Promise<unknown>[]>();

/**
 * Runs `work` in one transaction: a new one if `db` is a pool, otherwise the caller's. A transaction that was a
 * deadlock victim, failed to serialize or met a statement prepared before a migration is retried. So `work` must do
 * nothing but SQL.
 */
export async function atomically<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (!isPool(db)) return work(db);
  for (let tries = 1; ; tries++) {
    let lost = false;
    let isOver = false;
    try {
      const { tx, value } = await begin(db, async (opened) => {
        const tx = refusing(opened, () => lost);
        try {
          return { tx, value: await work(tx) };
        } catch (error) {
          lost ||= isCut(error);
          throw error;
        } finally {
          // If `work` returned now, the client would send a commit or rollback on the dead connection or on its
          // successor.
          if (lost && !isOver) await pause(toldOfCutWithinMs);
          if (isOver) await new Promise<never>(() => {});
        }
      });
      // PostgreSQL turns the commit of a transaction with a failed statement into a rollback, without an error.
      await Promise.all(underWay.get(tx) ?? []);
      if (staging.has(tx)) for (const listener of listeners) listener();
      for (const told of afterwards.get(tx) ?? []) told();
      return value;
    } catch (error) {
      lost = true;
      isOver = true;
      if (isStale(error) && tries < maxTriesOfStale) continue;
      if (!wasSacrificed(error) || tries >= maxTries) throw error;
      await pause(tries * 10);
    }
  }
}

/** Runs `work` in a transaction of the pool and emits its telemetry events. */
async function begin<T extends object>(pool: Pool, work: (opened: Opened) => Promise<T>): Promise<T> {
  const askedAt = performance.now();
  let hadBegun = false;
  emit({ kind: 'transaction awaited' });
  try {
    return await pool.begin<Promise<T>>((opened) => {
      hadBegun = true;
      emit({ kind: 'transaction begun', waitSeconds: (performance.now() - askedAt) / 1000 });
      return work(opened);
    });
  } finally {
    emit({ kind: 'transaction ended', hadBegun });
  }
}

/**
 * Sends a statement of the transaction without waiting for its result. Later statements, the commit included, follow it
 * without a round trip in between. If it fails, the transaction fails. On a pool, the statement is awaited.
 */
export async function withoutWaiting(db: Db, statement: Promise<unknown>): Promise<void> {
  const sent = Promise.resolve(statement);
  if (isPool(db)) return void (await sent);
  sent.catch(() => {}); // awaited when the transaction ends
  const others = underWay.get(db);
  if (others) others.push(sent);
  else underWay.set(db, [sent]);
}

/**
 * Dry run: runs `work` in a transaction, rolls it back and returns the result of `work`. If `db` is the caller's
 * transaction, it rolls back to the state before the call, locks included.
 */
export async function dryRun<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const undone = async (tx: Db): Promise<never> => {
    const result = await work(tx);
    await Promise.all(underWay.get(tx) ?? []);
    throw new DryRunResult(result);
  };
  try {
    return await (isPool(db) ? atomically(db, undone) : db.savepoint(undone));
  } catch (error) {
    if (error instanceof DryRunResult) return error.result;
    throw error;
  }
}

/** Ends a dry run, so that its transaction is rolled back. */
class DryRunResult extends Error {
  readonly result;

  // biome-ignore lint/suspicious/noExplicitAny: thrown and caught in one function, which knows the type
  constructor(result: any) {
    super('the transaction was a dry run');
    this.result = result;
  }
}

/**
 * Calls `told` after the transaction commits. It is not called if the transaction is rolled back or is a dry run. On a
 * pool there is nothing to commit, so it is called at once. It must not throw.
 */
export function afterCommit(db: Db, told: () => void): void {
  const others = afterwards.get(db);
  if (isPool(db)) told();
  else if (others) others.push(told);
  else afterwards.set(db, [told]);
}

/** Marks the transaction as having outbox entries, so that dispatch starts right after its commit. */
export function noteEnqueued(tx: Db): void {
  staging.add(tx);
}

/** Calls `listener` after each commit of this process that has outbox entries. Returns a function that unsubscribes. */
export function onIntentsCommitted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the error is a violation of the constraint or unique index with this name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof postgres.PostgresError && error.constraint_name === constraint;
}

/** Whether the error means that the database is away or overloaded, not that the statement is wrong. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  const code = error.code;
  if (error instanceof postgres.PostgresError) {
    return code.startsWith('08') || code.startsWith('53') || code.startsWith('57') || code.startsWith('58');
  }
  return /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)/.test(code);
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

/**
 * Whether the statement was prepared before a migration that changed its result, such as the columns of `*`. The client
 * then forgets the statement and prepares it anew the next time. Outside a transaction it retries by itself; inside one
 * it cannot.
 */
function isStale(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/**
 * Whether PostgreSQL aborted the transaction in favour of others (deadlock or serialization failure). A retry may
 * succeed.
 */
export function wasSacrificed(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === deadlock || error.code === serializationFailure);
}
