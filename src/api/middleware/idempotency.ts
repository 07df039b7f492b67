import { setTimeout as pause } from 'node:timers/promises';
import { auditCondition } from '../../db/audit-log.ts';
import { KeyTaken, type KeyUse, keyClaim, keyResponse, selectKeyUse } from '../../db/idempotency-keys.ts';
import { type SealedField, sealedField } from '../../db/sealed-values.ts';
import { outboundPolicy } from '../../platform/outbound-address.ts';
import { type AdvisoryLocks, openAdvisoryLocks } from '../../platform/postgres/advisory-locks.ts';
import { type InsertCondition, runAlone } from '../../platform/postgres/conditional-insert.ts';
import { atomically, pipelined, queued, waitedTooLong } from '../../platform/postgres/transaction.ts';
import { pass } from '../../services/crash-points.ts';
import { IdempotencyKeyInUse, IdempotencyKeyReused, ServiceError } from '../../services/errors.ts';
import { createPageUrls } from '../../services/pages/page-urls.ts';
import { claimKey, type RepeatableRequest, unrepeatable } from '../../services/payments/repeatable-request.ts';
import type { ReportSlots } from '../../services/reports/report-slots.ts';
import type { Context } from '../http/context.ts';
import type { AllDeps, AppDeps } from '../http/deps.ts';
import { readKeyUse } from '../http/idempotency-key.ts';
import { commitsFirst, type Route, successStatusOf } from '../http/route.ts';

/** How often to retry the advisory lock while another process holds it: a release there cannot wake this process. */
const pollMs = 50;

/**
 * How long the statement of an outcome waits for the row of its key, in milliseconds. Other requests lock that row only
 * to find that the key is taken. Short, because the outcomes of other payments may wait for this statement.
 */
const keyRowWaitMs = 50;

/** The response to the first request with a key. */
interface StoredResponse {
  status: number;
  text: string;
  fingerprint: Buffer;
}

/** Executes a route in two steps. */
export interface RouteExecutor {
  /** Prepares slow input for the handler, which no transaction may wait for. */
  prepare(route: Route, ctx: Context, deps: AllDeps): Promise<unknown>;
  /** Runs the handler with the given deps. Returns the text of the response. */
  execute(route: Route, ctx: Context, deps: AllDeps, prepared: unknown): Promise<string>;
}

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  route: Route;
  ctx: Context;
  executor: RouteExecutor;
  /** What its handler may use, but for the key. */
  deps: AllDeps;
  use: KeyUse;
  /** The status of its success. */
  status: number;
  /** When it no longer waits for another request with its key; by `performance.now()`. */
  giveUpAt: number;
}

interface KeyedResponse {
  response: StoredResponse;
  replayed: boolean;
}

/** Executes the route for the request, or returns the stored response. */
export type IdempotencyStore = (route: Route, ctx: Context, executor: RouteExecutor) => Promise<ExecutedRoute>;

interface ExecutedRoute {
  status: number;
  text: string;
  replayed: boolean;
}

/**
 * Implements the Idempotency-Key header: one effect, and the same response for every repeated request. A key is stored
 * in one of two ways, as the route's `idempotency` says, or the request's body.
 *
 * One transaction, the default: it claims the key in its first statement, does the work, and stores the response in its
 * last. A crash leaves neither key nor effect, and a failure rolls both back. A second request with the key waits at
 * the unique index until the first ends. Then it finds the stored response, or a free key. Requests in the same process
 * first wait for each other in memory, so twenty concurrent requests do not occupy twenty connections.
 *
 * Committed first: the route commits before it calls another system, so no single transaction can hold its key to the
 * end. An advisory lock is held meanwhile. `request.claim` writes the key without a response in the handler's first
 * transaction, together with the work that it opens. `request.response` writes the response in the last one, together
 * with the outcome. The claim also finds out whether the request is a repeated one: the stored response is looked up
 * only when the key is taken, or when the handler fails before its claim. A request that makes an object notes its id
 * with the claim.
 *
 * This is safe, because the lock only decides who waits, never whether something happens twice:
 * - A crash before the first commit: neither effect nor key exists.
 * - A crash before the last commit: the lock ends with the connection, and the key still belongs to the request. A
 *   different request cannot take it. A repeat of the same request runs the handler again. The handler must find the
 *   committed work (the attempt, whose id is the processor's idempotency key; the object that the key names) and
 *   continue from there.
 * - A crash after the last commit: outcome and response both exist, and a repeat returns the response.
 * - The lock is lost while its holder lives: two handlers run. The same rows and constraints prevent a double charge,
 *   and the first stored response stays.
 *
 * A request waits `waitMs` for the first request with its key.
 */
