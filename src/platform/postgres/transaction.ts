import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { emit } from '../telemetry.ts';
import type { Db, Pool } from './connection.ts';

const deadlock = '40P01';
const serializationFailure = '40001';
const maxTries = 5;
/** Of statements that were prepared before a migration: each try may meet another of them, on another connection. */
const maxTriesOfStale = 100;
/** The client gives a transaction up when its connection is closed: some time after its statements have failed. */
const toldOfCutWithinMs = 1_000;

type Opened = Exclude<Db, Pool>;

const staging = new WeakSet<Db>();
const listeners = new Set<() => void>();

/** What is to be done once a transaction is committed. */
const afterwards = new WeakMap<Db, (() => void)[]>();

/** What a transaction has sent and does not wait for. */
const underWay = new WeakMap<Db, Promise<unknown>[]>();

/**
 * Runs `work` in one transaction: a new one on a pool, the caller's own when `db` is one already. A transaction that lost a
 * deadlock is run again, so `work` must do nothing but SQL; one that met a statement from before a migration, too.
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
          // Its end would make the client send a commit or rollback on a connection that is no more, or on its successor.
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

/** Runs `work` in a transaction of the pool, and says how that goes. */
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
 * Goes on while a statement of the transaction is under way: whatever is sent after it, the commit too, follows it without
 * a round trip between them. If it fails, so does the transaction. On a pool it is waited for.
 */
export async function withoutWaiting(db: Db, statement: Promise<unknown>): Promise<void> {
  const sent = Promise.resolve(statement);
  if (isPool(db)) return void (await sent);
  sent.catch(() => {}); // whoever ends the transaction looks at it
  const others = underWay.get(db);
  if (others) others.push(sent);
  else underWay.set(db, [sent]);
}

/**
 * Runs `work` in a transaction and takes all of it back: the answer tells what would have been done. On a transaction of
 * the caller's it goes back to where that was, locks included.
 */
export async function rehearse<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
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

/** Ends a rehearsal, so that its transaction is rolled back. */
class DryRunResult extends Error {
  readonly result;

  // biome-ignore lint/suspicious/noExplicitAny: thrown and caught in one function, which knows the type
  constructor(result: any) {
    super('the transaction was a rehearsal');
    this.result = result;
  }
}

/**
 * Calls `told` when the transaction is committed, and not at all when it is rolled back, or was a rehearsal; on a pool, where
 * nothing is left to commit, at once. It must not throw.
 */
export function afterCommit(db: Db, told: () => void): void {
  const others = afterwards.get(db);
  if (isPool(db)) told();
  else if (others) others.push(told);
  else afterwards.set(db, [told]);
}

/** Notes that the transaction has staged workflow intents, so that their carrying out starts right after its commit. */
export function noteEnqueued(tx: Db): void {
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

/** Whether the failure means that the connection is at its end, or was ended by the server. */
function isCut(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONN|EPIPE|57P0[123])/.test(String(error.code));
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

/**
 * Whether a statement was prepared before a migration that changed what it answers, such as the columns of `*`. The client
 * has forgotten it then, and prepares it anew the next time; alone it does so by itself, in a transaction it cannot.
 */
function isStale(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** Whether the failure is a transaction's that others could go on without: run again, it may succeed. */
export function wasSacrificed(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === deadlock || error.code === serializationFailure);
}
