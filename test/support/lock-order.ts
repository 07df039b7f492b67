import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { idKinds } from '../../src/domain/ids.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';

/** A lock on rows that a statement takes. */
export interface StatementLock {
  table: string;
  /** Whether the result of the statement has the rows that it locks. */
  isResult: boolean;
  /** Whether a select takes it. Otherwise a change does. */
  isSelect: boolean;
  /** Whether it waits for other transactions. */
  waits: boolean;
  /** Whether others can share it. */
  isShared: boolean;
}

/** A lock that its transaction had to take earlier. */
export interface Inversion {
  rule: 'place' | 'parent' | 'two trees';
  /** The tables of the row that was locked before, and of this one. */
  held: string;
  wanted: string;
  statement: string;
  /** The functions of the service that asked for it, innermost first. */
  by: string[];
}

const page = new URL('../../docs/architecture/locks.md', import.meta.url);

const prefixes = new Map(Object.values(idKinds).map(({ collection, prefix }) => [collection as string | null, prefix]));

const markdown = readFileSync(page, 'utf8');

/** The place of each table in the order of docs/architecture/locks.md. */
export const lockPlaces: ReadonlyMap<string, number> = new Map(
  [...markdown.matchAll(/^\| (\d+) \| ([^|]*) \|/gm)].flatMap(([, place, tables = '']) =>
    wordsIn(tables).map((table): [string, number] => [table, Number(place)]),
  ),
);

/** The exceptions that the page lists: who takes which lock while it holds which. */
export const exceptions = [...markdown.matchAll(/^\| (`\w+`.*?) \| (`\w+`.*?) \| `(\w+)` \|/gm)].map(
  ([, held = '', wanted = '', by = '']) => ({ held: wordsIn(held), wanted: wordsIn(wanted), by }),
);

function wordsIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
}

/** Whether the page lists the inversion as one that is known. */
export function isKnown({ held, wanted, by }: Inversion): boolean {
  const names = by.map((call) => call.replace(/ .*/, '').replace(/.*\./, ''));
  return exceptions.some(
    (exception) => exception.held.includes(held) && exception.wanted.includes(wanted) && names.includes(exception.by),
  );
}

const lockClause = /\bfor (no key update|update|share)(?: of (\w+(?:, \w+)*))?( skip locked)?(?= *(?:\)|$))/;
const written = /(?<!for |no key |do )\bupdate (\w+)|\bdelete from (\w+)|\binsert into (\w+)(?=[^;]*? do update)/;
const taken = new RegExp(`${lockClause.source}|${written.source}`, 'g');

/** By the text of a statement: the tests run the same ones thousands of times. */
const locksByStatement = new Map<string, readonly StatementLock[]>();

/** Returns the row locks of a statement in the order of its text, which is that in which PostgreSQL runs ours. */
export function locksOf(statement: string): readonly StatementLock[] {
  const found = locksByStatement.get(statement) ?? readLocks(statement);
  locksByStatement.set(statement, found);
  return found;
}

function readLocks(statement: string): StatementLock[] {
  const text = statement.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim();
  return [...text.matchAll(taken)].flatMap(
    ({ index, 1: mode, 2: of, 3: skips, 4: updated, 5: deleted, 6: upserted }): StatementLock[] => {
      const table = updated ?? deleted ?? upserted;
      if (table !== undefined) return [{ table, isResult: false, isSelect: false, waits: true, isShared: false }];
      const { scope, isOuter } = selectBefore(text, index);
      const aliases = of?.split(',').map((alias) => alias.trim());
      return [...scope.matchAll(/\b(?:from|join) (\w+)(?: (?:as )?(\w+))?/g)].flatMap(([, name = '', alias = name]) =>
        aliases === undefined || aliases.includes(alias) || aliases.includes(name)
          ? { table: name, isResult: isOuter, isSelect: true, waits: skips === undefined, isShared: mode === 'share' }
          : [],
      );
    },
  );
}

/** Returns the select that a locking clause ends, without what is in parentheses in it. */
function selectBefore(text: string, end: number): { scope: string; isOuter: boolean } {
  let depth = 0;
  let scope = '';
  for (let at = end - 1; at >= 0; at--) {
    const character = text[at] ?? '';
    if (character === '(' && depth === 0) return { scope, isOuter: false };
    if (character === '(') depth -= 1;
    if (depth === 0) scope = character + scope;
    if (character === ')') depth += 1;
  }
  return { scope, isOuter: true };
}

