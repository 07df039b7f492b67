import { eventually } from '../../lab/eventually.ts';
import type { Pool, Tx } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';

/** A door that holds all callers until it is opened, and reports when one has come. */
export function door() {
  let open = () => {};
  let arrive = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return {
    arrived,
    open: () => open(),
    async pass(): Promise<void> {
      arrive();
      await opened;
    },
  };
}

/** Locks held in a transaction of the test's own. */
export interface HeldLocks {
  /** Waits until so many others wait for a lock in this database; the number may change meanwhile. */
  waiting(count: () => number): Promise<void>;
  /** Lets them go on, in the order in which they came: PostgreSQL queues those who want one row. */
  release(): Promise<void>;
}

/** Locks what `lock` locks, and may change it, until the locks are released: that is the commit. */
export async function holdLocks(sql: Pool, lock: (tx: Tx) => Promise<unknown>): Promise<HeldLocks> {
  const held = door();
  const transaction = atomically(sql, async (tx) => {
    await lock(tx);
    await held.pass();
  });
  await Promise.race([held.arrived, transaction]);
  return {
    async waiting(count) {
      const areThere = async () => {
        const [row] = await sql<[{ waiting: number }]>`
          select count(distinct pid)::integer as waiting from pg_locks
          where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
        return row.waiting >= count();
      };
      await eventually('the others wait for a lock', areThere, { everyMs: 3 });
    },
    async release() {
      held.open();
      await transaction;
    },
  };
}

/** A row that two parties lock. */
export interface SharedRow {
  table: 'payment_plans' | 'payment_intents' | 'payment_methods' | 'customers' | 'test_clocks';
  id: string;
}

/**
 * Sends the parties through the lock of one row, one after the other: each starts when the one before it waits for the
 * row, and none goes on before the last has come. One that does not need the row is waited for instead. What they
 * answer, in their order.
 */
export async function inTurn<T extends unknown[]>(
  sql: Pool,
  { table, id }: SharedRow,
  parties: readonly [...{ [K in keyof T]: () => Promise<T[K]> }],
): Promise<T> {
  const locks = await holdLocks(sql, (tx) => tx`select from ${tx(table)} where id = ${id} for update`);
  const answers: Promise<unknown>[] = [];
  let unanswered = 0;
  try {
    for (const party of parties) {
      unanswered += 1;
      const answer = party();
      answer
        .catch(() => {}) // looked at below
        .finally(() => {
          unanswered -= 1;
        });
      answers.push(answer);
      await locks.waiting(() => unanswered);
    }
  } finally {
    await locks.release();
  }
  return (await Promise.all(answers)) as T;
}
