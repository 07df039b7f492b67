import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach } from 'mocha';
import { selectClockById, selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { ChargeRequest, PaymentProcessor, RefundRequest } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import type { NewBiller } from '../../src/services/accounts/billers.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { takeDebitStep } from '../../src/services/debits/debit-steps.ts';
import { expireDueLink, expireDueSession } from '../../src/services/links/expiry.ts';
import { collectScheduledPayment } from '../../src/services/payments/scheduled-payments.ts';
import { collectDuePayment, collectOptimistically } from '../../src/services/plans/plan-collection.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { collectDueSubscription } from '../../src/services/subscriptions/subscription-collection.ts';
import { carryOutAdvance } from './advance.ts';
import { type Reply, useApi } from './api.ts';
import { useDatabase, useSharedDatabase } from './database.ts';
import { makeKeys } from './factories.ts';
import { createMerchant, type Merchant } from './merchant.ts';

/** The sandbox's processor with a ledger of its own: what it was asked, and under which key it has taken money. */
export class LedgerProcessor implements PaymentProcessor {
  readonly requests: ChargeRequest[] = [];
  readonly taken = new Map<string, number>();
  /** Runs before each response; if it throws, the response is lost after the money was taken. */
  beforeAnswer: (request: ChargeRequest) => Promise<void> = async () => {};
  /** The same of refunds. */
  beforeRefundAnswer: (request: RefundRequest) => Promise<void> = async () => {};

  readonly prepare = null;
  readonly inquire = sandboxProcessor.inquire;
  readonly cancel = sandboxProcessor.cancel;
  readonly inquireRefund = sandboxProcessor.inquireRefund;
  readonly movements = null;
  readonly notices = null;

  async charge(request: ChargeRequest, reference: string) {
    this.requests.push(request);
    const outcome = await sandboxProcessor.charge(request, reference);
    if (outcome.kind === 'succeeded') this.taken.set(request.idempotencyKey, request.totalAmount);
    await this.beforeAnswer(request);
    return outcome;
  }

  async refund(request: RefundRequest) {
    const outcome = await sandboxProcessor.refund(request);
    await this.beforeRefundAnswer(request);
    return outcome;
  }

  reset(): void {
    this.requests.length = 0;
    this.taken.clear();
    this.beforeAnswer = async () => {};
    this.beforeRefundAnswer = async () => {};
  }
}

/** The time of a workflow that wakes up at `at`, the customer's time. Real time may be ahead of the database's. */
const workflowTime = (at: string | Date) => ({
  at: customerInstant(new Date(at).getTime()),
  now: realNow(),
  maxAheadMs: Infinity,
});

export interface StageOptions {
  /** What the biller of each test has. */
  biller?: Partial<NewBiller>;
  /** A database of its own, for tests that read across billers. */
  isAlone?: boolean;
  /** A database of its own that need not hold the invariants, for tests that break them on purpose. */
  isDamaged?: boolean;
}

/** One for all tests of this process: they share what it has encrypted. */
const vault = createVault([{ id: 'test', key: randomBytes(32) }]);

/**
 * The whole API on a socket over the database of this process, a new biller for each test, and in the place of Temporal
 * the calls that its workflows would make.
 */
export function useStage({ biller, isAlone = false, isDamaged = false }: StageOptions = {}) {
  const db = isAlone || isDamaged ? useDatabase(24, { isDamaged }) : useSharedDatabase();
  const ledger = new LedgerProcessor();
  const processors = { sandbox: ledger, live: null };
  const api = useApi(db, undefined, () => ({ processors, vault }));
  let current: { merchant: Merchant; keys: Awaited<ReturnType<typeof makeKeys>> } | undefined;

  beforeEach('make a biller', async () => {
    ledger.reset();
    const keys = await makeKeys(db.sql, biller);
    current = { keys, merchant: createMerchant(api.url, keys.sandboxSecret) };
  });

  function existing() {
    if (current === undefined) throw new Error('the merchant is there only while a test runs');
    return current;
  }

  const stage = {
    db,
    api,
    ledger,
    processors,
    vault,
    charging: { processors, hook: chargeHook },
    get merchant() {
      return existing().merchant;
    },
    get keys() {
      return existing().keys;
    },
    /** Another biller with its keys. */
    async stranger() {
      const keys = await makeKeys(db.sql);
      return { keys, merchant: createMerchant(api.url, keys.sandboxSecret) };
    },
    request: (method: string, path: string, body?: unknown): Promise<Reply> =>
      existing().merchant.request(method, path, body),
    /** A GET with a Prefer header. */
    fetchPreferring: (path: string, prefer: string): Promise<Reply> =>
      api.send('GET', `/api/v1${path}`, { key: existing().keys.sandboxSecret, headers: { Prefer: prefer } }),
    /** What the workflow of a plan does when it wakes up at `at`. */
    async collect(planId: string, at: string | Date): Promise<void> {
      const time = workflowTime(at);
      if (await collectOptimistically(db.sql, stage.charging, planId, time)) return;
      await collectDuePayment(db.sql, stage.charging, planId, time);
    },
    /** All that is due of a plan at `at`, as its workflow does when it is poked. */
    async collectAll(planId: string, at: string | Date): Promise<void> {
      const isDue = () => db.sql`
        select 1 from payment_plans where id = ${planId} and least(wake_at, next_debit_at) <= ${new Date(at)}`;
      while ((await isDue()).length > 0) await stage.collect(planId, at);
    },
    /** The same of a subscription. */
    collectSubscription: (id: string, at: string | Date): Promise<void> =>
      collectDueSubscription(db.sql, stage.charging, id, workflowTime(at)),
    /** All that is due of a subscription at `at`, as its workflow does when it is poked. */
    async collectSubscriptionAll(id: string, at: string | Date): Promise<void> {
      const isDue = () => db.sql`select 1 from subscriptions where id = ${id} and wake_at <= ${new Date(at)}`;
      while ((await isDue()).length > 0) await stage.collectSubscription(id, at);
    },
    /** The same of a scheduled payment. */
    collectScheduled: (intentId: string, at: string | Date): Promise<void> =>
      collectScheduledPayment(db.sql, processors, intentId, workflowTime(at)),
    /** The same of the debit of a single payment: its step that is due at `at`. */
    debit: (attemptId: string, at: string | Date): Promise<void> =>
      takeDebitStep(db.sql, stage.charging, attemptId, workflowTime(at)),
    /** The expiry of a link that is due at `at`. */
    expireLink: (id: string, at: string | Date): Promise<void> =>
      expireDueLink(db.sql, chargeHook, id, workflowTime(at)),
    /** The same of a session, or the end of its challenge. */
    expireSession: (id: string, at: string | Date): Promise<void> =>
      expireDueSession(db.sql, chargeHook, id, workflowTime(at)),
    /** Carries out the advance that a clock has accepted. */
    async carryOut(clockId: string): Promise<void> {
      assert.ok(await selectOpenAdvance(db.sql, clockId), 'the clock is not advancing');
      await carryOutAdvance(db.sql, clockId, processors);
      const clock = await selectClockById(db.sql, clockId);
      assert.notEqual(clock?.status, 'failed', clock?.failure_reason ?? '');
    },
    /** Advances a clock and carries the advance out. */
    async advance(clockId: string, target: string): Promise<void> {
      await existing().merchant.beginAdvance(clockId, target);
      await stage.carryOut(clockId);
    },
  };
  return stage;
}

export type Stage = ReturnType<typeof useStage>;

/** Asserts that a reply is an error with the envelope of the contract, and returns its field errors as `path code`. */
export function refusal(reply: Reply, status: number, code = 'validation_failed'): string[] {
  assert.equal(`${reply.status} ${reply.body?.error?.code}`, `${status} ${code}`, reply.text);
  const { error, ...rest } = reply.body;
  assert.deepEqual(rest, {});
  assert.equal(error.type, 'invalid_request_error');
  assert.ok(typeof error.message === 'string' && error.message.length > 0);
  const known = ['code', 'details', 'message', 'request_id', 'type', 'max_frozen_time', 'mandate_id'];
  assert.deepEqual(
    Object.keys(error).filter((name) => !known.includes(name)),
    [],
  );
  const details: { path?: string; code: string; message: string }[] = error.details ?? [];
  for (const { code: fieldCode, message } of details) assert.ok(fieldCode && message, reply.text);
  return details.map((detail) => `${detail.path} ${detail.code}`).sort();
}

/** The JSON pointer paths of the field errors of a refused request. */
export function faultPaths(reply: Reply, status: number): string[] {
  return refusal(reply, status).map((fault) => fault.slice(0, fault.indexOf(' ')));
}

export const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The number of rows of every table: what must not change when a request is refused. */
export async function rowCounts({ db: { sql } }: Stage): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  const counts = tables.map(({ name }) => sql`select ${name} as name, count(*)::integer as count from ${sql(name)}`);
  const rows = await sql<{ name: string; count: number }[]>`
    ${counts.reduce((all, next) => sql`${all} union all ${next}`)}`;
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