/** A row that a transaction holds. Its id is null if the statement does not tell it. */
interface HeldRow {
  table: string;
  place: number;
  id: string | null;
  parents: readonly string[];
  isShared: boolean;
}

/** Of the tables of a tree: the columns that name the rows under which a row is. */
const parentColumns: Readonly<Record<string, readonly string[]>> = {
  payment_plans: [],
  subscriptions: [],
  payment_links: [],
  checkout_sessions: ['payment_link_id'],
  payment_intents: ['payment_plan_id', 'subscription_id', 'payment_link_id', 'checkout_session_id'],
  payment_attempts: ['payment_intent_id'],
};

/** What a transaction holds. */
class HeldLocks {
  private rows: HeldRow[] = [];
  /** The ids of statements that insert: no other transaction sees these rows. */
  private readonly own = new Set<string>();

  /** Takes the locks of a statement. Returns the first that should have been taken earlier, or null. */
  take(statement: string, parameters: readonly unknown[], result: readonly object[]): Omit<Inversion, 'by'> | null {
    let found: Omit<Inversion, 'by'> | null = null;
    const named = parameters.flat().filter((value): value is string => typeof value === 'string');
    for (const lock of locksOf(statement)) {
      const { table, isResult, waits, isShared } = lock;
      const place = lockPlaces.get(table);
      if (place === undefined) continue;
      for (const row of isResult ? result : [null]) {
        const id = row === null ? this.idIn(lock, named, result) : idOf(row);
        if (id === undefined) continue;
        const wanted: HeldRow = { id, table, place, isShared, parents: parentsOf(table, row) };
        const broken = waits && !this.has(wanted) ? this.brokenBy(wanted) : null;
        if (broken !== null) found ??= { ...broken, wanted: table, statement };
        this.rows.push(wanted);
      }
    }
    if (/\binsert into\b/.test(statement)) for (const id of named) this.own.add(id);
    return found;
  }

  /** Returns the row that a part of a statement locks: null if it is not known, undefined if it locks none. */
  private idIn(
    { table, isSelect }: StatementLock,
    named: readonly string[],
    result: readonly object[],
  ): string | null | undefined {
    const column = `${table.replace(/s$/, '')}_id`;
    const [row] = result as Record<string, unknown>[];
    if (row === undefined && isSelect) return undefined;
    if (row !== undefined && column in row) return row[column] === null ? undefined : String(row[column]);
    const ids = named.filter((id) => id.startsWith(prefixes.get(table) ?? '-'));
    return ids.find((id) => this.own.has(id) || this.rows.some((held) => held.id === id)) ?? ids[0] ?? null;
  }

  /** Whether the row is held already. One that is not named counts as the one of its table that is. */
  private has({ table, id }: HeldRow): boolean {
    if (id !== null && this.own.has(id)) return true;
    return this.rows.some((row) => row.table === table && (row.id === null || id === null || row.id === id));
  }

  private brokenBy(wanted: HeldRow): Pick<Inversion, 'rule' | 'held'> | null {
    // All that changes what is on a clock shares its lock, or runs while it advances.
    if (this.rows.some(({ table, isShared }) => table === 'test_clocks' && !isShared)) return null;
    const later = this.rows.find(({ place }) => place > wanted.place);
    // Who wants a row under another locks that one first, and so waits there.
    const isUnderHeld = this.rows.some(({ id }) => id !== null && wanted.parents.includes(id));
    if (later !== undefined && !isUnderHeld) return { rule: 'place', held: later.table };
    const child = this.rows.find(({ parents }) => wanted.id !== null && parents.includes(wanted.id));
    if (child !== undefined) return { rule: 'parent', held: child.table };
    const isGuarded = this.rows.some(({ table, isShared }) => table === 'customers' && !isShared);
    const other = isGuarded || !isRoot(wanted) ? undefined : this.rows.find(isRoot);
    return other === undefined ? null : { rule: 'two trees', held: other.table };
  }

  /** Returns what gives up the locks that are taken from now on, as the end of a savepoint does. */
  mark(): () => void {
    const { rows } = this;
    this.rows = [...rows];
    return () => {
      this.rows = rows;
    };
  }
}

