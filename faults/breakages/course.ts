import { becomesTrue, eventually } from '../../lab/eventually.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { type Finding, type Look, runOps } from './places.ts';

/** What was seen of a breakage. */
export interface Account {
  name: string;
  what: string;
  /** In seconds, from the moment that it was broken; null if it was not found. */
  foundAfter: number | null;
  place: string;
  words: string;
  /** The commands that were named and carried out, or what else was done by the words. */
  freedBy: string[];
  /** In seconds, from the last command; null if it was not free. */
  freeAfter: number | null;
  /** What else was measured meanwhile, such as "the plan was paid after 0.6 s". */
  measured: string[];
  /** Why it was not seen. */
  problem: string | null;
}

/** Something that is broken on purpose, is found where operators look, and freed by what is said there. */
export interface Breakage<Ground> {
  /** For `--only`. */
  name: string;
  /** For the report, such as "the API is killed". */
  what: string;
  /** Money waits meanwhile: it has to be found sooner. */
  moneyWaits?: true;
  run(ground: Ground, course: Course): Promise<void>;
}

/** Found within this time, in seconds; the second where money waits. */
export const foundWithinSeconds = 60;
export const foundWhereMoneyWaitsSeconds = 15;
const foundWithinMs = foundWithinSeconds * 1000;
const freeWithinMs = 60_000;
const everyMs = 500;

/** The course of one breakage: broken, found, freed. Each step is recorded. */
export class Course {
  readonly account: Account;
  readonly #signal: AbortSignal;
  readonly #repairs: (() => Promise<unknown> | unknown)[] = [];
  #brokenAt = performance.now();
  #freedAt = performance.now();
  #found: Finding | null = null;

  constructor({ name, what }: { name: string; what: string }, signal: AbortSignal) {
    this.#signal = signal;
    const unseen = { foundAfter: null, place: '', words: '', freedBy: [], freeAfter: null };
    this.account = { name, what, ...unseen, measured: [], problem: null };
  }

  /** It is broken now. The time until it is found begins. */
  broken(): void {
    this.#brokenAt = performance.now();
  }

  /** Waits until it holds, and notes how long that took since it was broken. @throws Error if it takes longer */
  async measure(what: string, withinSeconds: number, holds: () => Promise<boolean>): Promise<void> {
    await eventually(`${what} within ${withinSeconds} s`, holds, {
      timeoutMs: withinSeconds * 1000,
      everyMs: 100,
      signal: this.#signal,
    });
    this.account.measured.push(`${what} after ${secondsSince(this.#brokenAt)} s`);
  }

  /** Done at the end, whatever happens; the last one first. */
  onRepair(work: () => Promise<unknown> | unknown): void {
    this.#repairs.unshift(work);
  }

  /** Looks there until it is found. `reason`: what the words must say. @throws Error after a minute */
  async find({ place, look }: Look, reason: RegExp = /./): Promise<Finding> {
    let last: Finding | null = null;
    const isFound = async () => {
      last = (await look()) ?? last;
      return last !== null && reason.test(last.words) && last;
    };
    const waiting = { timeoutMs: foundWithinMs, everyMs, signal: this.#signal };
    const found = await eventually(() => `${place} says why; it says ${last?.words ?? 'nothing'}`, isFound, waiting);
    this.account.foundAfter ??= secondsSince(this.#brokenAt);
    this.account.place = place;
    this.account.words = found.words;
    this.#found = found;
    return found;
  }

  /** Notes what was found elsewhere, such as in the last words of a process. */
  note(place: string, found: Finding | null): void {
    if (found === null) throw new Error(`${place} does not say why`);
    this.account.foundAfter ??= secondsSince(this.#brokenAt);
    Object.assign(this.account, { place, words: found.words });
    this.#found = found;
  }

  /** What makes it possible again, and is not of the service: the receiver works again, the trigger is dropped. */
  async cause(what: string, remove: () => Promise<unknown> | unknown): Promise<void> {
    await remove();
    this.account.freedBy.push(what);
    this.#freedAt = performance.now();
  }

  /** Carries out what the remedy names in these words. @throws Error if it does not name them */
  async follow(words: RegExp, work: () => Promise<unknown> | unknown): Promise<void> {
    const [named] = words.exec(this.#found?.remedy ?? '') ?? [];
    if (named === undefined) throw new Error(`the remedy does not say ${words}: ${this.#found?.remedy}`);
    await work();
    this.account.freedBy.push(named);
    this.#freedAt = performance.now();
  }

  /** Runs the first command of `ops` that the remedy names. Returns what it prints. @throws Error if it fails */
  async followOps(dataDir: string): Promise<string> {
    const [command, words = ''] =
      /npm run --silent ops -- ([a-z-]+(?: [a-z]+_\w+)*)/.exec(this.#found?.remedy ?? '') ?? [];
    if (command === undefined) throw new Error(`no command is named: ${this.#found?.remedy}`);
    const { code, text } = await runOps(dataDir, words.split(' '));
    if (code !== 0) throw new Error(`${command}: ${text}`);
    this.account.freedBy.push(`\`ops ${words}\``);
    this.#freedAt = performance.now();
    return text;
  }

  /** Runs the statement that the remedy names. @throws Error if it names none */
  async followSql(sql: Pool): Promise<void> {
    const [statement] = /select pg_\w+\(\d+\)/.exec(this.#found?.remedy ?? '') ?? [];
    if (statement === undefined) throw new Error(`no statement is named: ${this.#found?.remedy}`);
    await sql.unsafe(statement);
    this.account.freedBy.push(`\`${statement}\``);
    this.#freedAt = performance.now();
  }

  /** Waits until it is free. @throws Error if it is not in time: within a minute, if no other time is given */
  async free(isFree: () => Promise<boolean> | boolean, withinMs = freeWithinMs): Promise<void> {
    let last = '';
    const holds = async () => {
      try {
        return await isFree();
      } catch (error) {
        last = `: ${error instanceof Error ? error.message : String(error)}`;
        return false;
      }
    };
    const waiting = { timeoutMs: withinMs, everyMs, signal: this.#signal };
    if (!(await becomesTrue(holds, waiting))) throw new Error(`it is not free after ${withinMs / 1000} s${last}`);
    this.account.freeAfter = secondsSince(this.#freedAt);
  }

  /** Undoes what is left. @throws the first failure, after all were tried */
  async repair(): Promise<void> {
    const failures: unknown[] = [];
    for (const work of this.#repairs)
      await Promise.resolve()
        .then(work)
        .catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

/** Carries it out. What goes wrong is in the account. @throws only when aborted */
export async function carryOut<Ground>(
  breakage: Breakage<Ground>,
  ground: Ground,
  signal: AbortSignal,
): Promise<Account> {
  const course = new Course(breakage, signal);
  const note = (error: unknown) => {
    signal.throwIfAborted();
    course.account.problem ??= error instanceof Error ? error.message : String(error);
  };
  await breakage.run(ground, course).catch(note);
  await course.repair().catch(note);
  const { foundAfter } = course.account;
  if (breakage.moneyWaits && foundAfter !== null && foundAfter > foundWhereMoneyWaitsSeconds)
    note(new Error(`it was found after ${foundAfter} s, and money waits`));
  return course.account;
}

function secondsSince(at: number): number {
  return Math.round((performance.now() - at) / 100) / 10;
}
