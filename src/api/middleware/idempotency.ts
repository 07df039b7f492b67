import { setTimeout as pause } from 'node:timers/promises';
import {
  claimKey,
  findKey,
  holdKey,
  insertAnswer,
  isKeyBusy,
  KeyTaken,
  type KeyUse,
  keyWithAnswer,
  storeAnswer,
} from '../../db/idempotency-keys.ts';
import { type SealedField, sealedField } from '../../db/sealed-values.ts';
import { pass } from '../../platform/crash-points.ts';
import { type AdvisoryLocks, openAdvisoryLocks } from '../../platform/postgres/advisory-locks.ts';
import type { InsertCondition } from '../../platform/postgres/conditional-insert.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { atomically, wasSacrificed, withoutWaiting } from '../../platform/postgres/transaction.ts';
import { IdempotencyKeyInUse, IdempotencyKeyReused, ServiceError } from '../../services/errors.ts';
import type { Context } from '../http/context.ts';
import { readKeyUse } from '../http/idempotency-key.ts';
import { type AppDeps, type RequestDeps, type Route, successStatusOf } from '../http/route.ts';

/** How long a request waits for the first one with its key. */
const waitMs = 5_000;
/** How often it looks, where it cannot be woken: another process has the key. */
const pollMs = 50;

/** What was answered to the first request with a key. */
interface Answer {
  status: number;
  text: string;
  fingerprint: Buffer;
}

/** Does what the route does, in the two steps that a route has. */
export interface RouteExecutor {
  /** Finds out what the handler needs and no transaction may wait for. */
  prepare(route: Route, ctx: Context, deps: RequestDeps): Promise<unknown>;
  /** Runs the handler with the given deps, and gives the text of the response. */
  perform(route: Route, ctx: Context, deps: RequestDeps, prepared: unknown): Promise<string>;
}

/** Performs the route for the request, or finds what was answered before. */
export type IdempotencyStore = (route: Route, ctx: Context, performer: RouteExecutor) => Promise<Answered>;

export interface Answered {
  status: number;
  text: string;
  replayed: boolean;
}

/**
 * Keeps the promise of the Idempotency-Key header: one effect, and the same answer for every request that repeats it.
 *
 * Normally one transaction claims the key as its first statement, does the work, and stores the answer as its last: a crash
 * anywhere leaves neither key nor effect, and a failure rolls both back. A second request with the key waits at the
 * unique index until the first has ended, then finds its answer, or its place. Requests of the same process wait for each
 * other in memory before, so that twenty racers do not hold twenty connections.
 *
 * A `one-statement` route does the same in one round trip: its only insert takes along, by `deps.withAnswer`, the key and the
 * answer to it. The key then comes last and not first, so a handler that fails may have failed on what the first request
 * has changed: the answer to that is looked for before the failure is told.
 *
 * A `committed-first` route commits before it calls another system, so no transaction can hold its key to the end. An
 * advisory lock holds it meanwhile; `deps.hold` writes it, without an answer, in the handler's first transaction, beside
 * what that opens; `deps.remember` writes the answer in the last one, beside the outcome. This is safe, because the lock
 * only decides who waits, never whether something happens twice:
 * - A crash before the first commit: nothing is there, neither effect nor key.
 * - A crash before the last commit: the lock is gone with the connection, and the key is still the request's own. Another
 *   request cannot have it; the same one runs the handler again, which finds what was committed (the attempt, with the id
 *   that is the processor's idempotency key) and goes on from there. That is what such a handler has to promise.
 * - A crash after it: outcome and answer are both there, and the repeat finds the answer.
 * - A lock lost while its holder lives on: two handlers run, which the same rows and constraints keep from charging twice,
 *   and the first answer stored is the one that stays.
 */