/** Whether the row is the first of a tree. */
function isRoot({ table, id, parents }: HeldRow): boolean {
  return table in parentColumns && id !== null && parents.length === 0;
}

function idOf(row: object): string | null {
  return 'id' in row && typeof row.id === 'string' ? row.id : null;
}

/** Returns the rows under which a row of a tree is. A row that is not known counts as one under another. */
function parentsOf(table: string, row: object | null): string[] {
  const columns = parentColumns[table] ?? [];
  if (row === null || columns.some((column) => !(column in row))) return columns.length === 0 ? [] : ['unknown'];
  return columns.map((column) => (row as Record<string, unknown>)[column]).filter((id) => typeof id === 'string');
}

/** Parts of the client's query that its types lack. */
interface Query {
  /** Its own text, around its arguments, of which some are queries that it is made of. */
  strings: readonly string[];
  args: unknown[];
  string: string;
  parameters: unknown[];
  resolve(result: object[] & { command?: string; count?: number | null }): void;
}

type Begun = (opened: object) => Promise<unknown>;

/** Returns the pool, and reports each lock that a transaction or statement of it takes against the order. */
export function watchLocks(pool: Pool, report: (inversion: Inversion) => void): Pool {
  return new Proxy(pool, {
    apply: (target, self, args) => watched(Reflect.apply(target, self, args), new HeldLocks(), report),
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name);
      return (...args: unknown[]) => {
        const work = args.pop() as Begun;
        return Reflect.apply(target.begin, target, [...args, (tx: object) => work(watchedTx(tx, report))]);
      };
    },
  });
}

function watchedTx(tx: object, report: (inversion: Inversion) => void, held = new HeldLocks()): object {
  return new Proxy(tx, {
    apply: (target, self, args) => watched(Reflect.apply(target as () => unknown, self, args), held, report),
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== 'savepoint') return member;
      return async (...args: unknown[]) => {
        const work = args.pop() as Begun;
        const giveUp = held.mark();
        try {
          return await Reflect.apply(member, target, [
            ...args,
            (inner: object) => work(watchedTx(inner, report, held)),
          ]);
        } catch (error) {
          giveUp();
          throw error;
        }
      };
    },
  });
}

/** By the strings of a query: whether one of the words of a lock is in them. */
const lockWords = new WeakMap<readonly string[], boolean>();

/** Whether a query may lock rows, which its words tell before its text is put together. */
function mayLock({ strings, args }: Query): boolean {
  const found = lockWords.get(strings) ?? /\b(?:for|update|delete|insert)\b/i.test(strings.join(' '));
  lockWords.set(strings, found);
  return found || args.flat().some((arg) => arg instanceof Promise && 'strings' in arg && mayLock(arg as never));
}

/** Counts the locks of a query when it has its result: queries of a connection end in the order in which they run. */
function watched(made: unknown, held: HeldLocks, report: (inversion: Inversion) => void): unknown {
  if (!(made instanceof Promise && 'handler' in made)) return made;
  const query = made as unknown as Query;
  if (!mayLock(query)) return made;
  const { resolve } = query;
  // Its stack is made into text only when it is read.
  const caller = new Error();
  query.resolve = (result) => {
    const wroteNone = result.command !== 'SELECT' && result.count === 0;
    const inversion = wroteNone ? null : held.take(query.string, query.parameters, [...result]);
    if (inversion !== null) report({ ...inversion, by: callersOf(caller.stack ?? '') });
    resolve(result);
  };
  return made;
}

function callersOf(stack: string): string[] {
  const calls = [...stack.matchAll(/at (?:async )?(\S+) \(\S*\/src\/((?:services|db)\/\S+?):\d+:\d+\)/g)];
  return calls.map(([, name, file]) => `${name} (${file})`);
}

const inversions = new Map<string, Inversion>();

/** Remembers an inversion for the end of the file, each kind once. */
export function noteInversion(inversion: Inversion): void {
  if (isKnown(inversion)) return;
  const { rule, held, wanted, by } = inversion;
  inversions.set([rule, held, wanted, ...by].join(' '), inversion);
}

/** Fails if a transaction of this process has locked rows against the order. */
export function assertLockOrder(): void {
  const found = [...inversions.values()];
  inversions.clear();
  assert.deepEqual(found, [], 'locks against the order of docs/architecture/locks.md');
}
