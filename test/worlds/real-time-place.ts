// Where worlds are told in real time: the service with a Temporal server that skips time. Three clocks make real time.
// That of the database decides what is due, and that of the API says when a request was made: both stand still at the
// present instant. That of Temporal only wakes the workflows, and is some milliseconds ahead.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fragment } from 'postgres';
import { serve } from '../../src/api/http/server.ts';
import { withoutOwner } from '../../src/db/bank-debits.ts';
import { type WorkflowType, workflowIdOf } from '../../src/messages/workflow-types.ts';
import { findViolations, type Violation } from '../../src/operations/invariants/invariants.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { startDispatcher } from '../../src/processes/dispatcher.ts';
import { closeSides, openSides } from '../../src/processes/temporal/sides.ts';
import { startWorkers } from '../../src/processes/temporal/workers.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { followLedgers } from '../../src/services/ledger/follower.ts';
import { takePayoutsInRealTime } from '../../src/services/ledger/payouts.ts';
import { expireMandates } from '../../src/services/mandates/mandate-ends.ts';
import { closeDisputesInRealTime } from '../../src/services/payments/disputes.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { testDeps } from '../support/api.ts';
import { serverAt, testLogger, workflowBundle } from '../support/temporal.ts';
import { startTimeSkipping } from '../support/time-skipping-server.ts';
import { standStill } from './machine-clock.ts';
import { type OpenPlace, openPostgres } from './open-place.ts';
import type { Place } from './place.ts';
import { iso } from './world.ts';

export interface RealTimePlace extends Place {
  /** The present instant. */
  present(): number;
  /** Lets time pass up to an instant, and waits until what was due by then is done. */
  moveTo(at: number): Promise<void>;
  /** The first instant up to `until` at which something of these billers is due; null for none. */
  nextDue(until: number): Promise<number | null>;
  /** Waits until nothing is due at the present instant. */
  settle(): Promise<void>;
  /** Invariants that do not hold at the present instant. Nothing is told here afterwards. */
  violations(): Promise<Violation[]>;
  /** From now on the time of a biller counts. */
  follow(billerId: string): void;
  /** Ends the workflows of a biller, for good. Nothing of it is due. */
  abandon(billerId: string): Promise<void>;
}

const processors = { sandbox: sandboxProcessor, live: null };
const namespace = 'default';
/** How long something may be due before the run gives up. */
const longestDueMs = 60_000;

/** Starts PostgreSQL, a server that skips time, the API and workers. Until `close`, this process has that time. */
export async function openRealTime(): Promise<OpenPlace & { place: RealTimePlace }> {
  const postgres = await openPostgres();
  await moveDatabaseClock(postgres.sql);
  await postgres.sql.end();
  const sql = openPool(postgres.url, { max: 30, name: 'worlds' });
  const vault = createVault([{ id: 'worlds', key: randomBytes(32) }]);
  const logger = testLogger();
  const env = await startTimeSkipping();
  const { address } = env.connection.options;
  const taskQueue = 'worlds';
  const sides = openSides({
    ...{ temporal: serverAt(address, namespace), sandboxTemporal: null, temporalTaskQueue: taskQueue },
  });
  const [side] = sides;
  // The database's clock alone decides. Temporal's is ahead of it while something is done.
  const worker = { vault, processors, logger, webhookAllowLoopback: true, maxAheadMs: 0 };
  const workers = await startWorkers({ side, sql, ...worker, workflowBundle: await workflowBundle() });
  const dispatcher = startDispatcher(sql, side, logger);
  const { deps } = testDeps({ sql, url: postgres.url }, { vault });
  const api = await serve(createWebApp(deps), { port: 0 });
  const followed = new Set<string>();
  let present = await env.currentTimeMs();
  const clock = standStill(present);

  const settle = async () => {
    const endsAt = performance.now() + longestDueMs;
    for (;;) {
      const due = await dueInRealTime(sql, [...followed], present);
      if (due.length === 0 && !(await isEnqueued(sql))) return;
      if (performance.now() > endsAt) {
        throw new Error(`still due at ${iso(present)} after all this time: ${JSON.stringify(due)}`);
      }
      await pause(4);
    }
  };
  const place: RealTimePlace = {
    ...{ url: `http://127.0.0.1:${api.port}`, sql, vault },
    settle,
    present: () => present,
    async nextDue(until) {
      await followLedgers(sql, new AbortController().signal);
      const [first] = await dueInRealTime(sql, [...followed], until);
      return first === undefined ? null : Number(first.at ?? 0);
    },
    async moveTo(at) {
      present = at;
      clock.set(at);
      await sql`update moved.present set at = ${new Date(at)}`;
      // As housekeeping does every few seconds, and before and after it the ledger.
      await followLedgers(sql, new AbortController().signal);
      await takePayoutsInRealTime(sql, realInstant(at));
      await expireMandates(sql, realInstant(at));
      await closeDisputesInRealTime(sql, chargeHook, realInstant(at));
      const ahead = at - (await env.currentTimeMs());
      if (ahead > 0) await env.sleep(ahead);
      await settle();
      await followLedgers(sql, new AbortController().signal);
    },
    async violations() {
      // Invariants compare dates with the real time of SQL, which nothing else here does.
      await sql.unsafe(`
        create or replace function moved.now() returns timestamptz language sql stable as 'select at from moved.present'`);
      return findViolations(sql);
    },
    follow: (billerId) => void followed.add(billerId),
    async abandon(billerId) {
      followed.delete(billerId);
      const ids = await workflowsOf(sql, billerId);
      await Promise.all(
        ids.map((id) =>
          side.temporal.workflow
            .getHandle(id)
            .terminate()
            .catch(() => {}),
        ),
      );
    },
  };
  const close = async () => {
    clock.release();
    await api.close();
    await dispatcher.close();
    await workers.close();
    await closeSides(sides);
    await env.teardown();
    await sql.end();
    await postgres.stop();
  };
  return { place, close };
}