export function idempotency(deps: AppDeps): IdempotencyStore {
  const locks = openAdvisoryLocks(deps.sql);
  const running = new Map<string, Promise<Answer | null>>();
  const plain: RequestDeps = {
    ...deps,
    pool: deps.sql,
    idempotencyKey: null,
    idempotencyExpiresAt: null,
    withAnswer: () => [],
    hold: async () => {},
    remember: async () => {},
  };
  const keepers = { 'committed-first': underLock, 'one-statement': inOneStatement };

  return async (route, ctx, performer) => {
    const use = route.method === 'POST' ? readKeyUse(ctx, deps.vault) : null;
    if (use === null) {
      const text = await performer.perform(route, ctx, plain, await performer.prepare(route, ctx, plain));
      return { status: successStatusOf(route, ctx.state.body), text, replayed: false };
    }

    const name = `${use.billerId}/${use.livemode ? 'live' : 'sandbox'}/${use.key}`;
    const giveUpAt = performance.now() + waitMs;
    for (let other = running.get(name); other !== undefined; other = running.get(name)) {
      const answer = await within(giveUpAt - performance.now(), other);
      if (answer !== null) return replay(answer, use);
    }
    const work = route.idempotency === undefined ? inOneTransaction : keepers[route.idempotency];
    const mine = work(route, ctx, performer, use, giveUpAt);
    const shared = mine.then(
      ({ answer }) => answer,
      () => null,
    );
    running.set(name, shared);
    try {
      const { answer, replayed } = await mine;
      return replayed ? replay(answer, use) : { ...answer, replayed };
    } finally {
      running.delete(name);
    }
  };

  async function inOneTransaction(route: Route, ctx: Context, performer: RouteExecutor, use: KeyUse, giveUpAt: number) {
    const status = successStatusOf(route, ctx.state.body);
    // What takes its time to prepare, and may fail by now, is not asked of a repetition.
    const stored = route.prepare ? await storedAnswer(use) : null;
    if (stored !== null) return { answer: stored, replayed: true };
    const prepared = await performer.prepare(route, ctx, plain);
    try {
      const text = await atomically(deps.sql, async (tx) => {
        // Statements of a transaction are carried out in the order in which they are sent, so neither the handler waits
        // for the claim nor the commit for the answer to be stored: two round trips less. A handler that has worked
        // without the key is rolled back.
        const claiming = claimKey(tx, use, giveUpAt - performance.now());
        const performing = performer.perform(route, ctx, { ...plain, sql: tx }, prepared);
        const [claim, outcome] = await Promise.allSettled([claiming, performing]);
        if (claim.status === 'rejected') throw claim.reason;
        assertClaimed(claim.value);
        if (outcome.status === 'rejected') throw outcome.reason;
        pass('request performed');
        await withoutWaiting(tx, storeAnswer(tx, use, status, sealed(use, outcome.value)));
        return outcome.value;
      });
      pass('request committed');
      return { answer: { status, text, fingerprint: use.fingerprints[0] }, replayed: false };
    } catch (error) {
      return { answer: await answerInstead(error, use), replayed: true };
    }
  }

  async function inOneStatement(route: Route, ctx: Context, performer: RouteExecutor, use: KeyUse, giveUpAt: number) {
    const status = successStatusOf(route, ctx.state.body);
    let written: string | undefined;
    const withAnswer = (body: unknown): InsertCondition[] => {
      written = JSON.stringify(body);
      pass('request performed');
      return [keyWithAnswer(use, { status, sealed: sealed(use, written) }, giveUpAt - performance.now())];
    };
    try {
      const prepared = await performer.prepare(route, ctx, plain);
      await performer.perform(route, ctx, { ...plain, withAnswer }, prepared);
      if (written === undefined) throw new Error(`${route.operation} has kept no answer`);
      pass('request committed');
      return { answer: { status, text: written, fingerprint: use.fingerprints[0] }, replayed: false };
    } catch (error) {
      // A deadlock, too: another request took the key before a lock that this statement takes before the key.
      if (isKeyBusy(error) || wasSacrificed(error)) throw new IdempotencyKeyInUse();
      if (error instanceof KeyTaken) return { answer: await answerInstead(error, use), replayed: true };
      const stored = error instanceof ServiceError ? await storedAnswer(use) : null;
      if (stored === null) throw error;
      return { answer: stored, replayed: true };
    }
  }

  async function underLock(route: Route, ctx: Context, performer: RouteExecutor, use: KeyUse, giveUpAt: number) {
    const release = await takeLock(locks, `idempotency/${use.billerId}/${use.livemode}/${use.key}`, giveUpAt);
    try {
      const stored = await storedAnswer(use);
      if (stored !== null) return { answer: stored, replayed: true };
      const status = successStatusOf(route, ctx.state.body);
      const store = (tx: Db, text: string) => insertAnswer(tx, use, status, sealed(use, text));
      let remembered: string | undefined;
      const keyed: RequestDeps = {
        ...plain,
        idempotencyKey: use.key,
        idempotencyExpiresAt: use.expiresAt,
        hold: async (tx) => assertClaimed(await holdKey(tx, use, giveUpAt - performance.now())),
        remember: async (tx, body) => {
          remembered = JSON.stringify(body);
          await withoutWaiting(tx, store(tx, remembered));
        },
      };
      const returned = await performer.perform(route, ctx, keyed, await performer.prepare(route, ctx, plain));
      // A handler that had nothing to commit last: the answer alone is kept.
      if (remembered === undefined) await store(deps.sql, returned);
      return { answer: { status, text: remembered ?? returned, fingerprint: use.fingerprints[0] }, replayed: false };
    } catch (error) {
      return { answer: await answerInstead(error, use), replayed: true };
    } finally {
      void release();
    }
  }

  function sealed(use: KeyUse, text: string): Buffer {
    return deps.vault.seal(text, answerField(use));
  }

  /** The answer that the key has; null when it has none yet, or nobody has it. @throws IdempotencyKeyReused */
  async function storedAnswer(use: KeyUse): Promise<Answer | null> {
    const held = await findKey(deps.sql, use);
    if (held === null) return null;
    const { fingerprint, answer } = held;
    assertSameRequest(fingerprint, use);
    return answer && { status: answer.status, fingerprint, text: deps.vault.open(answer.sealed, answerField(use)) };
  }

  /** What a request is answered whose transaction has found the key taken; any other failure stays one. */
  async function answerInstead(error: unknown, use: KeyUse): Promise<Answer> {
    if (!(error instanceof KeyTaken)) throw error;
    const answer = await storedAnswer(use);
    // Its time has run out since.
    if (answer === null) throw new IdempotencyKeyInUse();
    return answer;
  }
}