export function idempotency(deps: AppDeps, waitMs: number, reportSlots: ReportSlots): IdempotencyStore {
  const locks = openAdvisoryLocks(deps.sql);
  const running = new Map<string, Promise<StoredResponse | null>>();
  const unkeyed: Omit<AllDeps, 'commitsFirst'> = {
    db: deps.sql,
    vault: deps.vault,
    pageUrls: createPageUrls(deps.publicUrl, deps.vault),
    publicUrl: deps.publicUrl,
    apiUrl: deps.apiUrl,
    processors: deps.processors,
    canSkipTime: deps.canSkipTime,
    outbound: outboundPolicy(deps.settings.webhookAllowLoopback),
    tokensMayPassLuhn: deps.settings.tokensMayPassLuhn ?? false,
    hasCardFields: deps.processors.live !== null && (deps.settings.liveCardFields ?? null) !== null,
    checks: deps.checks,
    request: unrepeatable,
    reportSlots,
  };

  return async (route, ctx, executor) => {
    const use = route.method === 'POST' ? readKeyUse(ctx, deps.vault) : null;
    const status = successStatusOf(route, ctx.state.body);
    const own = { ...unkeyed, commitsFirst: commitsFirst(route, ctx.state.body) };
    if (use === null) {
      const prepared = await executor.prepare(route, ctx, own);
      return { status, text: await executor.execute(route, ctx, own, prepared), replayed: false };
    }

    const name = `${use.billerId}/${use.livemode ? 'live' : 'sandbox'}/${use.key}`;
    const giveUpAt = performance.now() + waitMs;
    for (let other = running.get(name); other !== undefined; other = running.get(name)) {
      const response = await within(giveUpAt - performance.now(), other);
      if (response !== null) return replay(response, use);
    }
    const keyed = { route, ctx, executor, deps: own, use, status, giveUpAt };
    const mine = own.commitsFirst ? underLock(keyed) : inOneTransaction(keyed);
    const shared = mine.then(
      ({ response }) => response,
      () => null,
    );
    running.set(name, shared);
    try {
      const { response, replayed } = await mine;
      return replayed ? replay(response, use) : { ...response, replayed };
    } finally {
      running.delete(name);
    }
  };

  async function inOneTransaction(keyed: KeyedRequest): Promise<KeyedResponse> {
    const { route, ctx, executor, use } = keyed;
    // A repeated request skips `prepare`, which is slow and may fail by now.
    const stored = route.prepare ? await storedResponse(use) : null;
    if (stored !== null) return { response: stored, replayed: true };
    const prepared = await executor.prepare(route, ctx, keyed.deps);
    try {
      const text = await atomically(deps.sql, async (tx) => {
        // The handler does not wait for the claim, and the commit does not wait for the response to be stored. This
        // saves two round trips. If the claim fails, that is the error, and the handler's work is rolled back.
        const [, text] = await pipelined(tx, [
          claimKey(tx, { claim: claimOf(keyed) }),
          executor.execute(route, ctx, { ...keyed.deps, db: tx }, prepared),
        ]);
        pass('request executed');
        queued(tx, [runAlone(tx, responseOf(keyed, text, waitMs))]);
        return text;
      });
      pass('request committed');
      return { response: { status: keyed.status, text, fingerprint: use.fingerprints[0] }, replayed: false };
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      return { response: await responseInstead(error, use), replayed: true };
    }
  }

  async function underLock(keyed: KeyedRequest): Promise<KeyedResponse> {
    const { route, ctx, executor, use, giveUpAt } = keyed;
    const release = await takeLock(locks, `idempotency/${use.billerId}/${use.livemode}/${use.key}`, giveUpAt);
    try {
      let stored: string | undefined;
      const request: RepeatableRequest<unknown> = {
        requestKey: use.key,
        keyExpiresAt: use.expiresAt,
        claim: claimOf(keyed),
        response: (body, { mayWait }) => {
          stored = JSON.stringify(body);
          return [responseOf(keyed, stored, mayWait ? waitMs : keyRowWaitMs)];
        },
      };
      const prepared = await executor.prepare(route, ctx, keyed.deps);
      const returned = await executor.execute(route, ctx, { ...keyed.deps, request }, prepared);
      // The handler did not store the response, so it is stored alone.
      if (stored === undefined) await runAlone(deps.sql, responseOf(keyed, returned, waitMs));
      const text = stored ?? returned;
      return { response: { status: keyed.status, text, fingerprint: use.fingerprints[0] }, replayed: false };
    } catch (error) {
      return { response: await responseInstead(error, use), replayed: true };
    } finally {
      // The response does not wait for the release. If it is lost, the lock ends with its connection.
      void release();
    }
  }

  function responseOf({ use, status }: KeyedRequest, text: string, waitMs: number): InsertCondition {
    return keyResponse(use, { status, sealed: deps.vault.seal(text, responseField(use)), waitMs });
  }

  /**
   * Returns the key's stored response. Null if there is none yet, or if the key is free. @throws IdempotencyKeyReused
   */
  async function storedResponse(use: KeyUse): Promise<StoredResponse | null> {
    const stored = await selectKeyUse(deps.sql, use);
    if (stored === null) return null;
    const { fingerprint, response } = stored;
    assertSameRequest(fingerprint, use);
    return (
      response && { status: response.status, fingerprint, text: deps.vault.open(response.sealed, responseField(use)) }
    );
  }

  /**
   * Returns the stored response if the error says that the key is taken, or if the request is refused because of what
   * the first request has changed. Rethrows any other error.
   * @throws IdempotencyKeyInUse if another request kept the key for too long.
   */
  async function responseInstead(error: unknown, use: KeyUse): Promise<StoredResponse> {
    if (waitedTooLong(error)) throw new IdempotencyKeyInUse();
    if (!(error instanceof KeyTaken || error instanceof ServiceError)) throw error;
    const stored = await storedResponse(use);
    if (stored !== null) return stored;
    // The key has expired in the meantime.
    throw error instanceof KeyTaken ? new IdempotencyKeyInUse() : error;
  }
}