/** New connections to this database have a clock that stands still. It says the machine's time first. */
async function moveDatabaseClock(sql: Pool): Promise<void> {
  await sql.unsafe(`
    create schema moved;
    create table moved.present (at timestamptz not null);
    insert into moved.present values (clock_timestamp());
    create function moved.clock_timestamp() returns timestamptz language sql volatile as 'select at from moved.present';
    do $$ begin
      execute format('alter database %I set search_path = moved, pg_catalog, public', current_database());
    end $$`);
}

/** Whether the outbox has something for workflows. */
async function isEnqueued(sql: Pool): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (select from workflow_intents) as found`;
  return row.found;
}

interface Due {
  kind: string;
  id: string;
  /** Null for a payment that is under way. */
  at: Date | null;
}

/** What of these billers is due up to `until`, first what is under way, then by instant. */
async function dueInRealTime(sql: Pool, billers: string[], until: number): Promise<Due[]> {
  const select = (kind: string, at: Fragment, rows: Fragment) => sql`
    select ${kind} as kind, id::text as id, ${at} as at from ${rows}
    where biller_id = any(${billers}) and ${at} <= ${new Date(until)}`;
  const owed = sql`least(wake_at, next_debit_at)`;
  const debits = sql`(select attempt_id as id, * from bank_debits d where ${withoutOwner(sql)}) d`;
  return sql<Due[]>`
    ${select('mandate', sql`lapses_at`, sql`(select * from mandates where status = 'active') m`)}
    union all ${select('bankDebit', sql`next_at`, debits)}
    union all ${select('paymentPlan', owed, sql`payment_plans`)}
    union all ${select('subscription', owed, sql`subscriptions`)}
    union all ${select('scheduledPayment', sql`scheduled_at`, sql`payment_intents`)}
    union all ${select('paymentLink', sql`wake_at`, sql`payment_links`)}
    union all ${select('checkoutSession', sql`wake_at`, sql`checkout_sessions`)}
    union all ${select('dispute', sql`closes_at`, sql`(select * from disputes where status = 'needs_response') d`)}
    union all ${select('payoutArrival', sql`arrives_at`, sql`(select * from payouts where status = 'in_transit') p`)}
    union all select 'payout', currency, min(payable_at) from (
        select biller_id, currency, payable_at,
          sum(amount) over (partition by biller_id, currency order by payable_at) as total
        from payable_transactions where biller_id = any(${billers}) and payable_at <= ${new Date(until)}
      ) coming where total > 0 group by biller_id, currency
    union all select 'payment', i.id, null from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
      where i.biller_id = any(${billers}) and a.outcome = 'processing'
        and not exists (select from bank_debits d where d.attempt_id = a.id)
    order by at nulls first`;
}

/** The ids of all workflows that the objects of a biller may have. */
async function workflowsOf(sql: Pool, billerId: string): Promise<string[]> {
  const rows = await sql<{ type: WorkflowType; id: string }[]>`
    select 'paymentPlan' as type, id::text from payment_plans where biller_id = ${billerId}
    union all select 'subscription', id from subscriptions where biller_id = ${billerId}
    union all select 'scheduledPayment', id from payment_intents where biller_id = ${billerId}
    union all select 'paymentLink', id from payment_links where biller_id = ${billerId}
    union all select 'checkoutSession', id from checkout_sessions where biller_id = ${billerId}
    union all select 'bankDebit', attempt_id from bank_debits where biller_id = ${billerId}`;
  return rows.map(({ type, id }) => workflowIdOf(type, id));
}