function answerField(use: KeyUse): SealedField {
  return sealedField('idempotent_answers', use, use.key);
}

function assertClaimed(claim: 'claimed' | 'taken' | 'busy'): void {
  if (claim === 'busy') throw new IdempotencyKeyInUse();
  if (claim === 'taken') throw new KeyTaken();
}

/** @throws IdempotencyKeyReused when what is known by the fingerprint is another request's. */
function assertSameRequest(fingerprint: Buffer, use: KeyUse): void {
  if (!use.fingerprints.some((mine) => mine.equals(fingerprint))) throw new IdempotencyKeyReused();
}

/** @throws IdempotencyKeyReused when the answer is another request's. */
function replay(answer: Answer, use: KeyUse): Answered {
  assertSameRequest(answer.fingerprint, use);
  return { ...answer, replayed: true };
}

async function takeLock(locks: AdvisoryLocks, name: string, giveUpAt: number): Promise<() => Promise<void>> {
  for (;;) {
    const release = await locks.tryTake(name);
    if (release !== null) return release;
    if (performance.now() >= giveUpAt) throw new IdempotencyKeyInUse();
    await pause(pollMs);
  }
}

/** The result if it comes in time. @throws IdempotencyKeyInUse when it does not. */
async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = pause(Math.max(0, ms), undefined, { signal: stop.signal }).then(() => {
    throw new IdempotencyKeyInUse();
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    stop.abort();
  }
}