function responseField(use: KeyUse): SealedField {
  return sealedField('idempotent_answers', use, use.key);
}

/** What a person does on a page is noted in the audit log in the transaction that claims its key. */
function claimOf({ use, giveUpAt, ctx }: KeyedRequest): RepeatableRequest<unknown>['claim'] {
  const { pageForm } = ctx.state;
  return (newId, { mayResume }) => [
    keyClaim(use, { subjectId: newId, mayResume, waitMs: giveUpAt - performance.now() }),
    ...(pageForm === undefined ? [] : [auditCondition(pageForm.audit)]),
  ];
}

/** @throws IdempotencyKeyReused if the fingerprint belongs to a different request. */
function assertSameRequest(fingerprint: Buffer, use: KeyUse): void {
  if (!use.fingerprints.some((mine) => mine.equals(fingerprint))) throw new IdempotencyKeyReused();
}

/** @throws IdempotencyKeyReused if the response belongs to a different request. */
function replay(response: StoredResponse, use: KeyUse): ExecutedRoute {
  assertSameRequest(response.fingerprint, use);
  return { ...response, replayed: true };
}

async function takeLock(locks: AdvisoryLocks, name: string, giveUpAt: number): Promise<() => Promise<void>> {
  for (;;) {
    const release = await locks.tryTake(name);
    if (release !== null) return release;
    if (performance.now() >= giveUpAt) throw new IdempotencyKeyInUse();
    await pause(pollMs);
  }
}

/** Waits at most `ms` for the result. @throws IdempotencyKeyInUse on timeout. */
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
